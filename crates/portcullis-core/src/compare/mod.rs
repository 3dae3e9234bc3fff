//! Which requests two sets of objects answer differently: before and after a change, or two data planes of a migration.
//!
//! Objects tell only a finite number of regions of requests apart. For each class of hosts (`hosts`), of paths (`paths`), and of methods,
//! headers and parameters (`variants`), both sides are asked by [`explain`](crate::explain) for examples, and their answers are compared
//! (`changes`). Without regular expressions the regions are exact; with them, one automaton for all expressions of a host finds every
//! combination. What cannot be compared is named, and never the same.

pub mod accepted;
mod answer;
mod asked;
mod automaton;
mod backend_headers;
mod change;
mod changes;
mod concerned;
mod doubts;
mod forwarded;
mod hosts;
mod paths;
mod protection;
mod regions;
mod remainder;
mod results;
mod roles;
mod side;
mod spellings;
mod values;
mod variants;
mod written;

use std::collections::{BTreeMap, BTreeSet};

pub use change::{Change, ChangeKind, Verdict};
pub use hosts::HostClass;
pub(crate) use hosts::example_of;
pub(crate) use regions::{Distinctions, RegionKey};
pub use regions::{Region, Regions};
pub use results::{Difference, Examples, HostResult, Kept, Overall, Spelling};
pub use side::Side;
pub use written::{ParsedObjects, UnevaluatedObject, Written};

use answer::{Answer, winner};
use concerned::Concerned;
use regions::HostRegions;

use crate::explain::{AnsweringPlane, Explanation, PlaneAnswer, Request};
use crate::field::FieldPath;
use crate::kinds::ObjectRef;

/// Which data planes of the two sides are compared with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Each with that of the same name, as before and after a change.
    ByName,
    /// All of one side with all of the other, as in a migration.
    All,
}

/// Compares the answers to all requests at `endpoints`, each with whether it is over TLS and its port. Hosts that lose protection come first.
pub fn compare(
    before: Side<'_, '_>,
    after: Side<'_, '_>,
    pairing: Pairing,
    endpoints: &[(bool, u16)],
    kept: Kept,
) -> Vec<HostResult> {
    let concerned = Concerned::of([before, after], pairing);
    let regions = Regions::new(&[before, after].map(|side| (side.snapshot, side.scope)), endpoints);
    let removed = [before.written.without(after.written), after.written.without(before.written)];
    let may_concern_gateways = pairing == Pairing::All || before.written.differs_for_gateways(after.written);
    let of_host = |(class, host): (HostClass, String)| {
        if !concerned.has(&host) {
            let all = Some(()).filter(|()| kept.requests).map(|()| regions.of_host(&host).unwrap_or_default());
            let example = |region: Region| region.examples.into_iter().next();
            return HostResult::unchanged(class, all.into_iter().flatten().filter_map(example).collect());
        }
        let mut same: Vec<Request> = Vec::new();
        let mut result = HostResult { is_unchanged: false, ..HostResult::unchanged(class, Vec::new()) };
        let mut grouped: BTreeMap<Key, usize> = BTreeMap::new();
        let HostRegions { regions, doubts, doubted } = regions.examine(&host);
        match regions {
            Err(why) => result.not_compared.push(why),
            Ok(regions) => regions.iter().for_each(|region| {
                let found = of_region([before, after], &removed, pairing, region, &mut result.not_expressed);
                if found.is_empty() {
                    same.extend(region.examples.first().cloned());
                }
                for difference in found {
                    let key = key(&difference);
                    match grouped.get(&key) {
                        Some(index) => result.differences[*index].requests.extend(difference.requests),
                        None => {
                            grouped.insert(key, result.differences.len());
                            result.differences.push(difference);
                        }
                    }
                }
            }),
        }
        // One controller normalizes paths in one way, before and after a change.
        if pairing == Pairing::All {
            result.spellings = of_spellings([before, after], &removed, &same);
        }
        // Before and after a change, a controller does the same with the same path of the same object.
        let cancel = || !doubts[0].is_disjoint(&doubts[1]) && !before.written.changes(after.written, &result.host);
        let own_doubts = doubts[0].clone();
        let doubts: BTreeSet<String> = match pairing {
            Pairing::ByName if cancel() => doubts[0].symmetric_difference(&doubts[1]).cloned().collect(),
            Pairing::All | Pairing::ByName => doubts[0].union(&doubts[1]).cloned().collect(),
        };
        if let Some(why) = doubts.first() {
            let about_rules = result.differences.iter_mut().filter(|difference| difference.is_about_rules());
            about_rules.for_each(|difference| {
                let certain = Some(&doubted).filter(|_| pairing == Pairing::All && doubts.is_subset(&own_doubts));
                match certain.and_then(|doubted| doubts::shown(difference, doubted, after)) {
                    Some(text) => difference.add(Change { kind: ChangeKind::Rewrite, text }),
                    None => difference.verdict = Verdict::Unknown(vec![why.clone()]),
                }
            });
        }
        result.not_compared.extend(doubts);
        let undecided = [before, after].into_iter().filter(|_| may_concern_gateways);
        result.not_compared.extend(undecided.flat_map(|side| side.undecided(&host)).collect::<BTreeSet<_>>());
        result.differences.sort_by_key(|difference| match &difference.verdict {
            Verdict::Different(changes) => (0, changes.first().map(|change| change.kind)),
            Verdict::Unknown(_) | Verdict::Same => (1, None),
        });
        result.same = same.into();
        result.keep(kept);
        result
    };
    let mut results: Vec<HostResult> = regions.hosts().into_iter().map(of_host).collect();
    results.sort_by_key(|result| !result.loses_protection());
    results
}

