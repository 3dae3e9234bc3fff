//! The Services that one IngressRoute uses, in a packed form: an object may name thousands of them, and each takes a
//! few bytes.

use std::collections::BTreeSet;

/// A port of a Service in the object's namespace, and its load balancing strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServiceUse<'u> {
    /// The name of the Service.
    pub name: &'u str,
    /// The port.
    pub port: u16,
    /// The name of the strategy.
    pub strategy: &'u str,
}

/// Uses of Services, sorted and without duplicates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceUses {
    /// The concatenated names.
    names: Box<str>,
    strategies: Box<[Box<str>]>,
    uses: Box<[Packed]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Packed {
    /// The byte range of the name in `names`.
    start: u32,
    end: u32,
    port: u16,
    strategy: u16,
}

/// The maximum number of distinct strategies, which is greater than the maximum number of entries of an object.
const MAX_STRATEGIES: usize = 1 << 16;

impl<'u> FromIterator<ServiceUse<'u>> for ServiceUses {
    fn from_iter<I: IntoIterator<Item = ServiceUse<'u>>>(uses: I) -> Self {
        let mut uses: Vec<ServiceUse<'_>> = uses.into_iter().collect();
        uses.sort_unstable();
        uses.dedup();
        let strategies: BTreeSet<&str> = uses.iter().map(|used| used.strategy).take(MAX_STRATEGIES).collect();
        let strategies: Vec<&str> = strategies.into_iter().collect();
        let mut names = String::with_capacity(
            uses.chunk_by(|left, right| left.name == right.name).map(|same| same[0].name.len()).sum(),
        );
        let mut packed = Vec::with_capacity(uses.len());
        for same in uses.chunk_by(|left, right| left.name == right.name) {
            let start = names.len() as u32;
            names.push_str(same[0].name);
            packed.extend(same.iter().map(|used| {
                let strategy = strategies.binary_search(&used.strategy).unwrap_or_default() as u16;
                Packed { start, end: names.len() as u32, port: used.port, strategy }
            }));
        }
        Self { names: names.into(), strategies: strategies.into_iter().map(Box::from).collect(), uses: packed.into() }
    }
}

impl ServiceUses {
    /// All uses, in order.
    pub fn iter(&self) -> impl Iterator<Item = ServiceUse<'_>> {
        self.uses.iter().map(|packed| self.unpack(packed))
    }

    /// The number of uses.
    pub fn len(&self) -> usize {
        self.uses.len()
    }

    /// Whether no object uses a Service.
    pub fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    /// The use at a position of [`Self::iter`].
    pub(super) fn at(&self, position: usize) -> ServiceUse<'_> {
        self.unpack(&self.uses[position])
    }

    fn name(&self, packed: &Packed) -> &str {
        &self.names[packed.start as usize..packed.end as usize]
    }

    fn unpack(&self, packed: &Packed) -> ServiceUse<'_> {
        let strategy = &self.strategies[usize::from(packed.strategy)];
        ServiceUse { name: self.name(packed), port: packed.port, strategy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_uses_are_unpacked_unchanged() {
        let used = |name, port, strategy| ServiceUse { name, port, strategy };
        let all = [
            used("web", 443, "Random"),
            used("api", 80, "RoundRobin"),
            used("web", 80, "Random"),
            used("", 80, "Random"),
            used("web", 80, "Cookie"),
            used("web", 80, "Random"),
            used("we", 80, ""),
        ];
        let packed: ServiceUses = all.into_iter().collect();
        let sorted: BTreeSet<ServiceUse<'_>> = all.into_iter().collect();
        assert!(packed.iter().eq(sorted.iter().copied()));
    }
}
