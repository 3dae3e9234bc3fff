//! The rules that answer requests, found by an example of every region of requests, and which of them have a test.

use std::collections::BTreeSet;

use super::RequestCase;
use crate::compare::Regions;
use crate::explain::{PlaneAnswer, Request, Scope, Snapshot};
use crate::field::FieldPath;
use crate::kinds::ObjectRef;

/// A rule: the object with its field.
pub type Rule = (ObjectRef, FieldPath);

/// Which rules answer a tested request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    /// The number of rules that answer a request.
    pub rules: usize,
    /// Those that answer no tested request.
    pub untested: Vec<Rule>,
    /// The classes of hosts whose requests cannot be told, each with the reason. Their rules are not counted.
    pub unknown: Vec<String>,
}

impl Coverage {
    /// How many of the rules in `snapshot` answer a request of `cases`.
    pub fn of(snapshot: &Snapshot<'_>, cases: &[RequestCase]) -> Self {
        let tested: BTreeSet<Rule> = cases.iter().flat_map(|case| case.rules(snapshot)).collect();
        let mut all = tested.clone();
        let unknown = each_answer(snapshot, &Scope::default(), |_, answer| {
            all.extend(answer.winner.map(|winner| (winner.object, winner.field)));
        });
        Self { rules: all.len(), untested: all.difference(&tested).cloned().collect(), unknown }
    }

    /// The number of rules with a test.
    pub fn tested(&self) -> usize {
        self.rules - self.untested.len()
    }
}

/// Calls `visit` with the answers of all data planes to examples of all requests that the objects tell apart. Returns the classes of hosts
/// for which they cannot be told, each with the reason.
pub(super) fn each_answer(
    snapshot: &Snapshot<'_>,
    scope: &Scope,
    mut visit: impl FnMut(&Request, PlaneAnswer),
) -> Vec<String> {
    let endpoints: Vec<(bool, u16)> = snapshot.endpoints(scope).into_iter().collect();
    let regions = Regions::new(&[(snapshot, scope)], &endpoints);
    let mut unknown = Vec::new();
    for (class, host) in regions.hosts() {
        match regions.of_host(&host) {
            Err(why) => unknown.push(format!("{class}: {why}")),
            Ok(regions) => {
                for request in regions.iter().flat_map(|region| &region.examples) {
                    let answers = snapshot.verifiable_answers(request, scope).into_iter();
                    answers.for_each(|answer| visit(request, answer));
                }
            }
        }
    }
    unknown
}