/// What differs and may be served for hosts that are not known, each as text: the parts of an HTTPProxy or IngressRoute that is elsewhere.
pub fn unplaced_changes(before: Side<'_, '_>, after: Side<'_, '_>) -> BTreeSet<String> {
    let differing: BTreeSet<&ObjectRef> = before.written.differing(after.written).collect();
    let sides = [before, after].into_iter().filter(|side| !side.written.is_complete);
    let orphans = sides.flat_map(|side| side.snapshot.orphans()).filter(|object| differing.contains(object));
    orphans.map(|object| format!("{object} differs, and what leads to it is not in the files")).collect()
}

/// What makes two differences alike: the data plane, the rules that answer, and what differs.
type Key = (Option<String>, [Option<(ObjectRef, FieldPath)>; 2], Vec<ChangeKind>, String);

fn key(difference: &Difference) -> Key {
    let sides = [&difference.before, &difference.after];
    let plane = sides.iter().find_map(|side| side.winner.as_ref()).map(|(plane, _)| plane.name.clone());
    let rules = sides.map(|side| winner(side).map(|winner| (winner.object.clone(), winner.field.clone())));
    let (kinds, why) = match &difference.verdict {
        Verdict::Different(changes) => {
            // Texts with paths differ from region to region. Other backends may get more requests in one region, and fewer in another.
            let has_path = |kind| {
                matches!(kind, ChangeKind::Reply | ChangeKind::Rewrite | ChangeKind::Unanswered | ChangeKind::Answered)
            };
            let is_named = |change: &&Change| !has_path(change.kind);
            let named: Vec<&str> = changes.iter().filter(is_named).map(|change| change.text.as_str()).collect();
            (changes.iter().map(|change| change.kind).collect(), named.join("; "))
        }
        Verdict::Unknown(why) => (Vec::new(), why.join("; ")),
        Verdict::Same => Default::default(),
    };
    (plane, rules, kinds, why)
}

/// What differs in a region: at most one difference for each pair of data planes, and one more for requests with a password where one is
/// asked for. `removed` are the objects that only one side has.
fn of_region(
    sides: [Side<'_, '_>; 2],
    removed: &[BTreeSet<&ObjectRef>; 2],
    pairing: Pairing,
    region: &Region,
    not_expressed: &mut BTreeSet<String>,
) -> Vec<Difference> {
    let (mut found, mut with_password) = (BTreeMap::new(), BTreeMap::new());
    for (index, request) in region.examples.iter().enumerate() {
        let (mut is_computed, mut asks) = (false, false);
        for (plane, difference) in of_request(sides, removed, pairing, request, not_expressed) {
            is_computed |= difference.is_computed();
            asks |= difference.asks_for_password();
            keep_worst(&mut found, plane, difference);
        }
        if asks {
            let headers = request.headers.iter().cloned().chain([PASSWORD.map(str::to_owned).into()]).collect();
            let request = Request { headers, ..request.clone() };
            for (plane, difference) in of_request(sides, removed, pairing, &request, not_expressed) {
                is_computed |= difference.is_computed();
                keep_worst(&mut with_password, plane, difference);
            }
        }
        // What no rule computes from the path or the query is alike for all examples.
        if index == 0 && !is_computed {
            break;
        }
    }
    for (plane, difference) in &mut with_password {
        if let Some(known) = found.get(plane) {
            difference.remove_kinds_of(known);
        }
    }
    found.into_values().chain(with_password.into_values()).filter(Difference::is_found).collect()
}

/// The header of a request with a name and a password.
const PASSWORD: [&str; 2] = ["authorization", "Basic dXNlcjpwYXNzd29yZA=="];

/// Keeps what is different rather than what is unknown, and the first of several.
fn keep_worst(found: &mut BTreeMap<String, Difference>, plane: String, difference: Difference) {
    let is_worse = match (&difference.verdict, found.get(&plane).map(|known| &known.verdict)) {
        (_, None | Some(Verdict::Same)) => true,
        (Verdict::Different(_), Some(Verdict::Unknown(_))) => true,
        (_, Some(Verdict::Different(_) | Verdict::Unknown(_))) => false,
    };
    if is_worse {
        found.insert(plane, difference);
    }
}

