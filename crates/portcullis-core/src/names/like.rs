//! Suggestions of similar names.

/// The word in `words` that is most similar to `word`, if any is similar enough.
///
/// ```
/// use portcullis_core::names::closest;
///
/// assert_eq!(closest("basline", ["baseline", "restricted"]), Some("baseline".to_owned()));
/// assert_eq!(closest("x", ["baseline", "restricted"]), None);
/// assert_eq!(closest("tls-missing", ["ingress/tls-missing", "route/rules-missing"]), Some("ingress/tls-missing".to_owned()));
/// assert_eq!(closest("gateway/does-not-exist", ["gateway/class-not-allowed"]), None);
/// ```
pub fn closest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<String> {
    // The words of one family have much in common that says nothing, and the family may be left out.
    let own = |text| str::rsplit(text, '/').next().unwrap_or_default();
    let compared = |candidate| if word.contains('/') { candidate } else { own(candidate) };
    let scored = words.into_iter().map(|candidate| (strsim::jaro_winkler(word, compared(candidate)), candidate));
    let best = scored.max_by(|(left, _), (right, _)| left.total_cmp(right))?;
    (best.0 > 0.75 && (!word.contains('/') || similarity(own(word), own(best.1)) >= 0.5)).then(|| best.1.to_owned())
}

/// The similarity of two words, from 0 to 1: the share of characters that need no edit. Unlike [`closest`], this gives
/// no extra weight to a common prefix.
pub fn similarity(one: &str, other: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(one, other)
}
