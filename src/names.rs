//! The forms of names that the Kubernetes API asks for; its own rules, not those of DNS.

use std::net::{IpAddr, Ipv6Addr};

/// The most bytes of a DNS-1123 subdomain.
const SUBDOMAIN: usize = 253;
/// The most bytes of a DNS label.
const LABEL: usize = 63;
/// The most bytes of a listener's protocol.
const PROTOCOL: usize = 255;
/// The most bytes of a port name (IANA service name).
const PORT_NAME: usize = 15;

/// Whether `text` is a DNS-1123 label: letters and digits in lower case and `-`, neither first nor last; at most 63 bytes.
pub fn is_label(text: &str) -> bool {
    text.len() <= LABEL && is_dashed(text)
}

/// Whether `text` is a DNS-1123 subdomain: dashed words separated by dots, at most 253 bytes. Its labels may be longer than 63 bytes: the
/// API server does not look.
pub fn is_subdomain(text: &str) -> bool {
    text.len() <= SUBDOMAIN && is_dotted(text)
}

/// The first character of `text` that no DNS name holds, in upper case or lower; `*` is none, since it has a meaning of its own.
pub fn strange(text: &str) -> Option<char> {
    text.chars().find(|character| !character.is_ascii_alphanumeric() && !"-.*".contains(*character))
}

/// Whether `text` is a number: digits and nothing else.
pub fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the API server can make a DNS-1123 subdomain of `text` by appending to it, as it does with `metadata.generateName`.
pub fn is_subdomain_prefix(text: &str) -> bool {
    is_subdomain(text.trim_end_matches('-'))
}

/// Whether `text` is `*.` and a DNS-1123 subdomain, at most 253 bytes in all.
pub fn is_wildcard(text: &str) -> bool {
    text.len() <= SUBDOMAIN && text.strip_prefix("*.").is_some_and(is_dotted)
}

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

/// Whether `text` can stand in a URL as one segment: not `.` or `..`, no `/` and no `%`.
pub fn is_path_segment(text: &str) -> bool {
    !matches!(text, "." | "..") && !text.contains(['/', '%'])
}

/// Whether `text` is a domain, `/` and a path, as in `example.com/ingress`: a DNS-1123 subdomain of one label or more, then at least one
/// of the characters that the API server takes in such a path (not quite those of RFC 3986: no `@`, and `%` alone will do).
pub fn is_domain_prefixed_path(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte);
    let Some((domain, path)) = text.split_once('/') else { return false };
    is_subdomain(domain) && !path.is_empty() && path.bytes().all(is_allowed)
}

/// Whether `text` is longer than any name of an object: more than 253 characters.
pub fn is_too_long(text: &str) -> bool {
    text.len() > SUBDOMAIN && text.chars().count() > SUBDOMAIN
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

/// Whether `text` is a URI that says by which scheme and begins an authority: `spiffe://example.com/shop`. No more is asked of it.
pub fn is_absolute_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    !scheme.is_empty() && !scheme.contains(['/', '?', '#']) && rest.starts_with("//")
}

