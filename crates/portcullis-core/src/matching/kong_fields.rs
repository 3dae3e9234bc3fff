//! The fields that annotations of Kong add to those of each rule of an Ingress: methods, headers and names of TLS.

use crate::kinds::Entries;

/// The methods that a request may have in Kong.
pub const METHODS: &str = "konghq.com/methods";
/// The beginning of the keys of headers that a request must have in Kong.
pub const HEADERS: &str = "konghq.com/headers.";
/// The names of TLS of which a connection must have one in Kong.
pub const SNIS: &str = "konghq.com/snis";
/// Hosts that Kong adds to each rule.
pub const ALIASES: &str = "konghq.com/host-aliases";
/// An object with settings, which older releases read.
const OVERRIDE: &str = "konghq.com/override";

/// How many fields the annotations of Kong add to those of each rule. An entry that only one of Kong's routers ignores makes the
/// number unknown, which is `None` (`overrideByAnnotation` in internal/dataplane/kongstate/route.go of its controller, `get_priority` in
/// kong/router/transform.lua of Kong).
pub fn added(annotations: &Entries<'_>) -> Option<usize> {
    let list = |key| annotations.get(key).map(|value| &**value).filter(|value| !value.is_empty());
    let are = |text: &str, is: fn(u8) -> bool| text.split(',').all(|one| !one.is_empty() && one.bytes().all(is));
    let header = |(key, value): (&str, &str)| {
        let name = key.strip_prefix(HEADERS).filter(|name| !name.is_empty() && !value.is_empty())?;
        Some(!name.eq_ignore_ascii_case("host"))
    };
    let tests = [
        // The controller removes spaces and writes upper case.
        list(METHODS).map(|text| {
            let is_method = |one: &str| !one.is_empty() && one.bytes().all(|letter| letter.is_ascii_alphabetic());
            text.split(',').map(str::trim).all(is_method)
        }),
        list(SNIS).map(|text| are(text, |letter| letter.is_ascii_alphanumeric() || b"-.".contains(&letter))),
        annotations.iter().filter_map(header).reduce(|all, is_read| all && is_read),
        list(OVERRIDE).map(|_| false),
    ];
    (!tests.contains(&Some(false))).then(|| tests.iter().flatten().count())
}

/// Whether TLS connections for the server name `name` meet the names that annotations of Kong require, if they require any.
pub fn allows_name(annotations: &Entries<'_>, name: &str) -> bool {
    let required = annotations.get(SNIS).filter(|names| !names.is_empty());
    required.is_none_or(|names| names.split(',').any(|own| own.trim_end_matches('.').eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_needs_one_of_the_names_of_kong() {
        let allows = |names: &'static str, name: &str| allows_name(&Entries(vec![(SNIS.into(), names.into())]), name);
        assert!(allows("", "a.b") && allows("c.d,A.b.", "a.b") && allows_name(&Entries::default(), "a.b"));
        assert!(!allows("c.d", "a.b") && !allows("a.b", ""));
    }
}
