//! What the annotations of an Ingress choose.

use std::net::IpAddr;

use super::{KONG_HEADERS, Separator, Syntax, WHOLE};
use crate::kinds::ingress::Backend;
use crate::kinds::{Ingress, annotation_value};
use crate::matching::alias::rule;
use crate::matching::{load_balancer_conditions, overlapping_values};

impl Separator {
    /// The choices of the annotations, each with what it applies to; empty if they are absent or cannot be parsed.
    pub(super) fn values(&self, ingress: &Ingress<'_>) -> Vec<(String, Vec<Box<str>>)> {
        let annotations = &ingress.metadata.annotations;
        let written = || self.keys.iter().find_map(|key| annotations.get(key)).map(|value| &**value);
        let one = |values: Option<Vec<Box<str>>>| {
            values.filter(|values| !values.is_empty()).map(|values| (String::new(), values)).into_iter().collect()
        };
        match self.syntax {
            Syntax::One(_) => one(written().map(|value| vec![value.trim().to_ascii_lowercase().into()])),
            Syntax::Address(_) => one(written().and_then(address).map(|address| vec![address])),
            Syntax::TcpPort => {
                let port = written().and_then(annotation_value::parse_port).filter(|port| !HTTP_PORTS.contains(port));
                one(port.map(|port| vec![port.to_string().into()]))
            }
            Syntax::Flag => {
                one(written().and_then(annotation_value::parse_bool).map(|flag| vec![flag.to_string().into()]))
            }
            Syntax::Methods(separator) => one(written().and_then(|text| methods(text, separator))),
            Syntax::Mode => {
                let mode = written().filter(|mode| ["dedicated", "shared"].contains(mode));
                one(mode.map(|mode| vec![mode.into()]))
            }
            Syntax::Predicates => {
                let whole = written().map(|text| (WHOLE.to_owned(), vec![Box::from(text.trim())]));
                written().map(rule::skipper_conditions).unwrap_or_default().into_iter().chain(whole).collect()
            }
            Syntax::Headers => written().map(headers).unwrap_or_default(),
            Syntax::Transport(entry_points) => {
                let is_tls = |(key, value): (&str, &str)| {
                    self.keys.iter().any(|own| rest(own, key).is_some()) && !value.trim().eq_ignore_ascii_case("false")
                };
                let is_plain = || annotations.get(entry_points).is_some_and(|written| written.trim() == "web");
                one(match annotations.iter().any(|(key, value)| is_tls((key, value))) {
                    true => Some(vec!["tls".into()]),
                    false => is_plain().then(|| vec!["plain".into()]),
                })
            }
            Syntax::Tests => self.tests(ingress),
            Syntax::Port => one(written().and_then(port).map(|port| vec![port])),
            Syntax::JsonPorts(certificate) => one(match written() {
                Some(ports) => json_ports(ports),
                None => annotations.get(certificate).filter(|named| !named.is_empty()).map(|_| vec!["443".into()]),
            }),
            Syntax::Ports(secure) | Syntax::PortsOfBackends(secure) => {
                one(self.chosen_ports(ingress, written(), annotations.get(secure).map(|value| &**value)))
            }
            Syntax::Some => self.lists(ingress),
            Syntax::Conditions => {
                let of_service = |service: &str| {
                    annotations.iter().find(|(key, _)| rest(self.keys[0], key) == Some(service)).map(|(_, json)| json)
                };
                load_balancer_conditions::of_all(ingress, of_service)
            }
        }
    }

    /// The values of each annotation, by the part of its key that matches `*`.
    fn lists(&self, ingress: &Ingress<'_>) -> Vec<(String, Vec<Box<str>>)> {
        if self.keys == [KONG_HEADERS] && ingress.metadata.annotations.get(KONG_SEPARATOR).is_some() {
            return Vec::new();
        }
        let suffix = |key: &str| self.keys.iter().find_map(|own| rest(own, key).map(str::to_owned));
        let annotations = ingress.metadata.annotations.iter();
        let found = annotations.filter_map(|(key, value)| Some((suffix(key)?, words(value))));
        found.filter(|(_, values)| !values.is_empty()).collect()
    }

    /// The tests of the request in all annotations together.
    fn tests(&self, ingress: &Ingress<'_>) -> Vec<(String, Vec<Box<str>>)> {
        let is_test = |key: &str| key.contains("match") && self.keys.iter().any(|own| rest(own, key).is_some());
        let name = |key: &str| key.rsplit('/').next().unwrap_or_default().to_owned();
        let found = ingress.metadata.annotations.iter().filter(|(key, _)| is_test(key));
        let tests: Vec<_> = found.map(|(key, value)| format!("{} {}", name(key), value.trim()).into()).collect();
        if tests.is_empty() { Vec::new() } else { vec![(WHOLE.to_owned(), tests)] }
    }

