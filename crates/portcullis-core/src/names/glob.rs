//! Names of which only the beginning is given.

/// Whether `text` is `pattern`, whose trailing `*` stands for anything.
pub fn glob(pattern: &str, text: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => text.starts_with(prefix),
        None => text == pattern,
    }
}
