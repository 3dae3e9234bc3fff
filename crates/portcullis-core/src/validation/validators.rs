//! Validators: each returns what is wrong with one value, in the style of Kubernetes' own validation.
//!
//! A message says what the value must be. `{}` represents the value, unless the validator provides other arguments.

mod hostnames;

use std::net::IpAddr;

pub use hostnames::{
    be_one_host, exact_hostname, exact_or_wildcard_hostname, have_short_labels, hostname, hostname_or_wildcard,
    hostname_without_wildcard, not_be_an_ip, wildcard_hostname,
};

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

/// Returns `Err(error)` unless `is_valid`.
fn when(is_valid: bool, error: impl FnOnce() -> Invalid) -> Validity {
    if is_valid { Ok(()) } else { Err(error()) }
}

/// The value must not be blank; `template` says what is required.
pub fn be_set(template: &'static str) -> impl Fn(&str) -> Validity {
    move |value| when(!value.trim().is_empty(), || missing(template))
}

/// The value must not be the empty text; `template` says what is required. Unlike [`be_set`], this accepts white space.
pub fn not_be_empty(template: &'static str) -> impl Fn(&str) -> Validity {
    move |value| when(!value.is_empty(), || missing(template))
}

/// The value must satisfy `is_valid`; `template` says which values do.
pub fn be(is_valid: impl Fn(&str) -> bool, template: &'static str) -> impl Fn(&str) -> Validity {
    move |value| when(is_valid(value), || invalid(template))
}

/// The value must have at most this many bytes; `template` shows the actual number.
pub fn have_at_most_bytes(limit: usize, template: &'static str) -> impl Fn(&str) -> Validity {
    move |value| {
        when(value.len() <= limit, || Invalid { args: Some(vec![value.len().to_string()]), ..too_long(template) })
    }
}

/// The value must have at most this many characters.
pub fn have_at_most_characters(limit: usize, template: &'static str) -> impl Fn(&str) -> Validity {
    move |value| when(value.len() <= limit || value.chars().nth(limit).is_none(), || too_long(template))
}

/// The value must be present; `template` says what is required.
pub fn be_given<V>(template: &'static str) -> impl Fn(Option<V>) -> Validity {
    move |value| when(value.is_some(), || missing(template))
}

const INVALID_CHARACTER: &str = "`{}` must not contain `{}`: use lower-case letters, digits, `-` and `.`";

/// Validates a DNS name, given `is_valid`. The error shows the first character that is not allowed in any DNS name,
/// else upper-case letters, else the length, else `template`.
fn dns_name(value: &str, is_valid: bool, template: &'static str) -> Validity {
    when(is_valid, || name_fault(value, template))
}

/// Returns what is wrong with a DNS name that is not valid.
fn name_fault(value: &str, template: &'static str) -> Invalid {
    dns_fault(value, names::strange(value), INVALID_CHARACTER, template)
}

/// Returns what is wrong with `value`, which is not valid. `strange` is its first character that is not allowed, which
/// `of_strange` reports.
fn dns_fault(value: &str, strange: Option<char>, of_character: &'static str, template: &'static str) -> Invalid {
    match strange {
        Some(character) => {
            Invalid { args: Some(vec![value.to_owned(), character.to_string()]), ..invalid(of_character) }
        }
        None if value.bytes().any(|byte| byte.is_ascii_uppercase()) => invalid("`{}` must be in lower case"),
        None if names::is_too_long(value) => invalid("`{}` is too long: a DNS name has at most 253 characters"),
        None => invalid(template),
    }
}

const INVALID_NAME: &str =
    "`{}` is not a valid name: use dot-separated labels of lower-case letters, digits and inner `-`";

