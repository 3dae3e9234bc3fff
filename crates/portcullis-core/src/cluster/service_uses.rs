//! The Services that IngressRoutes use: those of one object, and the users of each Service. An object may name thousands of Services, so a
//! use takes a few bytes in either.

use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::DefaultHashBuilder;

use crate::kinds::ingress_route::STRATEGIES;
use crate::kinds::{Kind, ObjectRef};

/// A port of a Service in the object's namespace, and its load balancing strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServiceUse<'u> {
    /// The name of the Service.
    pub name: &'u str,
    /// The port.
    pub port: u16,
    /// The name of the strategy, one of [`STRATEGIES`].
    pub strategy: &'u str,
}

/// Uses of Services, sorted and without duplicates. Those with an unknown strategy are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceUses {
    /// The concatenated names.
    names: Box<str>,
    uses: Box<[Packed]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Packed {
    /// The byte range of the name in `names`.
    start: u32,
    end: u32,
    port: u16,
    strategy: u8,
}

impl<'u> FromIterator<ServiceUse<'u>> for ServiceUses {
    fn from_iter<I: IntoIterator<Item = ServiceUse<'u>>>(uses: I) -> Self {
        let mut uses: Vec<ServiceUse<'_>> = uses.into_iter().collect();
        uses.sort_unstable();
        uses.dedup();
        let mut names = String::with_capacity(
            uses.chunk_by(|left, right| left.name == right.name).map(|same| same[0].name.len()).sum(),
        );
        let mut packed = Vec::with_capacity(uses.len());
        for same in uses.chunk_by(|left, right| left.name == right.name) {
            let start = names.len() as u32;
            names.push_str(same[0].name);
            let end = names.len() as u32;
            packed.extend(same.iter().filter_map(|used| {
                let strategy = position(used.strategy)?;
                Some(Packed { start, end, port: used.port, strategy })
            }));
        }
        Self { names: names.into(), uses: packed.into() }
    }
}

/// The position of a strategy in [`STRATEGIES`].
fn position(strategy: &str) -> Option<u8> {
    (0..).zip(STRATEGIES).find(|(_, own)| *own == strategy).map(|(position, _)| position)
}

impl ServiceUses {
    /// All uses, in order.
    pub fn iter(&self) -> impl Iterator<Item = ServiceUse<'_>> {
        self.uses.iter().map(|packed| self.unpack(packed))
    }

    /// The number of uses.
    pub(super) fn len(&self) -> usize {
        self.uses.len()
    }

    /// Whether this is one of them.
    pub(super) fn contains(&self, used: ServiceUse<'_>) -> bool {
        self.uses.binary_search_by(|packed| self.unpack(packed).cmp(&used)).is_ok()
    }

    fn unpack(&self, packed: &Packed) -> ServiceUse<'_> {
        let name = &self.names[packed.start as usize..packed.end as usize];
        ServiceUse { name, port: packed.port, strategy: STRATEGIES[usize::from(packed.strategy)] }
    }
}

/// The users of each Service. Their uses are told apart by hashes, so that the facts of an object decide whether it has a use.
#[derive(Debug)]
pub struct ServiceUsers {
    users: BTreeSet<Entry>,
    /// Precedes every user.
    least: Arc<ObjectRef>,
    hasher: DefaultHashBuilder,
}

/// The hash of a Service; the hash of a port and a class, whose last byte is replaced by a strategy; and the user.
type Entry = (u64, u64, Arc<ObjectRef>);

/// The bits of a hash that a strategy replaces.
const STRATEGY: u64 = 0xff;

impl Default for ServiceUsers {
    fn default() -> Self {
        let least = Arc::new(ObjectRef::new(Kind::IngressRoute, "", ""));
        Self { users: BTreeSet::new(), least, hasher: DefaultHashBuilder::default() }
    }
}

impl ServiceUsers {
    /// Adds the uses of an object of `class`.
    pub fn enter(&mut self, user: &Arc<ObjectRef>, class: Option<&str>, uses: &ServiceUses) {
        self.users.extend(entries(&self.hasher, user, class, uses));
    }

    /// Removes the uses of an object of `class`.
    pub fn leave(&mut self, user: &Arc<ObjectRef>, class: Option<&str>, uses: &ServiceUses) {
        for entry in entries(&self.hasher, user, class, uses) {
            self.users.remove(&entry);
        }
    }

