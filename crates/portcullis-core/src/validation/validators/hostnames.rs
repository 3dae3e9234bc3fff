//! Validators of hostnames.

use super::{invalid, name_fault, too_long, when};
use crate::finding::{Invalid, Validity};
use crate::names;

/// The maximum number of characters in one label of a hostname.
const MAX_LABEL_CHARACTERS: usize = 63;

const LONG_LABEL: &str = "label `{}` is too long: a DNS label has at most 63 characters";

/// A hostname without labels that are too long; other faults are ignored.
pub fn have_short_labels(value: &str) -> Validity {
    let long = if value.len() > MAX_LABEL_CHARACTERS {
        value.split('.').find(|label| label.len() > MAX_LABEL_CHARACTERS)
    } else {
        None
    };
    let error = |label: &str| Err(Invalid { args: Some(vec![label.to_owned()]), ..too_long(LONG_LABEL) });
    long.map_or(Ok(()), error)
}

const INVALID_HOSTNAME: &str =
    "`{}` is not a valid hostname: use dot-separated labels of lower-case letters, digits and `-`";

/// Validates a hostname. The error shows the valid host of a URL, else what is wrong with the DNS name.
fn host(value: &str, is_valid: fn(&str) -> bool, template: &'static str) -> Validity {
    when(is_valid(value), || match host_of_url(value) {
        Some(host) if is_valid(host) => {
            let template = "`{}` must be a DNS name without scheme, port or path: use `{}`";
            Invalid { args: Some(vec![value.to_owned(), host.to_owned()]), ..invalid(template) }
        }
        _ => name_fault(value, template),
    })
}

/// What is in the place of the host in a text such as `https://shop.example.com/cart` or `shop.example.com:8080`, unless it is an IP
/// address.
fn host_of_url(value: &str) -> Option<&str> {
    let (is_url, rest) = value.split_once("://").map_or((false, value), |(_, rest)| (true, rest));
    let host = rest.split([':', '/']).next()?;
    let port = rest[host.len()..].strip_prefix(':').and_then(|after| after.split('/').next());
    let has_port = port.is_some_and(|port| port.parse::<u16>().is_ok());
    (!host.is_empty() && !names::is_ip(host) && (is_url || has_port)).then_some(host)
}

/// A hostname in lower case, without wildcard. Its labels may have any length: see [`have_short_labels`].
pub fn exact_hostname(value: &str) -> Validity {
    host(value, names::is_subdomain, INVALID_HOSTNAME)
}

/// As [`exact_hostname`], where a wildcard is a likely mistake.
pub fn hostname_without_wildcard(value: &str) -> Validity {
    when(!names::is_wildcard(value), || invalid("`{}` is a wildcard, which is not allowed here: use one hostname"))?;
    exact_hostname(value)
}

/// `*.` and a hostname in lower case.
pub fn wildcard_hostname(value: &str) -> Validity {
    when(names::is_wildcard(value), || {
        invalid("`{}` is not a valid wildcard: use `*.` and a hostname in lower case, such as *.example.com")
    })
}

/// A hostname in lower case, optionally preceded by `*.`.
pub fn exact_or_wildcard_hostname(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid hostname: use a DNS name, or `*.` and a DNS name";
    host(value, |value| names::is_subdomain(value) || names::is_wildcard(value), TEMPLATE)
}

/// A hostname that is not an IP address.
pub fn not_be_an_ip(value: &str) -> Validity {
    when(!names::is_ip(value), || invalid("`{}` is an IP address: use a hostname"))
}

/// A hostname in upper or lower case, without wildcard: dot-separated DNS labels. The empty value passes: see
/// [`be_set`](super::be_set).
pub fn hostname(value: &str) -> Validity {
    let lower = value.to_ascii_lowercase();
    if let Some(label) = lower.split('.').find(|label| label.len() > MAX_LABEL_CHARACTERS) {
        let args = Some(vec![label.to_owned()]);
        return Err(Invalid { args, ..invalid(LONG_LABEL) });
    }
    host(&lower, |value| value.is_empty() || names::is_subdomain(value), INVALID_HOSTNAME)
}

/// A hostname that is not a wildcard.
pub fn be_one_host(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is a wildcard; a root has exactly one hostname: create a root for each hostname";
    when(!value.contains('*'), || invalid(TEMPLATE))
}

/// A hostname, optionally preceded by `*.`. The empty value passes: see [`be_set`](super::be_set).
pub fn hostname_or_wildcard(value: &str) -> Validity {
    if value.is_empty() { Ok(()) } else { exact_or_wildcard_hostname(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_url_or_a_port_makes_a_host() {
        for text in ["https://a.example.com", "tcp://a.example.com:80/b", "a.example.com:8080", "a.example.com:80/b"] {
            assert_eq!(host_of_url(text), Some("a.example.com"), "{text}");
        }
        for text in ["a.example.com", "a.example.com/b", "a.example.com:http", "10:20::1", "10.0.0.1:80", "://"] {
            assert_eq!(host_of_url(text), None, "{text}");
        }
    }

    #[test]
    fn only_a_valid_host_is_suggested() {
        let suggested = |validity: Validity| validity.err().and_then(|invalid| invalid.args?.into_iter().nth(1));
        let wildcard = "https://*.example.com";
        assert_eq!(suggested(exact_or_wildcard_hostname(wildcard)).as_deref(), Some("*.example.com"));
        assert_eq!(
            suggested(exact_hostname(wildcard)).as_deref(),
            Some(":"),
            "the first character that is not allowed"
        );
    }
}
