//! Validators: each returns what is wrong with one value, in the words of Kubernetes' own validation.
//!
//! A message says what the value must be. `{}` stands for the value, unless the validator gives other texts to show.

use std::net::IpAddr;

use crate::finding::{Cause, Invalid, Validity};
use crate::kinds::{Routability, duration, go_duration};
use crate::names;

const fn invalid(template: &'static str) -> Invalid {
    Invalid { cause: Cause::Invalid, template, args: None }
}

const fn missing(template: &'static str) -> Invalid {
    Invalid { cause: Cause::Required, template, args: None }
}

const fn too_long(template: &'static str) -> Invalid {
    Invalid { cause: Cause::TooLong, template, args: None }
}

const fn not_supported(template: &'static str) -> Invalid {
    Invalid { cause: Cause::NotSupported, template, args: None }
}

/// `Err(error)` unless `is_valid`.
fn when(is_valid: bool, error: impl FnOnce() -> Invalid) -> Validity {
    if is_valid { Ok(()) } else { Err(error()) }
}

/// The value must not be empty; `template` says what is required.
pub fn be_set(template: &'static str) -> impl Fn(&str) -> Validity {
    move |value| when(!value.trim().is_empty(), || missing(template))
}

/// The value must not be the empty text; `template` says what is required. Unlike with [`be_set`], white space is a value.
pub fn not_be_empty(template: &'static str) -> impl Fn(&str) -> Validity {
    move |value| when(!value.is_empty(), || missing(template))
}

/// A value that `is_valid` accepts; `template` says which those are.
pub fn be(is_valid: impl Fn(&str) -> bool, template: &'static str) -> impl Fn(&str) -> Validity {
    move |value| when(is_valid(value), || invalid(template))
}

/// At most this many bytes; `template` shows how many there are.
pub fn have_at_most_bytes(limit: usize, template: &'static str) -> impl Fn(&str) -> Validity {
    move |value| {
        when(value.len() <= limit, || Invalid { args: Some(vec![value.len().to_string()]), ..too_long(template) })
    }
}

/// At most this many characters.
pub fn have_at_most_characters(limit: usize, template: &'static str) -> impl Fn(&str) -> Validity {
    move |value| when(value.len() <= limit || value.chars().nth(limit).is_none(), || too_long(template))
}

/// The value must be there; `template` says what is required.
pub fn be_given<V>(template: &'static str) -> impl Fn(Option<V>) -> Validity {
    move |value| when(value.is_some(), || missing(template))
}

const STRANGE: &str = "`{}` must not contain `{}`: use lower-case letters, digits, `-` and `.`";

/// What is wrong with a name that `is_valid` rejects: the first character that no name of DNS has, then upper case,
/// then the length, else `template`.
fn dns_name(value: &str, is_valid: bool, template: &'static str) -> Validity {
    when(is_valid, || dns_fault(value, names::strange(value), STRANGE, template))
}

/// What is wrong with `value`, which is not valid. `strange` is its first character that must not occur, which `of_strange` reports.
fn dns_fault(value: &str, strange: Option<char>, of_strange: &'static str, template: &'static str) -> Invalid {
    match strange {
        Some(character) => Invalid { args: Some(vec![value.to_owned(), character.to_string()]), ..invalid(of_strange) },
        None if value.bytes().any(|byte| byte.is_ascii_uppercase()) => invalid("`{}` must be in lower case"),
        None if names::is_too_long(value) => invalid("`{}` is too long: a DNS name has at most 253 characters"),
        None => invalid(template),
    }
}

const NAME: &str = "`{}` is not a valid name: use lower-case letters, digits, `-` and `.`; each part between dots must start and end with a letter or digit";

/// A DNS-1123 label, as the names of Services and namespaces are. The empty value passes: see [`be_set`].
pub fn dns_label(value: &str) -> Validity {
    const TEMPLATE: &str =
        "`{}` is not a valid DNS label: use at most 63 lower-case letters, digits and `-`, with no `-` at either end";
    const NOT_IN_LABEL: &str = "`{}` must not contain `{}`: use lower-case letters, digits and `-`";
    let is_valid = value.is_empty() || names::is_label(value);
    when(is_valid, || dns_fault(value, names::strange(value), NOT_IN_LABEL, TEMPLATE))
}

