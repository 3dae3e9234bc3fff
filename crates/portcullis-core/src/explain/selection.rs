//! Selects the rule of one data plane that answers a request, and collects the reasons why the others do not.

use super::answer::Loser;
use super::candidate::{Candidate, RankedCandidate, width};
use super::request::Request;
use super::route_resolver::Detail;
use crate::field::FieldPath;

/// The maximum number of rules for other hosts that are listed. If there are more, they are only counted.
const MAX_OTHERS: usize = 20;

/// Whether this number of rules for other hosts is small enough to list them.
pub(super) fn are_few(others: usize) -> bool {
    others <= MAX_OTHERS
}

/// The result of a selection.
pub(super) struct Selection<'c, 'w> {
    /// The rule that answers.
    pub(super) winner: Option<RankedCandidate<'c, 'w>>,
    /// The rules that do not: first those that match the request, by precedence, then the others in their order.
    pub(super) losers: Vec<Loser>,
}

/// Selects the candidate that answers `request`.
pub(super) fn select<'c, 'w>(
    entrants: Vec<RankedCandidate<'c, 'w>>,
    request: &Request,
    detail: Detail,
) -> Selection<'c, 'w> {
    let (mut taking, missing): (Vec<_>, Vec<_>) = entrants.into_iter().partition(|ranked| ranked.rule.matches(request));
    taking.sort_by(|left, right| right.compare(left));
    let winner = taking.first().copied();
    let outranked = taking
        .iter()
        .skip(1)
        .filter_map(|ranked_candidate| Some(loser(ranked_candidate.rule, ranked_candidate.reason(&winner?))));
    let missed = missing.into_iter().filter_map(|ranked_candidate| {
        let why = ranked_candidate.rule.mismatch(request)?;
        let is_narrower = winner.is_some_and(|winner| width(ranked_candidate.host) > width(winner.host));
        // According to the API, a rule that matches the request answers it. Proxies that select the host first answer
        // 404 here.
        let hint = if is_narrower { ", but its host is more specific: many proxies answer 404 here" } else { "" };
        Some(loser(ranked_candidate.rule, format!("{why}{hint}")))
    });
    let mut losers = detail.of(outranked.chain(missed));
    // A route may have two candidates.
    let own = winner.map(|winner| (winner.rule.object, FieldPath::from(winner.rule.field)));
    losers.dedup_by(|one, other| one.object == other.object && one.field == other.field);
    losers.retain(|loser| own.as_ref().is_none_or(|(object, field)| loser.object != **object || loser.field != *field));
    Selection { winner, losers }
}

/// A losing candidate with the reason.
pub(super) fn loser(rule: &Candidate<'_>, reason: String) -> Loser {
    Loser { object: rule.object.clone(), field: rule.field.into(), reason, is_elsewhere: false }
}