    /// The users of a Service, and rarely another object. An object appears once for each of its uses.
    pub fn of(&self, namespace: &str, name: &str) -> impl Iterator<Item = &Arc<ObjectRef>> {
        let service = self.hasher.hash_one((namespace, name));
        let from = self.users.range((service, 0, Arc::clone(&self.least))..);
        from.take_while(move |(own, ..)| *own == service).map(|(.., user)| user)
    }

    /// The users of `class` that use another strategy for this port of a Service, and rarely another object, each with the strategy, ordered
    /// by strategy and reference. Those with the same strategy are not visited.
    pub fn with_other_strategy(
        &self,
        service: (&str, &str),
        port: u16,
        class: Option<&str>,
        strategy: &str,
    ) -> impl Iterator<Item = (&'static str, &ObjectRef)> {
        let (service, port) = key(&self.hasher, service, port, class);
        let from = move |strategy: u64| {
            let uses = self.users.range((service, port | strategy, Arc::clone(&self.least))..);
            uses.take_while(move |(own, used, _)| (*own, used & !STRATEGY) == (service, port))
        };
        // One that is not known precedes no other.
        let own = position(strategy).map_or(STRATEGY - 1, u64::from);
        let all = from(0);
        let is_used = all.clone().next().is_some();
        let lower = all.take_while(move |(_, used, _)| used & STRATEGY < own);
        let greater = is_used.then(|| from(own + 1)).into_iter().flatten();
        lower.chain(greater).map(|(_, used, user)| (STRATEGIES[(used & STRATEGY) as usize], &**user))
    }
}

/// The hashes of the use of a port of a Service, given by namespace and name, without the strategy.
fn key(hasher: &DefaultHashBuilder, service: (&str, &str), port: u16, class: Option<&str>) -> (u64, u64) {
    (hasher.hash_one(service), hasher.hash_one((port, class)) & !STRATEGY)
}

/// The entries of all uses of an object.
fn entries<'u>(
    hasher: &'u DefaultHashBuilder,
    user: &'u Arc<ObjectRef>,
    class: Option<&'u str>,
    uses: &'u ServiceUses,
) -> impl Iterator<Item = Entry> + 'u {
    uses.uses.iter().map(move |packed| {
        let ServiceUse { name, port, .. } = uses.unpack(packed);
        let (service, port) = key(hasher, (&*user.namespace, name), port, class);
        (service, port | u64::from(packed.strategy), Arc::clone(user))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used<'u>(name: &'u str, port: u16, strategy: &'u str) -> ServiceUse<'u> {
        ServiceUse { name, port, strategy }
    }

    #[test]
    fn packed_uses_are_unpacked_unchanged() {
        let all = [
            used("web", 443, "Random"),
            used("api", 80, "RoundRobin"),
            used("web", 80, "Random"),
            used("", 80, "Random"),
            used("web", 80, "Cookie"),
            used("web", 80, "Random"),
        ];
        let packed: ServiceUses = all.into_iter().chain([used("we", 80, "Fastest")]).collect();
        let sorted: BTreeSet<ServiceUse<'_>> = all.into_iter().collect();
        assert!(packed.iter().eq(sorted.iter().copied()));
        assert!(all.iter().all(|own| packed.contains(*own)) && !packed.contains(used("api", 80, "Random")));
    }

    #[test]
    fn removed_users_leave_nothing_behind() {
        let mut users = ServiceUsers::default();
        let names: Vec<String> = (0..100).map(|number| format!("s{number}")).collect();
        let uses = || (0..300).map(|number: usize| used(&names[number % 100], 80 + number as u16 / 100, "Random"));
        let of = |number: usize| {
            let user = Arc::new(ObjectRef::new(Kind::IngressRoute, "web", &format!("o{number}")));
            (user, uses().skip(number).collect::<ServiceUses>())
        };
        let all: Vec<_> = (0..100).map(of).collect();
        all.iter().for_each(|(user, uses)| users.enter(user, None, uses));
        assert_eq!(users.of("web", "s99").count(), 3 * 100);
        let (last, others) = all.split_last().expect("there are some");
        others.iter().for_each(|(user, uses)| users.leave(user, None, uses));
        assert_eq!(users.of("web", "s99").count(), 3);
        users.leave(&last.0, None, &last.1);
        assert!(users.users.is_empty(), "{users:?}");
    }
}
