//! The conditions of HTTPProxies: their canonical form, and which of them contradict each other.

use std::fmt;

use hashbrown::HashMap;

use crate::kinds::http_proxy::{HeaderCondition, MatchCondition};

/// Tests that no header can meet at the same time if they have the same value.
const CONTRADICTIONS: [(&str, &str); 3] =
    [("present", "notpresent"), ("contains", "notcontains"), ("exact", "notexact")];

/// One condition on a request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchKey<'c> {
    /// A path in which each run of slashes is replaced by one.
    Path(String),
    /// A header in lower case, a test and its value; whether case is ignored, and whether a missing header is treated
    /// as empty.
    Header(String, &'static str, &'c str, bool, bool),
    /// A query parameter, whose name is case-sensitive, a test and its value; whether case is ignored.
    Query(&'c str, &'static str, &'c str, bool),
}

impl fmt::Display for MatchKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => f.write_str(path),
            Self::Header(name, test, value, ..) => write!(f, "header {name} {test} {value}"),
            Self::Query(name, test, value, _) => write!(f, "query {name} {test} {value}"),
        }
    }
}

/// The canonical form of conditions that must hold together, sorted; empty if they match every request.
pub fn canonical<'c>(conditions: impl IntoIterator<Item = &'c MatchCondition<'c>> + Clone) -> Vec<MatchKey<'c>> {
    let paths = conditions.clone().into_iter().flat_map(MatchCondition::paths).flat_map(|(_, path)| path.chars());
    let path = collapsed(paths);
    let mut keys = Vec::new();
    if !matches!(path.as_str(), "" | "/") {
        keys.push(MatchKey::Path(path));
    }
    for condition in conditions {
        // Contour uses the first test of a header condition.
        let header = condition.header.as_ref().and_then(|own| Some((own, own.tests().next()?)));
        keys.extend(header.map(|(header, (test, value))| {
            let name = header.name.to_ascii_lowercase();
            MatchKey::Header(name, test, value, header.ignore_case, header.treat_missing_as_empty)
        }));
        let query = condition.query_parameter.as_ref().and_then(|own| Some((own, own.tests().next()?)));
        keys.extend(query.map(|(query, (test, value))| MatchKey::Query(&query.name, test, value, query.ignore_case)));
    }
    keys.sort_unstable();
    keys
}

/// Replaces each run of slashes in a path by one, as Contour does when it joins prefixes.
pub fn collapsed(path: impl Iterator<Item = char>) -> String {
    let mut collapsed = String::new();
    for character in path {
        if character != '/' || !collapsed.ends_with('/') {
            collapsed.push(character);
        }
    }
    collapsed
}

/// A condition on a header. If a condition has several tests, Contour uses the first.
#[derive(Debug, Clone, Copy)]
pub struct HeaderTest<'h> {
    /// The header, as written.
    pub name: &'h str,
    /// The name of the test's field.
    pub test: &'static str,
    /// The value of the test; empty for tests of mere presence.
    pub value: &'h str,
    /// Whether case is ignored.
    pub ignores_case: bool,
}

impl<'h> HeaderTest<'h> {
    /// Returns the test of `header`; `None` if it has none, so that Contour ignores it.
    pub fn of(header: &'h HeaderCondition<'_>) -> Option<Self> {
        let (test, value) = header.tests().next()?;
        Some(Self { name: &header.name, test, value, ignores_case: header.ignore_case })
    }

    /// The test with its value.
    pub fn words(&self) -> String {
        if self.value.is_empty() { self.test.to_owned() } else { format!("{} `{}`", self.test, self.value) }
    }

    /// A key that identifies the condition of a header.
    pub fn canonical(&self) -> String {
        format!("{} {} {}", self.name.to_ascii_lowercase(), self.test, self.value)
    }

    /// The test that contradicts this one, if there is one.
    fn opposite(&self) -> Option<Self> {
        let other = |(one, another): &(&'static str, &'static str)| match self.test {
            test if test == *one => Some(*another),
            test if test == *another => Some(*one),
            _ => None,
        };
        CONTRADICTIONS.iter().find_map(other).map(|test| Self { test, ..*self })
    }
}

/// The header conditions that must hold together, each with its first source.
#[derive(Debug)]
pub struct HeaderTests<'h, By> {
    /// By name in lower case, test, value, and whether case is ignored.
    tests: HashMap<(String, &'static str, &'h str, bool), By>,
    /// Exact values by name in lower case.
    exact: HashMap<String, (HeaderTest<'h>, By)>,
}

/// A conflict with an earlier condition.
#[derive(Debug, Clone, Copy)]
pub enum HeaderConflict<'h, By> {
    /// No request can meet both conditions.
    Contradiction(HeaderTest<'h>, By),
    /// Both conditions require an exact value of the same header, which Contour rejects.
    SecondValue(HeaderTest<'h>, By),
}

impl<'h, By: Copy> HeaderTests<'h, By> {
    /// Returns an empty set of conditions.
    pub fn none() -> Self {
        Self { tests: HashMap::new(), exact: HashMap::new() }
    }

    /// Adds a condition.
    pub fn add(&mut self, condition: HeaderTest<'h>, by: By) {
        let name = condition.name.to_ascii_lowercase();
        if condition.test == "exact" {
            self.exact.entry_ref(&name).or_insert((condition, by));
        }
        self.tests.entry((name, condition.test, condition.value, condition.ignores_case)).or_insert(by);
    }

    /// The earlier condition that conflicts with this one, if any.
    pub fn conflict(&self, condition: HeaderTest<'h>) -> Option<HeaderConflict<'h, By>> {
        let name = condition.name.to_ascii_lowercase();
        let first = self.exact.get(&name).filter(|_| condition.test == "exact");
        let against = condition.opposite().and_then(|other| {
            let by = self.tests.get(&(name, other.test, other.value, other.ignores_case))?;
            Some(HeaderConflict::Contradiction(other, *by))
        });
        against.or(first.map(|(first, by)| HeaderConflict::SecondValue(*first, *by)))
    }
}