/// The name of a namespace, which must not be empty.
pub fn namespace(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid namespace: use at most 63 lower-case letters, digits and `-`";
    const EMPTY: &str = "the namespace must not be empty; remove the field for the namespace of this object";
    when(names::is_label(value), || if value.is_empty() { missing(EMPTY) } else { invalid(TEMPLATE) })
}

/// An API group in a field that is left out for the core group, and so must not be empty.
pub fn named_api_group(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid API group: use a DNS name, or leave it out";
    when(names::is_subdomain(value), || invalid(TEMPLATE))
}

/// The name of an object, a DNS-1123 subdomain; unlike with [`dns_subdomain`] it must not be empty.
pub fn object_name(value: &str) -> Validity {
    dns_name(value, names::is_subdomain(value), NAME)
}

/// The start of a name that the API server completes. The empty value passes.
pub fn name_prefix(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid name prefix: use lower-case letters, digits, `-` and `.`";
    dns_name(value, value.is_empty() || names::is_subdomain_prefix(value), TEMPLATE)
}

/// A kind or a name that can be a segment of a URL. The empty value passes: see [`not_be_empty`].
pub fn path_segment(value: &str) -> Validity {
    when(value.is_empty() || names::is_path_segment(value), || {
        invalid("`{}` must not contain `/` or `%`, and must not be `.` or `..`")
    })
}

/// The name by which a controller knows its classes. The empty value passes: see [`not_be_empty`].
pub fn controller_name(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid controller: use a form such as example.com/name";
    when(value.is_empty() || names::is_domain_prefixed_path(value), || invalid(TEMPLATE))
}

/// `true` or `false`, of which anything else is treated as the second.
pub fn be_boolean(value: &str) -> Validity {
    when(matches!(value, "true" | "false"), || invalid("`{}` is treated as `false`: use `true` or `false`"))
}

/// A DNS-1123 subdomain, as the names of most objects are. The empty value passes: see [`be_set`].
pub fn dns_subdomain(value: &str) -> Validity {
    dns_name(value, value.is_empty() || names::is_subdomain(value), NAME)
}

/// `name` or `namespace/name` of an object. The empty value passes: see [`be_set`].
pub fn object_reference(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid reference: use `name` or `namespace/name`";
    let is_valid = value.is_empty() || names::is_place(value);
    // One `/` may occur.
    when(is_valid, || dns_fault(value, names::strange(&value.replace('/', "")), STRANGE, TEMPLATE))
}

/// An API group: a DNS-1123 subdomain, or empty for the core group.
pub fn api_group(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid API group: use a DNS name, or \"\" for the core group";
    dns_name(value, names::is_group(value), TEMPLATE)
}

/// The name of a kind.
pub fn kind(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid kind: use at most 63 letters, digits and `-`";
    when(names::is_kind(value), || if value.is_empty() { missing("a kind is required") } else { invalid(TEMPLATE) })
}

/// The most characters of the name of an object.
const NAME_LENGTH: usize = 253;

/// The name of the object of a reference, whose form depends on its kind.
pub fn reference_name(value: &str) -> Validity {
    match value {
        "" => Err(missing("the name of the object is required")),
        _ => have_characters(NAME_LENGTH)(value),
    }
}

/// The name of a section of an object: of a listener, a port or a rule.
pub fn section_name(value: &str) -> Validity {
    match value {
        "" => Err(missing("the section name must not be empty; remove the field for the whole object")),
        _ => dns_subdomain(value),
    }
}

/// What is wrong with the key of a label or annotation.
const LABEL_KEY: &str = "`{}` is not a valid key: use a name such as example.com/team";

/// The key of a label or annotation.
pub fn label_key(value: &str) -> Validity {
    when(names::is_label_key(value), || invalid(LABEL_KEY))
}

/// The key of a label or annotation as the schema of a Gateway takes it, which is one character stricter.
pub fn infrastructure_key(value: &str) -> Validity {
    when(names::is_infrastructure_key(value), || invalid(LABEL_KEY))
}

/// The key of an annotation of an object, which may be in any case.
pub fn annotation_key(value: &str) -> Validity {
    when(names::is_label_key(&value.to_lowercase()), || invalid(LABEL_KEY))
}

/// The operator of a requirement of a label selector.
pub fn selector_operator(value: &str) -> Validity {
    const TEMPLATE: &str = "operator `{}` is not supported: use In, NotIn, Exists or DoesNotExist";
    match value {
        "" => Err(missing("an operator is required: In, NotIn, Exists or DoesNotExist")),
        _ => one_of(&["In", "NotIn", "Exists", "DoesNotExist"], TEMPLATE)(value),
    }
}

