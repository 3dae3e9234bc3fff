//! What was likely meant by an id or a family that does not exist.

use super::Entry;
use crate::names::similarity;

/// How many ids are suggested at most.
const MOST: usize = 3;

/// How similar a word must be to count as misspelt.
const SIMILAR: f64 = 0.7;

/// How much it counts that an id is in the family that was likely meant.
const IN_FAMILY: f64 = 0.1;

/// What to say of an id that does not exist: the ids that were likely meant, or else where to look.
pub fn unknown_id(id: &str) -> String {
    if let (None, Some(family)) = (id.find('/'), likely_family(id)) {
        return format!("check `{id}` not found; did you mean the family `{family}`?");
    }
    let likely = likely(id);
    let likely: Vec<String> = likely.iter().map(|id| format!("`{id}`")).collect();
    match likely.split_last() {
        Some((last, [])) => format!("check `{id}` not found; did you mean {last}?"),
        Some((last, others)) => format!("check `{id}` not found; did you mean {} or {last}?", others.join(", ")),
        None => format!("check `{id}` not found; {}", hint(id)),
    }
}

/// What to say of a family that does not exist.
pub fn unknown_family(family: &str) -> String {
    let hint = likely_family(family)
        .map_or_else(|| format!("families are {}", families()), |likely| format!("did you mean `{likely}`?"));
    format!("family `{family}` not found; {hint}")
}

/// The ids that were likely meant, the best first. The two parts of an id are compared apart, since ids of one family begin alike and
/// would all look similar.
fn likely(id: &str) -> Vec<&'static str> {
    let (family, fault) = id.split_once('/').map_or((None, id), |(family, fault)| (Some(family), fault));
    let family = family.and_then(likely_family);
    let score = |entry: Entry| {
        let score = similarity(fault, entry.fault());
        let bonus = if family == Some(entry.family()) { IN_FAMILY } else { 0.0 };
        (score >= SIMILAR).then_some((score + bonus, entry.id()))
    };
    let mut scored: Vec<(f64, &str)> = Entry::all().filter_map(score).collect();
    scored.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    scored.into_iter().take_while(|(score, _)| best - score < IN_FAMILY).map(|(_, id)| id).take(MOST).collect()
}

/// The family that was likely meant.
fn likely_family(family: &str) -> Option<&'static str> {
    let scored = Entry::all().map(|entry| (similarity(family, entry.family()), entry.family()));
    let best = scored.max_by(|(left, _), (right, _)| left.total_cmp(right))?;
    (best.0 >= SIMILAR).then_some(best.1)
}

/// Where to look for a check of which no id is similar.
fn hint(id: &str) -> String {
    let (family, _) = id.split_once('/').unwrap_or((id, ""));
    match likely_family(family) {
        Some(family) => format!("see `portcullis checks list --family {family}`"),
        None => format!("search with `portcullis checks list TEXT`; families are {}", families()),
    }
}

fn families() -> String {
    let mut families: Vec<&str> = Entry::all().map(|entry| entry.family()).collect();
    families.sort_unstable();
    families.dedup();
    families.join(", ")
}
