//! Suggestions of similar names.

/// The word in `words` that is most similar to `word`, if any is similar enough.
///
/// ```
/// use portcullis_core::names::closest;
///
/// assert_eq!(closest("basline", ["baseline", "restricted"]), Some("baseline".to_owned()));
/// assert_eq!(closest("x", ["baseline", "restricted"]), None);
/// ```
pub fn closest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<String> {
    let scored = words.into_iter().map(|candidate| (strsim::jaro_winkler(word, candidate), candidate));
    let best = scored.max_by(|(left, _), (right, _)| left.total_cmp(right))?;
    (best.0 > 0.75).then(|| best.1.to_owned())
}

/// The similarity of two words, from 0 to 1: the share of characters that need no edit. Unlike [`closest`], this gives
/// no extra weight to a common prefix.
pub fn similarity(one: &str, other: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(one, other)
}
