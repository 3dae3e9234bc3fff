//! The conditions of rules on headers and query parameters, and the finite number of ways to satisfy some of them.

use std::collections::BTreeSet;

use super::candidate::Candidate;
use super::request::Request;
use crate::matching::predicate::{TextTest, ValueTest};

/// Names with values, as a client sends them.
pub(super) type Sent = Vec<(String, String)>;

/// Headers and query parameters to send, ordered by name. It contains no more than necessary, so that it does not
/// satisfy other conditions by accident.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RequestConstraint {
    pub(super) headers: Sent,
    pub(super) query: Sent,
}

impl RequestConstraint {
    /// Satisfies the conditions of a rule; `None` if no such values are known.
    fn of(rule: &Candidate<'_>) -> Option<Self> {
        let of_all = |tests: &[ValueTest<'_>]| {
            let pairs = tests.iter().map(of_test).collect::<Option<Vec<_>>>()?;
            Some(pairs.into_iter().flatten().collect::<Sent>())
        };
        Self::default().with(&Self { headers: of_all(&rule.headers)?, query: of_all(&rule.query)? })
    }

    /// Satisfies both constraints; `None` if they contradict each other.
    fn with(&self, other: &Self) -> Option<Self> {
        Some(Self { headers: joined(&self.headers, &other.headers)?, query: joined(&self.query, &other.query)? })
    }

    /// Every way to satisfy the conditions of some rules and not of the others, without duplicates.
    pub(super) fn all(rules: &[&Candidate<'_>]) -> BTreeSet<Self> {
        let mut all = BTreeSet::from([Self::default()]);
        for demand in rules.iter().copied().filter_map(Self::of) {
            let more: Vec<Self> = all.iter().filter_map(|known| known.with(&demand)).collect();
            all.extend(more);
        }
        all
    }

    /// The combined conditions that `request` satisfies, which is one of the elements of [`all`](Self::all).
    pub(super) fn met(rules: &[&Candidate<'_>], request: &Request) -> Self {
        let meets = |rule: &&&Candidate<'_>| {
            rule.headers.iter().all(|header| header.matches(&request.headers))
                && rule.query.iter().all(|parameter| parameter.matches(&request.query))
        };
        let met = rules.iter().filter(meets).filter_map(|rule| Self::of(rule));
        met.fold(Self::default(), |all, demand| all.with(&demand).unwrap_or(all))
    }
}

/// Whether the conditions of a rule can be enumerated, which is only possible for comparisons with whole texts.
pub(super) fn is_exact(rule: &Candidate<'_>) -> bool {
    let mut tests = rule.headers.iter().chain(&rule.query);
    tests.all(|test| matches!(test.test, TextTest::Is(_) | TextTest::Unknown(_)) && !test.is_negated)
}

/// A name and value that satisfy a test, or `Some(None)` if nothing must be sent; `None` if no such value is known.
fn of_test(test: &ValueTest<'_>) -> Option<Option<(String, String)>> {
    let value = match &test.test {
        _ if test.is_negated => OTHER.to_owned(),
        TextTest::Is(value) => (*value).to_owned(),
        TextTest::Matches(pattern) => pattern.specimen()?,
        TextTest::Has(part) => part.text.to_owned(),
        TextTest::Any => OTHER.to_owned(),
        TextTest::Absent => return Some(None),
        TextTest::Unknown(_) => return None,
    };
    let meets = test.test.matches(&value) != test.is_negated;
    meets.then(|| Some((test.name.to_string(), value)))
}

/// An arbitrary value, unlikely to be the one in a condition.
const OTHER: &str = "x";

fn joined(one: &Sent, other: &Sent) -> Option<Sent> {
    let mut all = one.clone();
    for (name, value) in other {
        match all.binary_search_by(|(own, _)| own.cmp(name)) {
            Ok(known) if all[known].1 == *value => {}
            Ok(_) => return None,
            Err(position) => all.insert(position, (name.clone(), value.clone())),
        }
    }
    Some(all)
}
