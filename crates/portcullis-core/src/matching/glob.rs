//! Patterns of hosts and paths in a load balancer of AWS: `*` matches any characters, `?` one.

use super::{Path, PathType};

/// The bytes that a pattern may have. A load balancer accepts at most 128, and this one bit less fits the states.
const BITS: usize = 127;

/// A pattern, read as a machine: bit `n` of its state says that the first `n` bytes of the pattern match what was read.
#[derive(Debug, Clone)]
pub struct Glob {
    /// The positions of each byte in the pattern.
    literals: Vec<(u8, u128)>,
    /// The positions of `?`.
    any: u128,
    /// The positions of `*`.
    stars: u128,
    /// The state of the whole pattern.
    end: u128,
}

impl Glob {
    /// Reads a pattern; `None` if it is longer than a load balancer accepts.
    pub fn new(pattern: &str) -> Option<Self> {
        let mut bytes = pattern.as_bytes().to_vec();
        bytes.dedup_by(|second, first| (*second, *first) == (b'*', b'*'));
        if bytes.len() > BITS {
            return None;
        }
        let (mut literals, mut any, mut stars, mut end) = (Vec::<(u8, u128)>::new(), 0, 0, 1);
        for byte in bytes {
            match byte {
                b'*' => stars |= end,
                b'?' => any |= end,
                byte => match literals.iter_mut().find(|(own, _)| *own == byte) {
                    Some((_, positions)) => *positions |= end,
                    None => literals.push((byte, end)),
                },
            }
            end <<= 1;
        }
        Some(Self { literals, any, stars, end })
    }

    /// Whether it matches `text`.
    pub fn matches(&self, text: &str) -> bool {
        self.read(text) & self.end != 0
    }

    /// Whether one request may match both it and a path.
    pub fn overlaps(&self, path: &Path<'_>) -> bool {
        match path.kind {
            PathType::Exact => self.matches(&path.text),
            PathType::ImplementationSpecific => self.read(&path.text) != 0,
            PathType::Prefix if path.text == "/" => self.read("/") != 0,
            PathType::Prefix => self.matches(&path.text) || self.read(&format!("{}/", path.text)) != 0,
        }
    }

    /// Whether it matches every request that a path matches.
    pub fn covers(&self, path: &Path<'_>) -> bool {
        match path.kind {
            PathType::Exact => self.matches(&path.text),
            PathType::ImplementationSpecific => self.matches_all_after(&path.text),
            PathType::Prefix if path.text == "/" => self.matches_all_after("/"),
            PathType::Prefix => self.matches(&path.text) && self.matches_all_after(&format!("{}/", path.text)),
        }
    }

    /// Whether it ends in a `*` that what follows `text` may match.
    fn matches_all_after(&self, text: &str) -> bool {
        self.read(text) & self.stars & (self.end >> 1) != 0
    }

    /// The state after `text`; 0 if no text that begins with it matches.
    fn read(&self, text: &str) -> u128 {
        // A `*` also matches no character.
        let skip_star = |state: u128| state | ((state & self.stars) << 1);
        text.bytes().fold(skip_star(1), |state, byte| {
            let literal = self.literals.iter().find(|(own, _)| *own == byte).map_or(0, |(_, positions)| *positions);
            skip_star(((state & (literal | self.any)) << 1) | (state & self.stars))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition.
    fn matches(pattern: &[u8], text: &[u8]) -> bool {
        match (pattern, text) {
            ([], text) => text.is_empty(),
            ([b'*', rest @ ..], text) => (0..=text.len()).any(|taken| matches(rest, &text[taken..])),
            ([b'?', rest @ ..], [_, text @ ..]) => matches(rest, text),
            ([own, rest @ ..], [byte, text @ ..]) => own == byte && matches(rest, text),
            _ => false,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn a_pattern_matches_what_its_definition_says(pattern in "[ab/*?]{0,7}", text in "[ab/]{0,7}") {
            let glob = Glob::new(&pattern).expect("a short pattern");
            prop_assert_eq!(glob.matches(&text), matches(pattern.as_bytes(), text.as_bytes()), "{} {}", pattern, text);
        }

        #[test]
        fn a_pattern_that_covers_a_path_matches_its_requests(
            pattern in "/[a/*?]{0,5}",
            kind in prop::sample::select(vec![PathType::ImplementationSpecific, PathType::Prefix, PathType::Exact]),
            text in "/[ab/]{0,4}",
            tail in "[ab/]{0,4}",
        ) {
            let (glob, path) = (Glob::new(&pattern).expect("a short pattern"), Path::new(kind, Some(&text)));
            let request = format!("{}{tail}", path.text);
            let is_matched = path.matches(&request).unwrap_or(true);
            if is_matched && glob.matches(&request) {
                prop_assert!(glob.overlaps(&path), "{} {:?} {}", pattern, path, request);
            }
            if is_matched && glob.covers(&path) {
                prop_assert!(glob.matches(&request), "{} {:?} {}", pattern, path, request);
            }
        }
    }

    #[test]
    fn a_pattern_is_compared_with_paths() {
        let path = |kind, text| Path::new(kind, Some(text));
        let glob = |pattern| Glob::new(pattern).expect("a short pattern");
        let (prefix, exact) = (path(PathType::Prefix, "/cart"), path(PathType::Exact, "/cart"));
        for pattern in ["/?*", "/*a*", "/*", "*"] {
            assert!(glob(pattern).covers(&prefix) && glob(pattern).covers(&exact), "{pattern}");
        }
        assert!(glob("/c?rt").overlaps(&prefix) && !glob("/c?rt").covers(&prefix) && glob("/c?rt").covers(&exact));
        assert!(glob("/*/x").overlaps(&prefix) && !glob("/*/x").overlaps(&exact));
        assert!(!glob("/s?op").overlaps(&prefix) && Glob::new(&"a".repeat(128)).is_none());
    }
}
