//! What conditions of HTTPProxies ask for: in one canonical form, and which of them no request meets together.

use std::fmt;

use hashbrown::HashMap;

use crate::kinds::http_proxy::{HeaderCondition, MatchCondition};

/// Tests that no header meets together where they ask for the same value.
const CONTRADICTIONS: [(&str, &str); 3] =
    [("present", "notpresent"), ("contains", "notcontains"), ("exact", "notexact")];

/// One thing that is asked of a request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchKey<'c> {
    /// A path, with one slash for each run of them.
    Path(String),
    /// A header in lower case, a test and its value; whether case does not count, and whether a header that is missing is an empty one.
    Header(String, &'static str, &'c str, bool, bool),
    /// The same of a query parameter, whose name is taken as it is.
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

/// What conditions ask for together, in an order and a spelling of its own; nothing where every request will do.
pub fn canonical<'c>(conditions: impl IntoIterator<Item = &'c MatchCondition<'c>> + Clone) -> Vec<MatchKey<'c>> {
    let paths = conditions.clone().into_iter().flat_map(MatchCondition::paths).flat_map(|(_, path)| path.chars());
    let path = collapsed(paths);
    let mut asked = Vec::new();
    if !matches!(path.as_str(), "" | "/") {
        asked.push(MatchKey::Path(path));
    }
    for condition in conditions {
        // Contour takes the first that is asked of a header.
        let header = condition.header.as_ref().and_then(|own| Some((own, own.tests().next()?)));
        asked.extend(header.map(|(header, (test, value))| {
            let name = header.name.to_ascii_lowercase();
            MatchKey::Header(name, test, value, header.ignore_case, header.treat_missing_as_empty)
        }));
        let query = condition.query_parameter.as_ref().and_then(|own| Some((own, own.tests().next()?)));
        asked.extend(query.map(|(query, (test, value))| MatchKey::Query(&query.name, test, value, query.ignore_case)));
    }
    asked.sort_unstable();
    asked
}

/// A path with one slash for each run of them, as prefixes are joined.
pub fn collapsed(path: impl Iterator<Item = char>) -> String {
    let mut collapsed = String::new();
    for character in path {
        if character != '/' || !collapsed.ends_with('/') {
            collapsed.push(character);
        }
    }
    collapsed
}

/// What a condition asks of a header: of several tests Contour takes the first.
#[derive(Debug, Clone, Copy)]
pub struct HeaderAsked<'h> {
    /// The header, as written.
    pub name: &'h str,
    /// The field that names the test.
    pub test: &'static str,
    /// What it is held against; empty for mere presence.
    pub value: &'h str,
    /// Whether upper and lower case are one.
    pub ignores_case: bool,
}

impl<'h> HeaderAsked<'h> {
    /// What `header` asks; `None` where it asks nothing, and Contour takes no notice of it.
    pub fn of(header: &'h HeaderCondition<'_>) -> Option<Self> {
        let (test, value) = header.tests().next()?;
        Some(Self { name: &header.name, test, value, ignores_case: header.ignore_case })
    }

    /// The test with its value.
    pub fn words(&self) -> String {
        if self.value.is_empty() { self.test.to_owned() } else { format!("{} `{}`", self.test, self.value) }
    }

    /// What tells one condition of a header from another.
    pub fn canonical(&self) -> String {
        format!("{} {} {}", self.name.to_ascii_lowercase(), self.test, self.value)
    }

    /// What no request meets beside this, if there is such a test.
    fn opposite(&self) -> Option<Self> {
        let other = |(one, another): &(&'static str, &'static str)| match self.test {
            test if test == *one => Some(*another),
            test if test == *another => Some(*one),
            _ => None,
        };
        CONTRADICTIONS.iter().find_map(other).map(|test| Self { test, ..*self })
    }
}

/// The headers that conditions ask for together, each with who asks first.
#[derive(Debug)]
pub struct HeadersAsked<'h, By> {
    /// By name in lower case, test, value, and whether case does not count.
    tests: HashMap<(String, &'static str, &'h str, bool), By>,
    /// Exact values by name in lower case.
    exact: HashMap<String, (HeaderAsked<'h>, By)>,
}

/// What a condition does not go with.
#[derive(Debug, Clone, Copy)]
pub enum Clash<'h, By> {
    /// No request meets both.
    Contradiction(HeaderAsked<'h>, By),
    /// Both ask for an exact value of one header, which Contour refuses.
    SecondValue(HeaderAsked<'h>, By),
}

impl<'h, By: Copy> HeadersAsked<'h, By> {
    /// None yet.
    pub fn none() -> Self {
        Self { tests: HashMap::new(), exact: HashMap::new() }
    }

    /// Adds what one more condition asks.
    pub fn add(&mut self, asked: HeaderAsked<'h>, by: By) {
        let name = asked.name.to_ascii_lowercase();
        if asked.test == "exact" {
            self.exact.entry_ref(&name).or_insert((asked, by));
        }
        self.tests.entry((name, asked.test, asked.value, asked.ignores_case)).or_insert(by);
    }

    /// What does not go with a condition, if there is something.
    pub fn clash(&self, asked: HeaderAsked<'h>) -> Option<Clash<'h, By>> {
        let name = asked.name.to_ascii_lowercase();
        let first = self.exact.get(&name).filter(|_| asked.test == "exact");
        let against = asked.opposite().and_then(|other| {
            let by = self.tests.get(&(name, other.test, other.value, other.ignores_case))?;
            Some(Clash::Contradiction(other, *by))
        });
        against.or(first.map(|(first, by)| Clash::SecondValue(*first, *by)))
    }
}
