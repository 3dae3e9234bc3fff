//! The contest of the rules of one data plane: who takes the request first, and what each other one says.

use super::answer::Loser;
use super::candidate::{Candidate, RankedCandidate, width};
use super::request::Request;

/// How many rules about other hosts are told one by one; more of them are only counted.
const MAX_OTHERS: usize = 20;

/// Whether so many rules about other hosts are few enough to be told one by one.
pub(super) fn are_few(others: usize) -> bool {
    others <= MAX_OTHERS
}

/// How a contest ended.
pub(super) struct Selection<'c, 'w> {
    /// Who answers.
    pub(super) winner: Option<RankedCandidate<'c, 'w>>,
    /// Who does not: those that take the request, the next in line first, then the others in their order.
    pub(super) losers: Vec<Loser>,
}

/// Holds the contest.
pub(super) fn select<'c, 'w>(entrants: Vec<RankedCandidate<'c, 'w>>, request: &Request) -> Selection<'c, 'w> {
    let (mut taking, mut missed) = (Vec::new(), Vec::new());
    for ranked_candidate in entrants {
        match ranked_candidate.rule.miss(request) {
            None => taking.push(ranked_candidate),
            Some(why) => missed.push((ranked_candidate, why)),
        }
    }
    taking.sort_by(|left, right| right.compare(left));
    let winner = taking.first().copied();
    let outranked = taking
        .iter()
        .skip(1)
        .filter_map(|ranked_candidate| Some(loser(ranked_candidate.rule, ranked_candidate.reason(&winner?))));
    let missed = missed.into_iter().map(|(ranked_candidate, why)| {
        let is_narrower = winner.is_some_and(|winner| width(ranked_candidate.host) > width(winner.host));
        // By the API a rule that takes the request answers it. Proxies that look for the host first end here.
        let hint = if is_narrower { ", but its host is more specific: many proxies answer 404 here" } else { "" };
        loser(ranked_candidate.rule, format!("{why}{hint}"))
    });
    let losers = outranked.chain(missed).collect();
    Selection { winner, losers }
}

/// The rule of a candidate that lost.
pub(super) fn loser(rule: &Candidate<'_>, reason: String) -> Loser {
    Loser { object: rule.object.clone(), field: rule.field.into(), reason }
}
