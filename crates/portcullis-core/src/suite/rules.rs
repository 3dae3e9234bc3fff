//! The rules that answer requests, found by an example of every region of requests, and which of them have a test.

use std::collections::{BTreeMap, BTreeSet};

use super::requests::{RequestCase, Rule};
use crate::compare::{Distinctions, HostClass, RegionKey, Regions, example_of};
use crate::explain::{PlaneAnswer, Request, Scope, Snapshot};

/// Which rules answer a tested request, and which regions contain one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    /// The number of rules that answer a request.
    pub rules: usize,
    /// Those that answer no tested request.
    pub untested: Vec<Rule>,
    /// The number of regions that a rule answers, of the hosts for which there is a test.
    pub regions: usize,
    /// A request of each of these that contains no tested one.
    pub unvisited: Vec<Request>,
    /// The classes of hosts whose requests cannot be told, each with the reason. Their rules are not counted.
    pub unknown: Vec<String>,
}

impl Coverage {
    /// How many of the rules in `snapshot` answer a request of `cases`, and how many regions contain one.
    pub fn of(snapshot: &Snapshot<'_>, cases: &[RequestCase]) -> Self {
        let tested: BTreeSet<Rule> = cases.iter().flat_map(|case| case.rules(snapshot)).collect();
        let (every, endpoints) = (Scope::default(), endpoints(snapshot, &Scope::default()));
        let regions = Regions::new(&[(snapshot, &every)], &endpoints);
        let hosts: BTreeMap<HostClass, String> = regions.hosts().into_iter().collect();
        let mut visited: BTreeMap<&str, (Distinctions<'_>, BTreeSet<RegionKey>)> = BTreeMap::new();
        for (request, _) in cases.iter().filter_map(|case| case.question().ok()) {
            let Some(host) = example_of(&hosts, &request.host) else { continue };
            let (distinctions, keys) =
                visited.entry(host).or_insert_with(|| (regions.distinctions(host), BTreeSet::new()));
            keys.insert(distinctions.region_of(&request));
        }
        let (mut all, mut answered) = (tested.clone(), BTreeMap::new());
        let unknown = each_answer(snapshot, &every, |request, answer| {
            let Some(winner) = answer.winner else { return };
            all.insert((winner.object, winner.field));
            if let Some((distinctions, keys)) = visited.get(request.host.as_str()) {
                let key = distinctions.region_of(request);
                let is_visited = keys.contains(&key);
                answered.entry((request.host.clone(), key)).or_insert_with(|| (request.clone(), is_visited));
            }
        });
        let (regions, unvisited) = (answered.len(), answered.into_values().filter(|(_, is_visited)| !is_visited));
        let unvisited = unvisited.map(|(request, _)| request).collect();
        Self { rules: all.len(), untested: all.difference(&tested).cloned().collect(), regions, unvisited, unknown }
    }

    /// The number of rules with a test.
    pub fn tested(&self) -> usize {
        self.rules - self.untested.len()
    }
}

/// The ports that are asked.
fn endpoints(snapshot: &Snapshot<'_>, scope: &Scope) -> Vec<(bool, u16)> {
    snapshot.endpoints(scope).into_iter().collect()
}

/// Calls `visit` with the answers of all data planes to examples of all requests that the objects tell apart. Returns the classes of hosts
/// for which they cannot be told, each with the reason.
pub(super) fn each_answer(
    snapshot: &Snapshot<'_>,
    scope: &Scope,
    mut visit: impl FnMut(&Request, PlaneAnswer),
) -> Vec<String> {
    let regions = Regions::new(&[(snapshot, scope)], &endpoints(snapshot, scope));
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
