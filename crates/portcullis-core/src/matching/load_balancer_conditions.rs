//! The conditions of a load balancer on a request beyond host and path, as in `alb.ingress.kubernetes.io/conditions.*`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::kinds::Ingress;

/// One condition, in the formats of AWS and Alibaba Cloud. Only the configuration that `about` names counts, and unknown parts are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Condition {
    #[serde(rename = "field", alias = "type")]
    about: String,
    #[serde(rename = "httprequestmethodconfig", alias = "methodconfig")]
    methods: Values<String>,
    #[serde(rename = "httpheaderconfig", alias = "headerconfig")]
    header: Header,
    #[serde(rename = "querystringconfig")]
    parameters: Values<Pair>,
    #[serde(rename = "sourceipconfig")]
    addresses: Values<String>,
    #[serde(rename = "hostheaderconfig", alias = "hostconfig")]
    hosts: Values<String>,
    #[serde(rename = "pathpatternconfig", alias = "pathconfig")]
    paths: Values<String>,
}

#[derive(Debug, Deserialize)]
#[serde(default = "Values::none")]
struct Values<T> {
    values: Vec<T>,
    #[serde(rename = "regexvalues")]
    expressions: Vec<String>,
}

impl<T> Values<T> {
    fn none() -> Self {
        Self { values: Vec::new(), expressions: Vec::new() }
    }
}

