//! The hosts of the forwarding rules in `kubernetes.io/ingress.http-rules` and `https-rules` (Tencent TKE).

use serde_json::{Map, Value};

/// The host of each rule in `json`, empty if it has none; `None` if the rules cannot be parsed. A rule that redirects
/// (`rewrite`) has its own host and path, like one with a backend.
pub fn hosts(json: &str) -> Option<Vec<String>> {
    if json.trim().is_empty() {
        return Some(Vec::new());
    }
    let rules: Option<Vec<Map<String, Value>>> = serde_json::from_str(json).ok()?;
    rules.unwrap_or_default().iter().map(host).collect()
}

/// The host of a rule. Keys are case-insensitive, as in Go.
fn host(rule: &Map<String, Value>) -> Option<String> {
    let written = rule.iter().rfind(|(key, _)| key.eq_ignore_ascii_case("host"));
    match written.map(|(_, host)| host) {
        None | Some(Value::Null) => Some(String::new()),
        Some(Value::String(host)) => Some(host.trim().to_owned()),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_host_or_is_for_all_of_them() {
        let rules = r#"[{"host":"a.example.com","path":"/","backend":{"serviceName":"a","servicePort":"80"}},
            {"path":"/b","rewrite":{"host":"c.example.com","port":80,"path":"/"}}, {"Host":"d.example.com"}, {"host":null}]"#;
        assert_eq!(hosts(rules).expect("rules"), ["a.example.com", "", "d.example.com", ""]);
        assert_eq!(hosts("null"), Some(Vec::new()));
        assert_eq!(hosts(" "), Some(Vec::new()));
        assert_eq!(hosts("[]"), Some(Vec::new()));
        assert_eq!(hosts("[null]"), None);
        assert_eq!(hosts(r#"[{"host":1}]"#), None);
        assert_eq!(hosts("shop.example.com"), None);
    }
}
