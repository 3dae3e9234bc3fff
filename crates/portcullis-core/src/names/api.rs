//! Identifiers in the API: groups, kinds, protocols, ports, and the keys of labels and annotations.

use super::dns::{LABEL, SUBDOMAIN, is_dashed, is_subdomain};

/// The maximum length of a listener's protocol in bytes.
const PROTOCOL: usize = 255;
/// The maximum length of a port name in bytes (IANA service name).
const PORT_NAME: usize = 15;

/// Whether `text` is an API group: empty for the core group, or a DNS-1123 subdomain.
pub fn is_group(text: &str) -> bool {
    text.is_empty() || is_subdomain(text)
}

/// Whether `text` is the name of a kind in references of the Gateway API: letters, digits and `-`, beginning with a
/// letter and not ending in `-`, at most 63 bytes.
pub fn is_kind(text: &str) -> bool {
    text.len() <= LABEL
        && text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.ends_with(|last: char| last.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Whether `text` is a listener's protocol: a word that may contain `-`, or a DNS-1123 subdomain, `/` and a word, at
/// most 255 bytes. (The schema intends the same, but its pattern is not anchored before the subdomain.)
pub fn is_protocol(text: &str) -> bool {
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_end = |end: Option<u8>| end.is_some_and(|byte| byte.is_ascii_alphanumeric());
    text.len() <= PROTOCOL
        && is_end(text.bytes().last())
        && match text.split_once('/') {
            Some((domain, word)) => is_subdomain(domain) && is_plain(word),
            None => is_end(text.bytes().next()) && text.split('-').all(is_plain),
        }
}

/// Whether `text` is a domain-prefixed path such as `example.com/ingress`: a DNS-1123 subdomain, `/`, and at least one
/// of the characters that the API server accepts in such a path. (They differ from RFC 3986: `@` is not allowed, and
/// `%` need not be followed by digits.)
pub fn is_domain_prefixed_path(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte);
    let Some((domain, path)) = text.split_once('/') else { return false };
    is_subdomain(domain) && !path.is_empty() && path.bytes().all(is_allowed)
}

/// Whether `text` is a domain-prefixed name such as `example.com/internal-CA`: a DNS-1123 subdomain, `/`, and at most
/// 63 bytes of letters, digits and `-_.` that begin and end with a letter or digit.
pub fn is_domain_prefixed_name(text: &str) -> bool {
    let is_end = |end: char| end.is_ascii_alphanumeric();
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let Some((domain, name)) = text.split_once('/') else { return false };
    let is_name = name.len() <= LABEL && name.starts_with(is_end) && name.ends_with(is_end);
    is_subdomain(domain) && is_name && name.bytes().all(is_allowed)
}

/// Whether `text` is the key of a label or annotation: a name, optionally preceded by a DNS-1123 subdomain and `/`.
pub fn is_label_key(text: &str) -> bool {
    match text.split_once('/') {
        Some((prefix, name)) => is_subdomain(prefix) && is_key_name(name),
        None => is_key_name(text),
    }
}

/// Whether `text` is the key of a label or annotation in `spec.infrastructure`, whose schema allows one character less
/// before the `/`.
pub fn is_infrastructure_key(text: &str) -> bool {
    is_label_key(text) && text.split_once('/').is_none_or(|(prefix, _)| prefix.len() < SUBDOMAIN)
}

/// Whether `text` is the value of a label: empty, or of the form of a key's name.
pub fn is_label_value(text: &str) -> bool {
    text.is_empty() || is_key_name(text)
}

/// Letters, digits, `-`, `_` and `.`, beginning and ending with a letter or digit, at most 63 bytes.
fn is_key_name(text: &str) -> bool {
    let is_end = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    text.len() <= LABEL
        && is_end(text.bytes().next())
        && is_end(text.bytes().last())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// Whether `text` is a port name: at most 15 bytes of `[a-z0-9-]` with at least one letter, without `--`, and without
/// `-` at either end.
pub fn is_port_name(text: &str) -> bool {
    text.len() <= PORT_NAME
        && is_dashed(text)
        && !text.contains("--")
        && text.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Whether `number` can be a port: 1 to 65535.
pub fn is_port(number: i64) -> bool {
    (1..=65_535).contains(&number)
}

/// Whether `text` consists of digits only.
pub fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether `text` can be a segment of a URL path: it is not `.` or `..` and contains neither `/` nor `%`.
pub fn is_path_segment(text: &str) -> bool {
    !matches!(text, "." | "..") && !text.contains(['/', '%'])
}
