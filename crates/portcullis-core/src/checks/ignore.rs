//! The annotation with which an author silences warnings, and the patterns that name checks in it and in the configuration.

/// The annotation by which an author silences warnings: ids, `family/*` or `*`, separated by commas.
pub const IGNORE_ANNOTATION: &str = "portcullis.dev/ignore";

/// How many patterns of that annotation are read.
const MAX_IGNORED: usize = 100;

/// The patterns of a value of that annotation.
pub fn ignored(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).take(MAX_IGNORED)
}

/// Whether `pattern` (an id, `family/*` or `*`) names the check `id`.
pub fn names(pattern: &str, id: &str) -> bool {
    match pattern.strip_suffix("/*") {
        Some(family) => id.split_once('/').is_some_and(|(own, _)| own == family),
        None => pattern == "*" || pattern == id,
    }
}
