//! Which name was likely meant.

/// The word of `words` that is most like `word`, if any is at all like it.
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

/// How similar two words are, from 0 to 1: the share of characters that need no edit. Unlike in [`closest`], a common start counts no more
/// than any other part.
pub fn similarity(one: &str, other: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(one, other)
}
