//! DNS-1123 labels and subdomains, which most names are.

/// The most bytes of a DNS-1123 subdomain.
pub(super) const SUBDOMAIN: usize = 253;
/// The most bytes of a DNS label.
pub(super) const LABEL: usize = 63;

/// Whether `text` is a DNS-1123 label: letters and digits in lower case and `-`, neither first nor last; at most 63 bytes.
pub fn is_label(text: &str) -> bool {
    text.len() <= LABEL && is_dashed(text)
}

/// Whether `text` is a DNS-1123 subdomain: dashed words separated by dots, at most 253 bytes. Its labels may be longer than 63 bytes: the
/// API server does not look.
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

/// Whether the API server can make a DNS-1123 subdomain of `text` by appending to it, as it does with `metadata.generateName`.
pub fn is_subdomain_prefix(text: &str) -> bool {
    is_subdomain(text.trim_end_matches('-'))
}

/// Whether `text` is `*.` and a DNS-1123 subdomain, at most 253 bytes in all.
pub fn is_wildcard(text: &str) -> bool {
    text.len() <= SUBDOMAIN && text.strip_prefix("*.").is_some_and(is_dotted)
}

/// Whether `text` is longer than any name of an object: more than 253 characters.
pub fn is_too_long(text: &str) -> bool {
    text.len() > SUBDOMAIN && text.chars().count() > SUBDOMAIN
}

/// The first character of `text` that no DNS name holds, in upper case or lower; `*` is none, since it has a meaning of its own.
pub fn strange(text: &str) -> Option<char> {
    text.chars().find(|character| !character.is_ascii_alphanumeric() && !"-.*".contains(*character))
}

/// Words as in [`is_dashed`] with a dot between each two, in one pass: a dot has a letter or digit on both sides, a `-` has anything but a
/// dot.
fn is_dotted(text: &str) -> bool {
    let (mut before, mut most) = (DOT, WORD);
    // Without an early end, since most names are well formed.
    for byte in text.bytes() {
        let weight = WEIGHTS[usize::from(byte)];
        most = most.max(before + weight);
        before = weight;
    }
    before == WORD && most <= BETWEEN_NEIGHBOURS
}

/// What a byte of a dotted name weighs; two neighbours weigh no more than [`BETWEEN_NEIGHBOURS`].
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

/// Lower-case letters, digits and `-`, with a letter or digit first and last.
pub(super) fn is_dashed(text: &str) -> bool {
    let (Some(first), Some(last)) = (text.bytes().next(), text.bytes().last()) else { return false };
    is_word(first) && is_word(last) && text.bytes().all(|byte| is_word(byte) || byte == b'-')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}
