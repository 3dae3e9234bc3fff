//! A set of prefixes that finds those that cover a path, and those that a prefix covers, without looking at each.

use std::cmp::Ordering;

use super::covers::covers;

/// Prefixes sorted by segments, so that all prefixes that one covers are adjacent. Of equal prefixes, the first and its
/// value are kept.
#[derive(Debug)]
pub struct Prefixes<'p, T>(Vec<(&'p str, T)>);

impl<'p, T> Prefixes<'p, T> {
    /// Returns the set of `all`.
    pub fn of(all: impl IntoIterator<Item = (&'p str, T)>) -> Self {
        let mut prefixes: Vec<_> = all.into_iter().collect();
        prefixes.sort_by(|(left, _), (right, _)| by_segments(left, right));
        prefixes.dedup_by(|(next, _), (kept, _)| by_segments(next, kept).is_eq());
        Self(prefixes)
    }

    /// The prefixes that `prefix` covers.
    pub fn under(&self, prefix: &str) -> &[(&'p str, T)] {
        let rest = &self.0[self.0.partition_point(|(own, _)| by_segments(own, prefix).is_lt())..];
        &rest[..rest.partition_point(|(own, _)| covers(prefix, own))]
    }

    /// A prefix that `prefix` does not cover.
    pub fn beyond(&self, prefix: &str) -> Option<&'p str> {
        let is_beyond = |own: &&'p str| !covers(prefix, own);
        [self.0.first(), self.0.last()].into_iter().flatten().map(|(own, _)| *own).find(is_beyond)
    }

    /// The longest prefix that covers `path`.
    pub fn nearest(&self, path: &str) -> Option<&(&'p str, T)> {
        let mut shared = path;
        loop {
            let after = self.0.partition_point(|(own, _)| by_segments(own, shared).is_le());
            let before = self.0[..after].last()?;
            if covers(before.0, path) {
                return Some(before);
            }
            // Every prefix that covers the path and sorts before this one covers both.
            shared = &path[..shared_length(before.0, shared)?];
        }
    }
}

fn by_segments(left: &str, right: &str) -> Ordering {
    let [left, right] = [left, right].map(|prefix| prefix.trim_end_matches('/').split('/'));
    left.cmp(right)
}

/// The length in bytes of the leading segments that `path` shares with `prefix`; `None` if the first segments differ.
fn shared_length(prefix: &str, path: &str) -> Option<usize> {
    let [prefix, path] = [prefix, path].map(|path| path.trim_end_matches('/'));
    let alike = prefix.split('/').zip(path.split('/')).take_while(|(left, right)| left == right);
    let lengths = alike.map(|(segment, _)| segment.len() + 1);
    lengths.reduce(|all, length| all + length).map(|length| length - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_search_equals_a_linear_scan() {
        let mut dice = 7_u64;
        let mut roll = |sides: u64| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) % sides
        };
        let mut path = || {
            let pieces = (0..roll(5)).map(|_| ["/a", "/ab", "/b", "/", "a", "/a!"][roll(6) as usize]);
            pieces.collect::<String>()
        };
        for _ in 0..3_000 {
            let all: Vec<String> = (0..6).map(|_| path()).collect();
            let prefixes = Prefixes::of(all.iter().enumerate().map(|(number, prefix)| (prefix.as_str(), number)));
            let searched = path();
            let alike = |left: &str, right: &str| covers(left, right) && covers(right, left);
            let first = |number: usize| all[..number].iter().all(|before| !alike(before, &all[number]));
            let mut under: Vec<usize> = prefixes.under(&searched).iter().map(|(_, number)| *number).collect();
            under.sort_unstable();
            let covered = (0..all.len()).filter(|number| first(*number) && covers(&searched, &all[*number]));
            assert_eq!(under, covered.collect::<Vec<_>>(), "{searched} {all:?}");
            let beyond = prefixes.beyond(&searched);
            assert_eq!(beyond.is_some(), all.iter().any(|own| !covers(&searched, own)), "{searched} {all:?}");
            assert!(beyond.is_none_or(|own| !covers(&searched, own)), "{searched} {all:?}");
            let above =
                all.iter().filter(|own| covers(own, &searched)).max_by_key(|own| own.trim_end_matches('/').len());
            let nearest = prefixes.nearest(&searched).map(|(own, _)| own.trim_end_matches('/'));
            assert_eq!(nearest, above.map(|own| own.trim_end_matches('/')), "{searched} {all:?}");
        }
    }
}
