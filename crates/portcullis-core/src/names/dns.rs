//! DNS-1123 labels and subdomains, which are the form of most names.

/// The maximum length of a DNS-1123 subdomain in bytes.
pub(super) const SUBDOMAIN: usize = 253;
/// The maximum length of a DNS label in bytes.
pub(super) const LABEL: usize = 63;

/// Whether `text` is a DNS-1123 label: lower-case letters, digits and `-`, without `-` at either end, at most 63 bytes.
pub fn is_label(text: &str) -> bool {
    text.len() <= LABEL && is_dashed(text)
}

/// Whether `text` is a DNS-1123 subdomain: dashed words separated by dots, at most 253 bytes. Its labels may be longer
/// than 63 bytes, because the API server does not check their length.
pub fn is_subdomain(text: &str) -> bool {
    text.len() <= SUBDOMAIN && is_dotted(text)
}

/// Whether `text` is `name` or `namespace/name` of an object.
pub fn is_place(text: &str) -> bool {
    match text.split_once('/') {
        Some((namespace, name)) => is_label(namespace) && is_subdomain(name),
        None => is_subdomain(text),
    }
}

/// Whether the API server can generate a DNS-1123 subdomain by appending to `text`, as it does with
/// `metadata.generateName`.
pub fn is_subdomain_prefix(text: &str) -> bool {
    is_subdomain(text.trim_end_matches('-'))
}

/// Whether `text` is `*.` and a DNS-1123 subdomain, at most 253 bytes in total.
pub fn is_wildcard(text: &str) -> bool {
    text.len() <= SUBDOMAIN && text.strip_prefix("*.").is_some_and(is_dotted)
}

/// Whether `text` is longer than the name of any object: more than 253 characters.
pub fn is_too_long(text: &str) -> bool {
    text.len() > SUBDOMAIN && text.chars().count() > SUBDOMAIN
}

/// The first character of `text` that is not allowed in DNS names, whether in upper or lower case. `*` does not count,
/// because it marks wildcards.
pub fn strange(text: &str) -> Option<char> {
    text.chars().find(|character| !character.is_ascii_alphanumeric() && !"-.*".contains(*character))
}

/// Whether the text consists of words as in [`is_dashed`] separated by dots. This needs a single pass: a dot must have
/// a letter or digit on both sides, and a `-` must not be adjacent to a dot.
fn is_dotted(text: &str) -> bool {
    let (mut before, mut most) = (DOT, WORD);
    // No early exit, since most names are well formed.
    for byte in text.bytes() {
        let weight = WEIGHTS[usize::from(byte)];
        most = most.max(before + weight);
        before = weight;
    }
    before == WORD && most <= BETWEEN_NEIGHBOURS
}

/// The weight of a byte of a dotted name. Two adjacent bytes of a valid name weigh at most [`BETWEEN_NEIGHBOURS`].
static WEIGHTS: [u8; 256] = weights();
const WORD: u8 = 0;
const DASH: u8 = 1;
const DOT: u8 = 2;
const STRANGE: u8 = 3;
const BETWEEN_NEIGHBOURS: u8 = 2;

const fn weights() -> [u8; 256] {
    let mut weights = [STRANGE; 256];
    let mut byte = 0;
    while byte < weights.len() {
        weights[byte] = match byte as u8 {
            b'a'..=b'z' | b'0'..=b'9' => WORD,
            b'-' => DASH,
            b'.' => DOT,
            _ => STRANGE,
        };
        byte += 1;
    }
    weights
}

/// Lower-case letters, digits and `-`, beginning and ending with a letter or digit.
pub(super) fn is_dashed(text: &str) -> bool {
    let (Some(first), Some(last)) = (text.bytes().next(), text.bytes().last()) else { return false };
    is_word(first) && is_word(last) && text.bytes().all(|byte| is_word(byte) || byte == b'-')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}
