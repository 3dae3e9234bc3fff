//! What the conditions of a load balancer ask of a request beside host and path, as `alb.ingress.kubernetes.io/conditions.*` holds them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::kinds::Ingress;

/// One condition, in the dialects of AWS and Alibaba Cloud. What is not known of it asks nothing here.
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

/// What is asked of a request, by what it is asked of: a method, a header, a parameter, an address.
type Asked = BTreeMap<String, Vec<Box<str>>>;

/// What every backend of `ingress` asks of a request, given the conditions of a Service.
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
    let mut all: Option<Asked> = None;
    for service in services {
        let Some(asked) = conditions(service).and_then(asked) else { return Vec::new() };
        all = Some(match all {
            None => asked,
            Some(all) => all
                .into_iter()
                .filter_map(|(about, mut values)| {
                    values.extend(asked.get(&about)?.iter().cloned());
                    Some((about, values))
                })
                .collect(),
        });
    }
    all.into_iter().flatten().collect()
}

/// What the conditions in `json` ask.
fn asked(json: &str) -> Option<Asked> {
    let conditions: Vec<Condition> = serde_json::from_str(json).ok()?;
    let mut asked = Asked::new();
    let mut ask = |about: String, values: Vec<String>| {
        // A wildcard may match what another value names.
        if !values.is_empty() && !values.iter().any(|value| value.contains(['*', '?'])) {
            asked.entry(about).or_insert_with(|| values.into_iter().map(Into::into).collect());
        }
    };
    for condition in conditions {
        if let Some(methods) = condition.http_request_method_config.filter(|methods| methods.regex_values.is_empty()) {
            ask("method".to_owned(), methods.values.iter().map(|method| method.to_ascii_uppercase()).collect());
        }
        if let Some(header) = condition.http_header_config.filter(|header| header.regex_values.is_empty()) {
            let values = header.values.iter().map(|value| value.to_ascii_lowercase()).collect();
            ask(format!("header {}", header.http_header_name.to_ascii_lowercase()), values);
        }
        if let Some(addresses) = condition.source_ip_config {
            ask("address".to_owned(), addresses.values);
        }
        if let Some(pairs) = condition.query_string_config
            && let [pair] = pairs.values.as_slice()
            && !pair.key.is_empty()
        {
            ask(format!("parameter {}", pair.key.to_ascii_lowercase()), vec![pair.value.to_ascii_lowercase()]);
        }
    }
    Some(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_ask_for_methods_headers_parameters_and_addresses() {
        let read = |json: &str| -> Vec<String> {
            let read = asked(json).unwrap_or_else(|| panic!("{json}"));
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
        assert!(read(wild).is_empty() && asked("no JSON").is_none());
    }
}
