//! The annotation with which an author silences warnings, and the patterns for check ids in it and in the
//! configuration.

/// The annotation with which an author silences warnings. Its value is a comma-separated list of ids, `family/*` or
/// `*`.
pub const IGNORE_ANNOTATION: &str = "portcullis.dev/ignore";

/// How many patterns of the annotation are read.
const MAX_IGNORED: usize = 100;

/// The patterns in a value of the annotation.
pub fn ignored(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).take(MAX_IGNORED)
}

/// Whether `pattern` (an id, `family/*` or `*`) matches the check `id`.
pub fn names(pattern: &str, id: &str) -> bool {
    match pattern.strip_suffix("/*") {
        Some(family) => id.split_once('/').is_some_and(|(own, _)| own == family),
        None => pattern == "*" || pattern == id,
    }
}
