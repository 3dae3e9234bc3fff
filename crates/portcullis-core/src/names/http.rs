//! Syntax of HTTP and URIs.

/// Whether `text` is an HTTP token (RFC 9110, 5.6.2), such as the name of a header.
pub fn is_token(text: &str) -> bool {
    // No early exit, since most names are tokens.
    !text.is_empty() && text.bytes().fold(true, |token, byte| token & IN_TOKENS[usize::from(byte)])
}

/// The bytes that tokens may contain.
static IN_TOKENS: [bool; 256] = in_tokens();

const fn in_tokens() -> [bool; 256] {
    let (mut held, mut byte) = ([false; 256], 0);
    while byte < held.len() {
        held[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let marks = b"!#$%&'*+-.^_`|~";
    let mut index = 0;
    while index < marks.len() {
        held[marks[index] as usize] = true;
        index += 1;
    }
    held
}

/// Whether `text` consists of words of visible ASCII characters, each separated from the next by one space or tab.
pub fn is_visible_words(text: &str) -> bool {
    let mut follows_word = false;
    for byte in text.bytes() {
        follows_word = match byte {
            b'!'..=b'~' => true,
            b' ' | b'\t' if follows_word => false,
            _ => return false,
        };
    }
    follows_word
}

/// Whether `text` is a URI with a scheme and the start of an authority, such as `spiffe://example.com/shop`. Nothing
/// else is checked.
pub fn is_absolute_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    !scheme.is_empty() && !scheme.contains(['/', '?', '#']) && rest.starts_with("//")
}
