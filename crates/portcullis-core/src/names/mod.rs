//! The forms of names that the Kubernetes API requires. These are its own rules, not those of DNS.

mod address;
mod annotation_key;
mod api;
mod dns;
mod glob;
mod http;
mod like;

pub use address::{is_ip, is_strict_ip};
pub use annotation_key::{as_compared, domain_of_key, ignores_case};
pub use api::{
    is_domain_prefixed_name, is_domain_prefixed_path, is_group, is_infrastructure_key, is_kind, is_label_key,
    is_label_value, is_number, is_path_segment, is_port, is_port_name, is_protocol,
};
pub use dns::{is_label, is_place, is_subdomain, is_subdomain_prefix, is_too_long, is_wildcard, strange};
pub use glob::glob;
pub use http::{is_absolute_uri, is_token, is_visible_words};
pub use like::{closest, similarity};

/// The name of an object that does not exist, to ask what would become of it. No existing object can have this name.
pub const HYPOTHETICAL_NAME: &str = "<new>";

#[cfg(test)]
mod tests {
    use super::*;

    /// Every text of up to four of these characters, which represent all classes of characters.
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

    /// The patterns of `k8s.io/apimachinery/pkg/util/validation`.
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
            assert_eq!(is_label_key(&text), qualified.is_match(&text), "{text}");
            assert_eq!(is_infrastructure_key(&text), qualified.is_match(&text), "{text}");
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
        let key = |length| format!("{}/b", "a".repeat(length));
        assert!(is_label_key(&key(253)) && !is_label_key(&key(254)) && !is_label_key("a/b/c"));
        assert!(is_infrastructure_key(&key(252)) && !is_infrastructure_key(&key(253)));
        let name = |length| format!("example.com/{}", "a".repeat(length));
        assert!(is_domain_prefixed_name(&name(63)) && !is_domain_prefixed_name(&name(64)));
        assert!(is_port_name("a23456789012345") && !is_port_name("a234567890123456"));
        assert!(is_port_name("http-2") && !is_port_name("80") && !is_port_name("a--b") && !is_port_name("-a"));
    }
}
