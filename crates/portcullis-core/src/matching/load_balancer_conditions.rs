//! The conditions of a load balancer on a request beyond host and path, as in `alb.ingress.kubernetes.io/conditions.*`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::kinds::Ingress;

/// One condition, in the formats of AWS and Alibaba Cloud. Unknown parts are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Condition {
    #[serde(alias = "methodConfig")]
    http_request_method_config: Option<Values<String>>,
    #[serde(alias = "headerConfig")]
    http_header_config: Option<Header>,
    query_string_config: Option<Values<Pair>>,
    source_ip_config: Option<Values<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default = "Values::none")]
struct Values<T> {
    values: Vec<T>,
    regex_values: Vec<IgnoredAny>,
}

impl<T> Values<T> {
    fn none() -> Self {
        Self { values: Vec::new(), regex_values: Vec::new() }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Header {
    #[serde(alias = "key")]
    http_header_name: String,
    values: Vec<String>,
    regex_values: Vec<IgnoredAny>,
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

/// The conditions in `json`.
fn accepted_values(json: &str) -> Option<AcceptedValues> {
    let conditions: Vec<Condition> = serde_json::from_str(json).ok()?;
    let mut accepted = AcceptedValues::new();
    let mut accept = |about: String, values: Vec<String>| {
        // A wildcard may match a value of another condition.
        if !values.is_empty() && !values.iter().any(|value| value.contains(['*', '?'])) {
            accepted.entry(about).or_insert_with(|| values.into_iter().map(Into::into).collect());
        }
    };
    for condition in conditions {
        if let Some(methods) = condition.http_request_method_config.filter(|methods| methods.regex_values.is_empty()) {
            accept("method".to_owned(), methods.values.iter().map(|method| method.to_ascii_uppercase()).collect());
        }
        if let Some(header) = condition.http_header_config.filter(|header| header.regex_values.is_empty()) {
            let values = header.values.iter().map(|value| value.to_ascii_lowercase()).collect();
            accept(format!("header {}", header.http_header_name.to_ascii_lowercase()), values);
        }
        if let Some(addresses) = condition.source_ip_config {
            accept("address".to_owned(), addresses.values);
        }
        if let Some(pairs) = condition.query_string_config
            && let [pair] = pairs.values.as_slice()
            && !pair.key.is_empty()
        {
            accept(format!("parameter {}", pair.key.to_ascii_lowercase()), vec![pair.value.to_ascii_lowercase()]);
        }
    }
    Some(accepted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_ask_for_methods_headers_parameters_and_addresses() {
        let read = |json: &str| -> Vec<String> {
            let read = accepted_values(json).unwrap_or_else(|| panic!("{json}"));
            read.iter().map(|(about, values)| format!("{about}: {}", values.join(" "))).collect()
        };
        let methods =
            r#"[{"field":"http-request-method","httpRequestMethodConfig":{"Values":[],"values":["get","HEAD"]}}]"#;
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
    }
}