/// The answers to a request, by the name of the data planes that are compared.
fn of_request(
    sides: [Side<'_, '_>; 2],
    removed: &[BTreeSet<&ObjectRef>; 2],
    pairing: Pairing,
    request: &Request,
    not_expressed: &mut BTreeSet<String>,
) -> Vec<(String, Difference)> {
    let mut all = Vec::new();
    let answers = sides.map(|side| side.snapshot.answers(request, side.scope));
    for (plane, [(before, is_unverifiable), (after, is_unverifiable_after)]) in pairs(request, answers, pairing) {
        let is_unverifiable = [is_unverifiable, is_unverifiable_after];
        if leads_nowhere(sides, [&before, &after], request) {
            continue;
        }
        let is_left = pairing == Pairing::All && is_unverifiable[0] && after.winner.is_none();
        if is_left && !is_upgraded(sides[0], request) {
            not_expressed.insert("HTTPS, with a certificate that is not for the host".to_owned());
            continue;
        }
        let answers = [(0, &before), (1, &after)].map(|(side, answer)| Answer {
            explanation: answer,
            policies: sides[side].policies_of(answer),
            asked: sides[side].asked(answer),
            is_unverifiable: is_unverifiable[side],
            around: sides[side].around(answer),
            removed: sides[side].needed_of(&removed[side], answer),
        });
        let verdict = changes::verdict(&answers, pairing, request, not_expressed);
        all.push((
            plane,
            Difference { requests: vec![request.clone()].into(), before, after, verdict, accepted: None },
        ));
    }
    all
}

/// The other spellings of a path, the longest of these requests, that may be answered differently.
fn of_spellings(sides: [Side<'_, '_>; 2], removed: &[BTreeSet<&ObjectRef>; 2], same: &[Request]) -> Vec<Spelling> {
    let plain = same.iter().filter(|request| request.query.is_empty() && request.headers.is_empty());
    let Some(longest) = plain.max_by_key(|request| (request.path.len(), request.is_secure)) else { return Vec::new() };
    let differs = |(what, path): (&'static str, String)| {
        let region = Region { examples: vec![Request { path: path.clone(), ..longest.clone() }] };
        let found = of_region(sides, removed, Pairing::All, &region, &mut BTreeSet::new());
        found.first().map(|difference| Spelling { what, path, reasons: difference.reasons().join(", ") })
    };
    spellings::of(&longest.path).filter_map(differs).collect()
}

/// Whether nothing answers in the end: each side answers nothing at once, or redirects to HTTPS, where it answers nothing.
fn leads_nowhere(sides: [Side<'_, '_>; 2], answers: [&Explanation; 2], request: &Request) -> bool {
    let leads_nowhere = |(answer, side): (&Explanation, &Side<'_, '_>)| {
        let Some(location) = changes::upgrade(answer, request) else { return answer.winner.is_none() };
        let Ok(followed) = Request::parse(&request.method, location, &[], None, None) else { return false };
        let followed = Request { headers: request.headers.clone(), ..followed };
        side.snapshot.answers(&followed, side.scope).iter().all(|answer| answer.winner.is_none())
    };
    answers.into_iter().zip(&sides).all(leads_nowhere)
}

/// Whether a side redirects the same request without TLS to HTTPS.
fn is_upgraded(side: Side<'_, '_>, request: &Request) -> bool {
    let authority = request.host.clone();
    let plain = Request { is_secure: false, port: 80, authority, sni: None, ..request.clone() };
    let answers = side.snapshot.answers(&plain, side.scope).into_iter();
    let mut answers = answers.map(|answer| Explanation::of(plain.clone(), vec![answer], 0));
    answers.any(|answer| changes::upgrade(&answer, &plain).is_some())
}

/// An answer, and whether a client cannot verify the certificate.
type Verified = (Explanation, bool);

/// The answers that are compared, by the name of their data plane. Those with a certificate for the host come first.
fn pairs(request: &Request, answers: [Vec<PlaneAnswer>; 2], pairing: Pairing) -> BTreeMap<String, [Verified; 2]> {
    let of = |answers: Vec<PlaneAnswer>| {
        let (verifiable, others): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.is_verifiable);
        let is_unverifiable = verifiable.is_empty() && !others.is_empty();
        let answers = if is_unverifiable { others } else { verifiable };
        (Explanation::of(request.clone(), answers, 0), is_unverifiable)
    };
    if pairing == Pairing::All {
        return BTreeMap::from([(String::new(), answers.map(of))]);
    }
    let mut all: BTreeMap<String, [Vec<PlaneAnswer>; 2]> = BTreeMap::new();
    for (side, answer) in
        answers.into_iter().enumerate().flat_map(|(side, all)| all.into_iter().map(move |answer| (side, answer)))
    {
        all.entry(stable_name(&answer.plane)).or_default()[side].push(answer);
    }
    all.into_iter().map(|(plane, answers)| (plane, answers.map(of))).collect()
}

/// The name of a data plane, which does not depend on whether its class is known.
fn stable_name(plane: &AnsweringPlane) -> String {
    format!("{:?} {}", plane.api, plane.name.replace(" (not found)", ""))
}
