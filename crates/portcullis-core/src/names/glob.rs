//! Names with a wildcard at the end.

/// Whether `text` matches `pattern`, in which a trailing `*` matches any text.
pub fn glob(pattern: &str, text: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => text.starts_with(prefix),
        None => text == pattern,
    }
}