/// A DNS-1123 label, such as the name of a Service or namespace. The empty value passes: see [`be_set`].
pub fn dns_label(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid DNS label: use at most 63 lower-case letters, digits and inner `-`";
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

/// The name of a namespace that must be given.
pub fn namespace_name(value: &str) -> Validity {
    be_set("the name of a namespace is required")(value)?;
    dns_label(value)
}

/// An API group that must not be empty, because the field is omitted for the core group.
pub fn named_api_group(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid API group: use a DNS name, or leave it out";
    when(names::is_subdomain(value), || invalid(TEMPLATE))
}

/// The name of an object, a DNS-1123 subdomain. Unlike [`dns_subdomain`], this does not accept the empty value.
pub fn object_name(value: &str) -> Validity {
    dns_name(value, names::is_subdomain(value), INVALID_NAME)
}

/// The prefix from which the API server generates a name. The empty value passes.
pub fn name_prefix(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid name prefix: use lower-case letters, digits, `-` and `.`";
    dns_name(value, value.is_empty() || names::is_subdomain_prefix(value), TEMPLATE)
}

/// A kind or a name that can be a segment of a URL path. The empty value passes: see [`not_be_empty`].
pub fn path_segment(value: &str) -> Validity {
    when(value.is_empty() || names::is_path_segment(value), || {
        invalid("`{}` must not contain `/` or `%`, and must not be `.` or `..`")
    })
}

/// The name by which a controller identifies its classes. The empty value passes: see [`not_be_empty`].
pub fn controller_name(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid controller: use a form such as example.com/name";
    when(value.is_empty() || names::is_domain_prefixed_path(value), || invalid(TEMPLATE))
}

/// `true` or `false`. Controllers treat every other value as `false`.
pub fn be_boolean(value: &str) -> Validity {
    when(matches!(value, "true" | "false"), || invalid("`{}` is treated as `false`: use `true` or `false`"))
}

/// A DNS-1123 subdomain, such as the names of most objects. The empty value passes: see [`be_set`].
pub fn dns_subdomain(value: &str) -> Validity {
    dns_name(value, value.is_empty() || names::is_subdomain(value), INVALID_NAME)
}

/// `name` or `namespace/name` of an object. The empty value passes: see [`be_set`].
pub fn object_reference(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid reference: use `name` or `namespace/name`";
    let is_valid = value.is_empty() || names::is_place(value);
    // `/` is not reported as the invalid character, because one is allowed.
    when(is_valid, || dns_fault(value, names::strange(&value.replace('/', "")), INVALID_CHARACTER, TEMPLATE))
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

/// The maximum number of characters in the name of an object.
const MAX_NAME_CHARACTERS: usize = 253;

/// The name of a referenced object. Its exact form depends on its kind.
pub fn reference_name(value: &str) -> Validity {
    match value {
        "" => Err(missing("the name of the object is required")),
        _ => have_characters(MAX_NAME_CHARACTERS)(value),
    }
}

/// The name of a section of an object: a listener, a port or a rule.
pub fn section_name(value: &str) -> Validity {
    match value {
        "" => Err(missing("the section name must not be empty; remove the field for the whole object")),
        _ => dns_subdomain(value),
    }
}

/// The message for an invalid key of a label or annotation.
const LABEL_KEY: &str = "`{}` is not a valid key: use a name such as example.com/team";

/// The key of a label or annotation.
pub fn label_key(value: &str) -> Validity {
    when(names::is_label_key(value), || invalid(LABEL_KEY))
}

/// The key of a label or annotation in the infrastructure of a Gateway, whose schema is stricter by one character.
pub fn infrastructure_key(value: &str) -> Validity {
    when(names::is_infrastructure_key(value), || invalid(LABEL_KEY))
}

/// The key of an annotation of an object, in upper or lower case.
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

/// An IP address.
pub fn ip_address(value: &str) -> Validity {
    let is_valid = value.parse::<IpAddr>().is_ok();
    when(is_valid, || invalid("`{}` is not a valid IP address; use `type: Hostname` for a hostname"))
}

/// The group of `kind`, Secret or ConfigMap, whose group is the core group.
pub fn be_core_group_of(kind: &'static str) -> impl Fn(&str) -> Validity {
    move |group| {
        let args = Some(vec![group.to_owned(), kind.to_owned()]);
        let is_mistaken = group == "core" || !group.contains('.');
        let template = match is_mistaken {
            true => "group `{}` has no kind {}: use group \"\"",
            false => "only some controllers support group `{}` for a {} here; use group \"\"",
        };
        when(group.is_empty(), || Invalid { args: args.clone(), ..not_supported(template) })
    }
}

/// The type of an address of a Gateway.
pub fn address_type(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not supported: use IPAddress, Hostname, NamedAddress or a domain-prefixed type such as example.com/vip";
    let is_known = matches!(value, "IPAddress" | "Hostname" | "NamedAddress");
    when(is_known || names::is_domain_prefixed_path(value), || not_supported(TEMPLATE))
}

/// The routability of a Gateway: from where clients can reach it (GEP-1651).
pub fn routability(value: &str) -> Validity {
    const TEMPLATE: &str =
        "`{}` is not supported: use Public, Private, Cluster or a domain-prefixed name such as example.com/internal";
    when(Routability::parse(value).is_some(), || not_supported(TEMPLATE))
}

/// The value must be absent; `template` says why.
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

/// The number of a port, which must be present; `template` says that it is required.
pub fn be_a_port(template: &'static str) -> impl Fn(Option<i64>) -> Validity {
    move |value| port_number(value.ok_or_else(|| missing(template))?)
}

/// A number that is not negative.
pub fn not_be_negative(value: i64) -> Validity {
    when(value >= 0, || invalid("{} must be greater than or equal to 0"))
}

/// A list or map must have at most `most` entries.
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
        // A text never has more characters than bytes, and the number of bytes is known without counting.
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

/// One of these values; `template` lists them. The empty value fails, unlike with [`one_of`].
pub fn be_one_of(values: &'static [&'static str], template: &'static str) -> impl Fn(&str) -> Validity {
    move |value| when(values.contains(&value), || Invalid { cause: Cause::NotSupported, ..invalid(template) })
}

/// An absolute path or path prefix, which starts with `/`. The empty value passes: see [`be_set`].
pub fn absolute_path(value: &str) -> Validity {
    when(value.is_empty() || value.starts_with('/'), || invalid("`{}` must start with `/`"))
}

/// The name of an HTTP header.
pub fn header_name(value: &str) -> Validity {
    const TEMPLATE: &str = "`{}` is not a valid header name: use letters, digits and characters such as `-` and `_`";
    when(names::is_token(value), || invalid(TEMPLATE))
}

/// The maximum number of characters in the name of a header that a route matches or sets.
const MAX_ROUTE_HEADER_CHARACTERS: usize = 256;

/// The name of a header that a route matches or sets, whose length the Gateway API limits.
pub fn route_header_name(value: &str) -> Validity {
    header_name(value)?;
    let template = "header `{}` is too long: at most 256 characters are allowed";
    have_at_most_characters(MAX_ROUTE_HEADER_CHARACTERS, template)(value)
}

/// An HTTP method, in upper case.
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

/// A non-negative duration in Go syntax. The empty value passes.
pub fn go_duration(value: &str) -> Validity {
    when(value.is_empty() || go_duration::is_not_negative(value), || {
        invalid("`{}` is not a valid duration: use a number with a unit, such as 5s or 150ms")
    })
}

/// A duration in Go syntax, or `infinity`. The empty value passes.
pub fn go_duration_or_infinity(value: &str) -> Validity {
    when(matches!(value, "" | "infinity") || go_duration::is_not_negative(value), || {
        invalid("`{}` is not a valid duration: use a number with a unit, such as 5s or 150ms, or infinity")
    })
}

/// A duration in the syntax of the Gateway API (GEP-2257).
pub fn gateway_duration(value: &str) -> Validity {
    when(duration::parse(value).is_some(), || {
        invalid("`{}` is not a valid duration: use up to four numbers with h, m, s or ms, such as 1m30s")
    })
}
