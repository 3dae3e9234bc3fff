//! What stands for something in the API: groups, kinds, protocols, ports, and the keys of labels and annotations.

use super::dns::{LABEL, SUBDOMAIN, is_dashed, is_subdomain};

/// The most bytes of a listener's protocol.
const PROTOCOL: usize = 255;
/// The most bytes of a port name (IANA service name).
const PORT_NAME: usize = 15;

/// Whether `text` is an API group: empty for the core group, or a DNS-1123 subdomain.
pub fn is_group(text: &str) -> bool {
    text.is_empty() || is_subdomain(text)
}

/// Whether `text` is the name of a kind as the Gateway API writes references: a letter first, letters, digits and `-`, none of these last;
/// at most 63 bytes.
pub fn is_kind(text: &str) -> bool {
    text.len() <= LABEL
        && text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.ends_with(|last: char| last.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Whether `text` is a listener's protocol: a word with `-` inside, or a DNS-1123 subdomain, `/` and a word; at most 255 bytes. (The schema
/// means the same, but its pattern has no anchor in front of the subdomain.)
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

/// Whether `text` is a domain, `/` and a path, as in `example.com/ingress`: a DNS-1123 subdomain of one label or more, then at least one
/// of the characters that the API server takes in such a path (not quite those of RFC 3986: no `@`, and `%` alone will do).
pub fn is_domain_prefixed_path(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte);
    let Some((domain, path)) = text.split_once('/') else { return false };
    is_subdomain(domain) && !path.is_empty() && path.bytes().all(is_allowed)
}

/// Whether `text` is a domain, `/` and a name, as in `example.com/internal-CA`: a DNS-1123 subdomain, then at most 63 bytes of letters,
/// digits and `-_.` with a letter or digit first and last.
pub fn is_domain_prefixed_name(text: &str) -> bool {
    let is_end = |end: char| end.is_ascii_alphanumeric();
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let Some((domain, name)) = text.split_once('/') else { return false };
    let is_name = name.len() <= LABEL && name.starts_with(is_end) && name.ends_with(is_end);
    is_subdomain(domain) && is_name && name.bytes().all(is_allowed)
}

/// Whether `text` is the key of a label or annotation: a name, with a DNS-1123 subdomain and `/` in front or without.
pub fn is_label_key(text: &str) -> bool {
    match text.split_once('/') {
        Some((prefix, name)) => is_subdomain(prefix) && is_key_name(name),
        None => is_key_name(text),
    }
}

/// The same for the labels and annotations of `spec.infrastructure`, whose schema allows one character less before the `/`.
pub fn is_infrastructure_key(text: &str) -> bool {
    is_label_key(text) && text.split_once('/').is_none_or(|(prefix, _)| prefix.len() < SUBDOMAIN)
}

/// Whether `text` is the value of a label: empty, or formed as the name of a key is.
pub fn is_label_value(text: &str) -> bool {
    text.is_empty() || is_key_name(text)
}

/// Letters, digits, `-`, `_` and `.`, with a letter or digit first and last; at most 63 bytes.
fn is_key_name(text: &str) -> bool {
    let is_end = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    text.len() <= LABEL
        && is_end(text.bytes().next())
        && is_end(text.bytes().last())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// Whether `text` is a port name: at most 15 bytes of `[a-z0-9-]` with a letter, no `--`, no `-` first or last.
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

/// Whether `text` is a number: digits and nothing else.
pub fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether `text` can stand in a URL as one segment: not `.` or `..`, no `/` and no `%`.
pub fn is_path_segment(text: &str) -> bool {
    !matches!(text, "." | "..") && !text.contains(['/', '%'])
}