/// The value of a label.
pub fn label_value(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid label value: use at most 63 letters, digits, `-`, `_` and `.`";
    when(names::is_label_value(value), || invalid(TEMPLATE))
}

/// The most characters of one label of a hostname.
const LABEL: usize = 63;

const LONG_LABEL: &str = "label `{}` is too long: a DNS label has at most 63 characters";

/// A hostname of which no label is too long, whatever else is wrong with it.
pub fn have_short_labels(value: &str) -> Validity {
    let long = if value.len() > LABEL { value.split('.').find(|label| label.len() > LABEL) } else { None };
    let error = |label: &str| Err(Invalid { args: Some(vec![label.to_owned()]), ..too_long(LONG_LABEL) });
    long.map_or(Ok(()), error)
}

const HOSTNAME: &str = "`{}` is not a valid hostname: use dot-separated labels of lower-case letters, digits and `-`";

/// A hostname in lower case, without wildcard. Its labels may have any length: see [`have_short_labels`].
pub fn exact_hostname(value: &str) -> Validity {
    dns_name(value, names::is_subdomain(value), HOSTNAME)
}

/// `*.` and a hostname in lower case.
pub fn wildcard_hostname(value: &str) -> Validity {
    when(names::is_wildcard(value), || {
        invalid("`{}` is not a valid wildcard: use `*.` and a hostname in lower case, such as *.example.com")
    })
}

/// A hostname in lower case, or `*.` and one.
pub fn exact_or_wildcard_hostname(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid hostname: use a DNS name, or `*.` and a DNS name";
    dns_name(value, names::is_subdomain(value) || names::is_wildcard(value), TEMPLATE)
}

/// A hostname that is not an IP address.
pub fn not_be_an_ip(value: &str) -> Validity {
    when(!names::is_ip(value), || invalid("`{}` is an IP address: use a hostname"))
}

/// A hostname in any case, without wildcard: dot-separated DNS labels. The empty value passes: see [`be_set`].
pub fn hostname(value: &str) -> Validity {
    let host = value.to_ascii_lowercase();
    if let Some(label) = host.split('.').find(|label| label.len() > LABEL) {
        let args = Some(vec![label.to_owned()]);
        return Err(Invalid { args, ..invalid(LONG_LABEL) });
    }
    dns_name(&host, host.is_empty() || names::is_subdomain(&host), HOSTNAME)
}

/// An IP address.
pub fn ip_address(value: &str) -> Validity {
    let is_valid = value.parse::<IpAddr>().is_ok();
    when(is_valid, || invalid("`{}` is not a valid IP address; use `type: Hostname` for a hostname"))
}

/// The type of an address of a Gateway.
pub fn address_type(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not supported: use IPAddress, Hostname, NamedAddress or a domain and path";
    let is_known = matches!(value, "IPAddress" | "Hostname" | "NamedAddress");
    when(is_known || names::is_domain_prefixed_path(value), || not_supported(TEMPLATE))
}

/// From where a Gateway is reachable (GEP-1651).
pub fn routability(value: &str) -> Validity {
    const TEMPLATE: &str =
        "`{}` is not supported: use Public, Private, Cluster or a domain-prefixed name such as example.com/internal";
    when(Routability::parse(value).is_some(), || not_supported(TEMPLATE))
}

/// A hostname that is not a wildcard.
pub fn be_one_host(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is a wildcard; a root has exactly one hostname: create a root for each hostname";
    when(!value.contains('*'), || invalid(TEMPLATE))
}

/// A hostname, or `*.` and one. The empty value passes: see [`be_set`].
pub fn hostname_or_wildcard(value: &str) -> Validity {
    if value.is_empty() { Ok(()) } else { exact_or_wildcard_hostname(value) }
}

/// A value that must not be there at all; `template` says why.
pub fn be_absent(template: &'static str) -> impl Fn(&str) -> Validity {
    move |_| Err(invalid(template))
}

/// The number of a port.
pub fn port_number(value: i64) -> Validity {
    when(names::is_port(value), || invalid("port {} is out of range: use a port between 1 and 65535"))
}