impl<T> Default for Values<T> {
    fn default() -> Self {
        Self::none()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Header {
    #[serde(rename = "httpheadername", alias = "key")]
    name: String,
    values: Vec<String>,
    #[serde(rename = "regexvalues")]
    expressions: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Pair {
    key: String,
    value: String,
}

/// The accepted values by the part of a request that they apply to: method, header, query parameter, or address.
type AcceptedValues = BTreeMap<String, Vec<Box<str>>>;

/// The conditions that all backends of `ingress` have, given a function that returns the conditions of a Service.
pub fn of_all<'i>(
    ingress: &'i Ingress<'_>,
    conditions: impl Fn(&'i str) -> Option<&'i str>,
) -> Vec<(String, Vec<Box<str>>)> {
    let paths = ingress.spec.rules.iter().flat_map(|rule| rule.paths());
    let backends = paths.map(|path| &path.backend).chain(&ingress.spec.default_backend);
    let mut services: Vec<&str> =
        backends.map(|backend| backend.service.as_ref().map_or("", |service| &*service.name)).collect();
    services.sort_unstable();
    services.dedup();
    let mut all: Option<AcceptedValues> = None;
    for service in services {
        let Some(accepted) = conditions(service).and_then(accepted_values) else { return Vec::new() };
        all = Some(match all {
            None => accepted,
            Some(all) => all
                .into_iter()
                .filter_map(|(about, mut values)| {
                    values.extend(accepted.get(&about)?.iter().cloned());
                    Some((about, values))
                })
                .collect(),
        });
    }
    all.into_iter().flatten().collect()
}

/// What conditions change about the rules of their Service.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RuleChange {
    /// Whether they may reject requests for the host and path of a rule.
    pub narrows: bool,
    /// The hosts that they add to the host of a rule, with wildcards. A rule without a host has only these.
    pub hosts: Vec<String>,
    /// The expressions of hosts that they add as well.
    pub host_expressions: Vec<String>,
    /// The patterns that they add to the path of a rule.
    pub paths: Vec<String>,
    /// The expressions of paths that they add as well.
    pub path_expressions: Vec<String>,
}

/// What the conditions in `json` change. The controller of AWS appends the values of hosts and paths to those of the rule
/// (`model_build_listener_rules.go`). What cannot be parsed may reject requests.
pub fn rule_change(json: &str) -> RuleChange {
    let Some(conditions) = parse(json) else { return RuleChange { narrows: true, ..RuleChange::default() } };
    let mut change = RuleChange::default();
    for condition in conditions {
        match &*condition.about.to_ascii_lowercase() {
            "host-header" | "host" => {
                change.hosts.extend(condition.hosts.values);
                change.host_expressions.extend(condition.hosts.expressions);
            }
            "path-pattern" | "path" => {
                change.paths.extend(condition.paths.values);
                change.path_expressions.extend(condition.paths.expressions);
            }
            "source-ip" | "sourceip" if condition.addresses.values.iter().any(|range| range.ends_with("/0")) => {}
            _ => change.narrows = true,
        }
    }
    change
}

/// The conditions in `json`; `None` if they cannot be parsed, or if a key is written twice in different case, of which controllers read one.
fn parse(json: &str) -> Option<Vec<Condition>> {
    serde_json::from_value(caseless(serde_json::from_str(json).ok()?)?).ok()
}

/// The values that the conditions in `json` accept; `None` if they cannot be parsed.
fn accepted_values(json: &str) -> Option<AcceptedValues> {
    let conditions = parse(json)?;
    let mut accepted = AcceptedValues::new();
    let mut accept = |about: String, values: Vec<String>| {
        // A wildcard may match a value of another condition.
        if !values.is_empty() && !values.iter().any(|value| value.contains(['*', '?'])) {
            accepted.entry(about).or_insert_with(|| values.into_iter().map(Into::into).collect());
        }
    };
    for Condition { about, methods, header, parameters, addresses, .. } in conditions {
        let Header { name, values, expressions } = header;
        let header = Values { values, expressions };
        let [methods, header, addresses] =
            [methods, header, addresses].map(|list| if list.expressions.is_empty() { list.values } else { Vec::new() });
        match &*about.to_ascii_lowercase() {
            "http-request-method" | "method" => {
                accept("method".to_owned(), methods.iter().map(|method| method.to_ascii_uppercase()).collect());
            }
            "http-header" | "header" => {
                let values = header.iter().map(|value| value.to_ascii_lowercase()).collect();
                accept(format!("header {}", name.to_ascii_lowercase()), values);
            }
            "source-ip" | "sourceip" => accept("address".to_owned(), addresses),
            "query-string" | "querystring" => {
                if let [Pair { key, value }] = parameters.values.as_slice()
                    && !key.is_empty()
                {
                    accept(format!("parameter {}", key.to_ascii_lowercase()), vec![value.to_ascii_lowercase()]);
                }
            }
            _ => {}
        }
    }
    Some(accepted)
}

/// `value` with all keys in lower case, since Go, in which the controllers are written, ignores case; `None` if two keys are then equal.
fn caseless(value: Value) -> Option<Value> {
    match value {
        Value::Array(values) => values.into_iter().map(caseless).collect(),
        Value::Object(fields) => {
            let mut lowered = Map::new();
            for (key, value) in fields {
                if lowered.insert(key.to_ascii_lowercase(), caseless(value)?).is_some() {
                    return None;
                }
            }
            Some(Value::Object(lowered))
        }
        value => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_restrict_the_requests_of_a_rule_or_add_hosts_and_paths() {
        let one = |field: &str, config: &str| rule_change(&format!(r#"[{{"field": "{field}", {config}}}]"#));
        let (none, narrowed) = (RuleChange::default(), RuleChange { narrows: true, ..RuleChange::default() });
        assert_eq!(rule_change("[]"), none);
        assert_eq!(one("source-ip", r#""sourceIpConfig": {"values": ["0.0.0.0/0"]}"#), none);
        assert_eq!(one("source-ip", r#""sourceIpConfig": {"values": ["10.0.0.0/8"]}"#), narrowed);
        assert_eq!(one("http-request-method", r#""httpRequestMethodConfig": {"values": ["GET"]}"#), narrowed);
        assert_eq!(rule_change("{"), narrowed);
        let hosts = one("host-header", r#""hostHeaderConfig": {"values": ["a.example.com"]}"#);
        assert_eq!(hosts, RuleChange { hosts: vec!["a.example.com".to_owned()], ..RuleChange::default() });
        let expressions = one("host-header", r#""hostHeaderConfig": {"regexValues": ["^a[.]b$"]}"#);
        assert_eq!(expressions, RuleChange { host_expressions: vec!["^a[.]b$".to_owned()], ..RuleChange::default() });
        let paths = one("path-pattern", r#""pathPatternConfig": {"values": ["/a*"]}"#);
        assert_eq!(paths, RuleChange { paths: vec!["/a*".to_owned()], ..RuleChange::default() });
    }

    #[test]
    fn conditions_ask_for_methods_headers_parameters_and_addresses() {
        let read = |json: &str| -> Vec<String> {
            let read = accepted_values(json).unwrap_or_else(|| panic!("{json}"));
            read.iter().map(|(about, values)| format!("{about}: {}", values.join(" "))).collect()
        };
        let methods = r#"[{"field":"http-request-method","httpRequestMethodConfig":{"Values":["get","HEAD"]}}]"#;
        assert_eq!(read(methods), ["method: GET HEAD"]);
        let header = r#"[{"field":"http-header","httpHeaderConfig":{"httpHeaderName":"X-A","values":["One"]}}]"#;
        assert_eq!(read(header), ["header x-a: one"]);
        let alibaba = r#"[{"type":"Header","headerConfig":{"key":"X-A","values":["one"]}}]"#;
        assert_eq!(read(alibaba), ["header x-a: one"]);
        let query = r#"[{"field":"query-string","queryStringConfig":{"values":[{"key":"v","value":"1"}]}}]"#;
        assert_eq!(read(query), ["parameter v: 1"]);
        let address = r#"[{"field":"source-ip","sourceIpConfig":{"values":["10.0.0.0/8"]}}]"#;
        assert_eq!(read(address), ["address: 10.0.0.0/8"]);
        let wild = r#"[{"field":"http-header","httpHeaderConfig":{"httpHeaderName":"X-A","values":["one*"]}}]"#;
        let regex = r#"[{"field":"http-header","httpHeaderConfig":{"httpHeaderName":"X-A","values":["a"],"regexValues":["b"]}}]"#;
        assert!(read(regex).is_empty());
        assert!(read(wild).is_empty() && accepted_values("no JSON").is_none());
        let of_another_field = r#"[{"field":"source-ip","sourceIpConfig":{"values":["0.0.0.0/0"]},"httpHeaderConfig":{"httpHeaderName":"X-A","values":["red"]}}]"#;
        assert_eq!(read(of_another_field), ["address: 0.0.0.0/0"]);
        let twice = r#"[{"field":"http-header","httpHeaderConfig":{"httpHeaderName":"X-A","values":["red"],"Values":["blue"]}}]"#;
        assert!(accepted_values(twice).is_none());
    }
}
