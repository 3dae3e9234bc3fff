//! Suggests ids and families for ones that do not exist.

use super::CatalogEntry;
use crate::names::similarity;

/// The maximum number of suggested ids.
const MOST: usize = 3;

/// The minimum similarity of a word to count as a misspelling.
const SIMILAR: f64 = 0.7;

/// The bonus for ids in the family that was probably intended.
const IN_FAMILY: f64 = 0.1;

/// The error for an unknown id: suggests similar ids, or else where to search.
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

/// The error for an unknown family.
pub fn unknown_family(family: &str) -> String {
    let hint = likely_family(family)
        .map_or_else(|| format!("families are {}", families()), |likely| format!("did you mean `{likely}`?"));
    format!("family `{family}` not found; {hint}")
}

/// The ids that were probably intended, the best match first. The two parts of an id are compared separately, because
/// ids of one family share a prefix and would all look similar.
fn likely(id: &str) -> Vec<&'static str> {
    let (family, fault) = id.split_once('/').map_or((None, id), |(family, fault)| (Some(family), fault));
    let family = family.and_then(likely_family);
    let score = |entry: CatalogEntry| {
        let score = similarity(fault, entry.fault());
        let bonus = if family == Some(entry.family()) { IN_FAMILY } else { 0.0 };
        (score >= SIMILAR).then_some((score + bonus, entry.id()))
    };
    let mut scored: Vec<(f64, &str)> = CatalogEntry::all().filter_map(score).collect();
    scored.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    scored.into_iter().take_while(|(score, _)| best - score < IN_FAMILY).map(|(_, id)| id).take(MOST).collect()
}

/// The family that was probably intended.
fn likely_family(family: &str) -> Option<&'static str> {
    let scored = CatalogEntry::all().map(|entry| (similarity(family, entry.family()), entry.family()));
    let best = scored.max_by(|(left, _), (right, _)| left.total_cmp(right))?;
    (best.0 >= SIMILAR).then_some(best.1)
}

/// Where to search for a check if no id is similar.
fn hint(id: &str) -> String {
    let (family, _) = id.split_once('/').unwrap_or((id, ""));
    match likely_family(family) {
        Some(family) => format!("see `portcullis checks list --family {family}`"),
        None => format!("search with `portcullis checks list TEXT`; families are {}", families()),
    }
}

fn families() -> String {
    let mut families: Vec<&str> = CatalogEntry::all().map(|entry| entry.family()).collect();
    families.sort_unstable();
    families.dedup();
    families.join(", ")
}