/// The name of a port of a Service.
pub fn port_name(value: &str) -> Validity {
    when(names::is_port_name(value), || match names::is_number(value) {
        true => invalid("port name `{}` is a number: use `number: {}`"),
        false => invalid("`{}` is not a valid port name: use at most 15 of `a-z`, `0-9` and single `-`, with a letter"),
    })
}

/// A TCP or UDP port; `template` says that one is required.
pub fn be_a_port(template: &'static str) -> impl Fn(Option<i64>) -> Validity {
    move |value| port_number(value.ok_or_else(|| missing(template))?)
}

/// A number that is not negative.
pub fn not_be_negative(value: i64) -> Validity {
    when(value >= 0, || invalid("{} must be greater than or equal to 0"))
}

/// The number of entries of a list or map must be at most `most`.
pub fn have_entries(most: usize) -> impl Fn(usize) -> Validity {
    move |count| {
        when(count <= most, || Invalid {
            args: Some(vec![most.to_string(), count.to_string()]),
            ..invalid("must have at most {} entries; it has {}")
        })
    }
}

/// The text must have at most `most` characters.
pub fn have_characters(most: usize) -> impl Fn(&str) -> Validity {
    move |value| {
        // No text has more characters than bytes, and bytes need not be counted.
        when(value.len() <= most || value.chars().nth(most).is_none(), || Invalid {
            args: Some(vec![most.to_string(), value.chars().count().to_string()]),
            ..too_long("must have at most {} characters; it has {}")
        })
    }
}

/// One of these values, or empty; `template` lists them.
pub fn one_of(values: &'static [&'static str], template: &'static str) -> impl Fn(&str) -> Validity {
    move |value| when(value.is_empty() || values.contains(&value), || not_supported(template))
}

/// One of these values; `template` lists them. The empty value fails: see [`one_of`].
pub fn be_one_of(values: &'static [&'static str], template: &'static str) -> impl Fn(&str) -> Validity {
    move |value| when(values.contains(&value), || Invalid { cause: Cause::NotSupported, ..invalid(template) })
}

/// A path, or the prefix of one, that starts with `/`. The empty value passes: see [`be_set`].
pub fn absolute_path(value: &str) -> Validity {
    when(value.is_empty() || value.starts_with('/'), || invalid("`{}` must start with `/`"))
}

/// The name of a header of HTTP.
pub fn header_name(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid header name: use letters, digits and characters such as `-` and `_`";
    when(names::is_token(value), || invalid(TEMPLATE))
}

/// The most characters of the name of a header that a route matches or sets.
const ROUTE_HEADER: usize = 256;

/// The name of a header that a route matches or sets, whose length the Gateway API limits.
pub fn route_header_name(value: &str) -> Validity {
    header_name(value)?;
    let template = "header `{}` is too long: at most 256 characters are allowed";
    have_at_most_characters(ROUTE_HEADER, template)(value)
}

/// A method of HTTP, in upper case.
pub fn http_method(value: &str) -> Validity {
    const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];
    be_one_of(METHODS, "method `{}` is not supported: use an HTTP method in upper case, such as GET")(value)
}

/// A URI with a scheme and an authority.
pub fn absolute_uri(value: &str) -> Validity {
    when(names::is_absolute_uri(value), || invalid("`{}` must start with a scheme, such as spiffe://"))
}

/// A text without white space and control characters.
pub fn have_no_white_space(value: &str) -> Validity {
    let is_blank = |character: char| character.is_control() || character.is_whitespace();
    when(!value.contains(is_blank), || invalid("`{}` must not contain white space or control characters"))
}

/// A duration as Go writes it, not negative. The empty value passes.
pub fn go_duration(value: &str) -> Validity {
    when(value.is_empty() || go_duration::is_time(value), || {
        invalid("`{}` is not a valid duration: use a number with a unit, such as 5s or 150ms")
    })
}

/// A duration as Go writes it, or `infinity`. The empty value passes.
pub fn go_duration_or_infinity(value: &str) -> Validity {
    when(matches!(value, "" | "infinity") || go_duration::is_time(value), || {
        invalid("`{}` is not a valid duration: use a number with a unit, such as 5s or 150ms, or infinity")
    })
}

/// A duration as the Gateway API writes it (GEP-2257).
pub fn gateway_duration(value: &str) -> Validity {
    when(duration::parse(value).is_some(), || {
        invalid("`{}` is not a valid duration: use up to four numbers with h, m, s or ms, such as 1m30s")
    })
}
