//! The contest of the rules of one data plane: who takes the request first, and what each other one says.

use super::answer::Loser;
use super::candidate::{Candidate, Entrant, width};
use super::request::Request;

/// How many rules about other hosts are told one by one; more of them are only counted.
const MOST_OTHERS: usize = 20;

/// Whether so many rules about other hosts are few enough to be told one by one.
pub(super) fn are_few(others: usize) -> bool {
    others <= MOST_OTHERS
}

/// How a contest ended.
pub(super) struct Outcome<'c, 'w> {
    /// Who answers.
    pub(super) winner: Option<Entrant<'c, 'w>>,
    /// Who does not: those that take the request, the next in line first, then the others in their order.
    pub(super) losers: Vec<Loser>,
}

/// Holds the contest.
pub(super) fn hold<'c, 'w>(entrants: Vec<Entrant<'c, 'w>>, request: &Request) -> Outcome<'c, 'w> {
    let (mut taking, mut missed) = (Vec::new(), Vec::new());
    for entrant in entrants {
        match entrant.rule.miss(request) {
            None => taking.push(entrant),
            Some(why) => missed.push((entrant, why)),
        }
    }
    taking.sort_by(|left, right| right.compare(left));
    let winner = taking.first().copied();
    let outranked = taking.iter().skip(1).filter_map(|entrant| Some(loser(entrant.rule, entrant.because(&winner?))));
    let missed = missed.into_iter().map(|(entrant, why)| {
        let is_narrower = winner.is_some_and(|winner| width(entrant.host) > width(winner.host));
        // By the API a rule that takes the request answers it. Proxies that look for the host first end here.
        let hint = if is_narrower { ", but its host is more specific: many proxies answer 404 here" } else { "" };
        loser(entrant.rule, format!("{why}{hint}"))
    });
    let losers = outranked.chain(missed).collect();
    Outcome { winner, losers }
}

/// The rule of a candidate that lost.
pub(super) fn loser(rule: &Candidate<'_>, because: String) -> Loser {
    Loser { object: rule.object.clone(), field: rule.field.into(), because }
}