/// Whether `text` is the key of a label or annotation: a name, with a DNS-1123 subdomain and `/` in front or without.
pub fn is_qualified_name(text: &str) -> bool {
    match text.split_once('/') {
        Some((prefix, name)) => prefix.len() < SUBDOMAIN && is_subdomain(prefix) && is_key_name(name),
        None => is_key_name(text),
    }
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

/// Whether `text` is a token of HTTP (RFC 9110, 5.6.2): what the name of a header may be.
pub fn is_token(text: &str) -> bool {
    // Without an early end, since most names are tokens.
    !text.is_empty() && text.bytes().fold(true, |token, byte| token & IN_TOKENS[usize::from(byte)])
}

/// The bytes of tokens.
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

/// Whether `text` is words of visible ASCII characters with one space or tab between each two.
pub fn is_visible_words(text: &str) -> bool {
    let is_word = |word: &[u8]| !word.is_empty() && word.iter().fold(true, |all, byte| all & byte.is_ascii_graphic());
    // Most values are one word.
    is_word(text.as_bytes()) || text.as_bytes().split(|byte| matches!(byte, b' ' | b'\t')).all(is_word)
}

/// Whether `text` is an IP address, also with leading zeros: what today's parsers refuse, some proxy still reads.
pub fn is_ip(text: &str) -> bool {
    is_sloppy_ipv4(text) || text.parse::<Ipv6Addr>().is_ok()
}

/// Whether `text` is an IP address that everybody reads alike: no leading zeros, and no IPv4 address in the clothes of IPv6.
pub fn is_strict_ip(text: &str) -> bool {
    match text.parse() {
        Ok(IpAddr::V4(_)) => true,
        Ok(IpAddr::V6(address)) => address.to_ipv4_mapped().is_none(),
        Err(_) => false,
    }
}

/// Four numbers up to 255 with dots between them; unlike the standard library's reader it takes any number of leading zeros.
fn is_sloppy_ipv4(text: &str) -> bool {
    let is_octet = |part: &str| {
        let significant = part.trim_start_matches('0');
        part.bytes().all(|byte| byte.is_ascii_digit())
            && !part.is_empty()
            && (significant.is_empty() || significant.parse::<u8>().is_ok())
    };
    // Most names are told by their first byte.
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.split('.').all(is_octet)
        && text.split('.').count() == 4
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
fn is_dashed(text: &str) -> bool {
    let (Some(first), Some(last)) = (text.bytes().next(), text.bytes().last()) else { return false };
    is_word(first) && is_word(last) && text.bytes().all(|byte| is_word(byte) || byte == b'-')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every text of up to four of these characters, which stand for all there are.
    fn short_texts() -> Vec<String> {
        let alphabet = ["a", "Z", "7", "-", ".", "*", "_", "/", "é"];
        let mut texts = vec![String::new()];
        let mut last = texts.clone();
        for _ in 0..4 {
            last = last.iter().flat_map(|text| alphabet.iter().map(move |next| format!("{text}{next}"))).collect();
            texts.extend(last.iter().cloned());
        }
        texts
    }

    /// The patterns of `k8s.io/apimachinery/pkg/util/validation`, as data.
    #[test]
    fn names_agree_with_the_patterns_that_the_api_documents() {
        let label = regex::Regex::new("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$").expect("a pattern");
        let subdomain = regex::Regex::new(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$");
        let subdomain = subdomain.expect("a pattern");
        let wildcard = regex::Regex::new(r"^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$");
        let wildcard = wildcard.expect("a pattern");
        let domain = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
        let kind = regex::Regex::new("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$").expect("a pattern");
        let domain_path = regex::Regex::new(&format!("^{domain}/[A-Za-z0-9/._~%!$&'()*+,;=:-]+$")).expect("a pattern");
        let name = r"([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]";
        let domain_name = regex::Regex::new(&format!("^{domain}/{name}$")).expect("a pattern");
        let qualified = regex::Regex::new(&format!("^({domain}/)?{name}$")).expect("a pattern");
        let value = regex::Regex::new(&format!("^({name})?$")).expect("a pattern");
        let word = "[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?";
        let protocol = regex::Regex::new(&format!("^({word}|{domain}/[A-Za-z0-9]+)$")).expect("a pattern");
        for text in short_texts() {
            assert_eq!(is_domain_prefixed_name(&text), domain_name.is_match(&text), "{text}");
            assert_eq!(is_qualified_name(&text), qualified.is_match(&text), "{text}");
            assert_eq!(is_label_value(&text), value.is_match(&text), "{text}");
            assert_eq!(is_protocol(&text), protocol.is_match(&text), "{text}");
            assert_eq!(is_label(&text), label.is_match(&text), "{text}");
            assert_eq!(is_subdomain(&text), subdomain.is_match(&text), "{text}");
            assert_eq!(is_kind(&text), kind.is_match(&text), "{text}");
            assert_eq!(is_group(&text), text.is_empty() || subdomain.is_match(&text), "{text}");
            assert_eq!(is_wildcard(&text), wildcard.is_match(&text), "{text}");
            assert_eq!(is_domain_prefixed_path(&text), domain_path.is_match(&text), "{text}");
        }
    }

    #[test]
    fn addresses_are_read_as_the_api_server_reads_them() {
        for address in
            ["10.0.0.1", "010.000.00.0001", "255.255.255.255", "::", "::1", "2001:db8::68", "::ffff:10.0.0.1"]
        {
            assert!(is_ip(address), "{address}");
        }
        for other in ["10.0.0", "10.0.0.0.1", "10.0.0.256", "10.0.0.", "10..0.1", "+1.0.0.1", "1.2.3.4:80", "[::1]", ""]
        {
            assert!(!is_ip(other) && !is_strict_ip(other), "{other}");
        }
        assert!(is_strict_ip("10.0.0.1") && is_strict_ip("2001:db8::68"));
        assert!(!is_strict_ip("010.0.0.1") && !is_strict_ip("::ffff:10.0.0.1") && !is_strict_ip("fe80::1%eth0"));
    }

    #[test]
    fn a_strange_character_is_one_that_upper_case_does_not_explain() {
        let found = ["shop", "Shop.", "*.shop", "a b", "Ä", "shop:80", "A_b:c"].map(strange);
        assert_eq!(found, [None, None, None, Some(' '), Some('Ä'), Some(':'), Some('_')]);
    }

    #[test]
    fn a_number_is_digits_only() {
        assert!(is_number("80") && is_number("0"));
        assert!(!is_number("") && !is_number("8o") && !is_number("-1") && !is_number("٣"));
    }

    #[test]
    fn a_prefix_is_judged_by_the_names_it_makes() {
        assert!(is_subdomain_prefix("shop-") && is_subdomain_prefix("shop") && is_subdomain_prefix("a--"));
        assert!(!is_subdomain_prefix("Shop-") && !is_subdomain_prefix("-") && !is_subdomain_prefix("shop."));
    }

    #[test]
    fn a_path_of_a_controller_is_not_quite_one_of_a_url() {
        assert!(is_domain_prefixed_path("example.com/a%!") && !is_domain_prefixed_path("example.com/@a"));
        assert!(!is_domain_prefixed_path(&format!("{}/a", "a".repeat(254))));
    }

    #[test]
    fn a_uri_says_its_scheme() {
        assert!(["spiffe://example.com/shop", "a://", "x-y://b?c"].into_iter().all(is_absolute_uri));
        assert!(
            !["example.com/shop", "://example.com", "a:b", "a/b://c", "a?b://c", ""].into_iter().any(is_absolute_uri)
        );
    }

    #[test]
    fn a_header_is_a_token_and_visible_words() {
        let words = regex::Regex::new("^[!-~]+([\\t ]?[!-~]+)*$").expect("a pattern");
        let token = regex::Regex::new(r"^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$").expect("a pattern");
        let ascii = (0..=255).map(|code| char::from(code).to_string());
        let spaced = ["a b", "a  b", " a", "a ", "a\tb", "a \tb", "a b c", "", "a\nb"].map(str::to_owned);
        for text in short_texts().into_iter().chain(ascii).chain(spaced) {
            assert_eq!(is_visible_words(&text), words.is_match(&text), "{text:?}");
            assert_eq!(is_token(&text), token.is_match(&text), "{text:?}");
        }
    }

    #[test]
    fn lengths_end_where_the_api_ends_them() {
        assert!(is_kind(&"a".repeat(63)) && !is_kind(&"a".repeat(64)));
        assert!(is_label(&"a".repeat(63)) && !is_label(&"a".repeat(64)));
        assert!(is_subdomain(&"a".repeat(253)) && !is_subdomain(&"a".repeat(254)));
        assert!(is_wildcard(&format!("*.{}", "a".repeat(251))) && !is_wildcard(&format!("*.{}", "a".repeat(252))));
        assert!(is_kind(&"a".repeat(63)) && !is_kind(&"a".repeat(64)));
        let name = |length| format!("example.com/{}", "a".repeat(length));
        assert!(is_domain_prefixed_name(&name(63)) && !is_domain_prefixed_name(&name(64)));
        assert!(is_port_name("a23456789012345") && !is_port_name("a234567890123456"));
        assert!(is_port_name("http-2") && !is_port_name("80") && !is_port_name("a--b") && !is_port_name("-a"));
    }
}