    /// The ports of plain text and of TLS, if an annotation chooses them.
    fn chosen_ports(&self, ingress: &Ingress<'_>, plain: Option<&str>, secure: Option<&str>) -> Option<Vec<Box<str>>> {
        let prefix = self.keys[0].split_inclusive('/').next().unwrap_or_default();
        let applies = |(key, _): (&str, _)| self.takes_ports_of_backends() && key.starts_with(prefix);
        let is_chosen = plain.is_some() || secure.is_some() || ingress.metadata.annotations.iter().any(applies);
        is_chosen.then(|| self.ports(ingress, plain, secure)).flatten()
    }

    /// The plain-text and TLS ports; `None` if one is invalid or is not a number.
    fn ports(&self, ingress: &Ingress<'_>, plain: Option<&str>, secure: Option<&str>) -> Option<Vec<Box<str>>> {
        let of_backends = || -> Option<Vec<Box<str>>> {
            let paths = ingress.spec.rules.iter().flat_map(|rule| rule.paths());
            let backends = paths.map(|path| &path.backend).chain(&ingress.spec.default_backend);
            let number = |backend: &Backend<'_>| backend.service.as_ref()?.port.number();
            backends.map(|backend| number(backend).map(|number| number.to_string().into())).collect()
        };
        let chosen = |written: Option<&str>, default: &str| match (written, self.syntax) {
            (Some(written), _) => port(written).map(|port| vec![port]),
            (None, Syntax::PortsOfBackends(_)) => of_backends(),
            (None, _) => Some(vec![default.into()]),
        };
        let mut ports = chosen(plain, "80")?;
        if !ingress.spec.tls.is_empty() || secure.is_some() {
            ports.extend(chosen(secure, "443")?);
        }
        Some(ports)
    }

    const fn takes_ports_of_backends(&self) -> bool {
        matches!(self.syntax, Syntax::PortsOfBackends(_))
    }
}

/// The ports on which a proxy serves HTTP and HTTPS, unless it is configured otherwise.
const HTTP_PORTS: [u16; 2] = [80, 443];

/// Another separator of these values. With it, they are not compared, so they separate nothing.
const KONG_SEPARATOR: &str = "konghq.com/headers-separator";

/// The text in `key` at the position of the `*` of `pattern`; empty if the two are equal.
fn rest<'k>(pattern: &str, key: &'k str) -> Option<&'k str> {
    match pattern.strip_suffix('*') {
        Some(prefix) => key.strip_prefix(prefix),
        None => (pattern == key).then_some(""),
    }
}

fn words(text: &str) -> Vec<Box<str>> {
    let words = text.split(|letter: char| letter == ',' || letter.is_whitespace()).filter(|word| !word.is_empty());
    let read = |word: &str| {
        if word.starts_with(overlapping_values::EXPRESSION) { word.to_owned() } else { word.to_ascii_lowercase() }
    };
    words.map(|word| read(word).into()).collect()
}

/// The headers in lines such as `name: value`, each with its value. A colon or white space separates name and value.
fn headers(text: &str) -> Vec<(String, Vec<Box<str>>)> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let headers = lines.filter_map(|line| {
        let (name, value) = line.split_once([':', ' ', '\t'])?;
        Some((format!("header {}", name.to_ascii_lowercase()), vec![value.trim().into()]))
    });
    headers.collect()
}

fn port(text: &str) -> Option<Box<str>> {
    Some(annotation_value::parse_port(text)?.to_string().into())
}

/// An IP address in canonical form. For BIG-IP, it may have the number of its route domain.
fn address(text: &str) -> Option<Box<str>> {
    let text = text.trim();
    let (address, domain) = text.split_once('%').map_or((text, None), |(address, domain)| (address, Some(domain)));
    let address = address.parse::<IpAddr>().ok()?;
    let domain = domain.map(str::parse::<u16>).transpose().ok()?.map(|domain| format!("%{domain}"));
    Some(format!("{address}{}", domain.unwrap_or_default()).into())
}

/// The methods between separators; `None` if one of them is not a method, since the controllers then accept every
/// request.
fn methods(text: &str, separator: char) -> Option<Vec<Box<str>>> {
    let is_method = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let words = text.split(separator).map(str::trim).filter(|word| separator != ' ' || !word.is_empty());
    words.map(|word| is_method(word).then(|| word.to_ascii_uppercase().into())).collect()
}

/// The ports in `[{"HTTP": 80}, {"HTTPS": 443}]`.
fn json_ports(json: &str) -> Option<Vec<Box<str>>> {
    let listed: Vec<std::collections::BTreeMap<String, u16>> = serde_json::from_str(json).ok()?;
    Some(listed.iter().flat_map(std::collections::BTreeMap::values).map(|port| port.to_string().into()).collect())
}
