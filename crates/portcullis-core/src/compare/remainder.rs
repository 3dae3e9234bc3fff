//! What objects that answers lead through ask for beside what explain evaluates or names. It is found by what it is not, so that a field
//! that is new to an API counts.

use serde_json::{Map, Value};

use crate::field::FieldPath;
use crate::kinds::{Kind, ObjectRef};

/// What is evaluated or named of the specification of a kind. A list of rules is looked at by element.
const KNOWN: [(&[Kind], &[&str]); 5] = [
    (&[Kind::Gateway], &["allowedListeners", "gatewayClassName", "infrastructure", "listeners", "tls"]),
    (&[Kind::ListenerSet], &["listeners", "parentRef"]),
    (
        &[Kind::HttpRoute, Kind::GrpcRoute, Kind::TcpRoute, Kind::TlsRoute, Kind::UdpRoute],
        &["hostnames", "parentRefs", "rules"],
    ),
    (&[Kind::IngressRoute], &["routes", "tcpproxy.services", "virtualhost.fqdn", "virtualhost.tls.secretName"]),
    (
        &[Kind::HttpProxy],
        &[
            "includes",
            "ingressClassName",
            "routes",
            "tcpproxy.include",
            "tcpproxy.includes",
            "tcpproxy.services",
            "virtualhost.authorization",
            "virtualhost.corsPolicy",
            "virtualhost.fqdn",
            "virtualhost.ipAllowPolicy",
            "virtualhost.ipDenyPolicy",
            "virtualhost.jwtProviders",
            "virtualhost.rateLimitPolicy",
            "virtualhost.tls.clientValidation",
            "virtualhost.tls.secretName",
        ],
    ),
];

/// The lists of rules, each with what is evaluated or named of an element.
const LISTS: [(&str, &[&str]); 3] = [
    ("listeners", &["allowedRoutes", "hostname", "name", "port", "protocol", "tls.certificateRefs"]),
    ("rules", &["backendRefs", "filters", "matches", "name", "retry", "sessionPersistence", "timeouts"]),
    (
        "routes",
        &[
            "authPolicy",
            "conditions",
            "cookieRewritePolicies",
            "delegate",
            "directResponsePolicy",
            "internalRedirectPolicy",
            "ipAllowPolicy",
            "ipDenyPolicy",
            "jwtVerificationPolicy",
            "loadBalancerPolicy",
            "match",
            "pathRewritePolicy",
            "permitInsecure",
            "prefixRewrite",
            "rateLimitPolicy",
            "requestHeadersPolicy",
            "requestRedirectPolicy",
            "responseHeadersPolicy",
            "retryPolicy",
            "service",
            "services",
            "timeoutPolicy",
        ],
    ),
];

/// Values that say the same as an absent field.
const DEFAULTS: [(&str, &str); 1] = [("tls.mode", "Terminate")];

/// What is neither evaluated nor named of an object and of its rule or listener at `at`, as JSON; empty for nothing, and `None` for a kind
/// of which all is.
pub(super) fn remainder(object: &ObjectRef, written: &Value, at: &FieldPath) -> Option<String> {
    let (_, known) = KNOWN.iter().find(|(kinds, _)| kinds.contains(&object.kind))?;
    let own = rest(&written["spec"], known, "");
    let of_element = LISTS.iter().find_map(|(list, known)| rest(at.until(list)?.value(written)?, known, ""));
    Some(own.iter().chain(&of_element).map(Value::to_string).collect::<Vec<_>>().join(" "))
}

/// What is left of `value`, which is at `at`, without the known fields and those that ask for nothing.
fn rest(value: &Value, known: &[&str], at: &str) -> Option<Value> {
    let is_empty = match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty() || DEFAULTS.contains(&(at, text.as_str())),
        Value::Array(elements) => elements.is_empty(),
        Value::Number(_) | Value::Bool(true) | Value::Object(_) => false,
    };
    let Value::Object(fields) = value else { return (!is_empty).then(|| value.clone()) };
    let left = fields.iter().filter_map(|(name, value)| {
        let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
        let is_known = known.contains(&at.as_str());
        Some((name.clone(), rest(value, known, &at).filter(|_| !is_known)?))
    });
    let left: Map<String, Value> = left.collect();
    (!left.is_empty()).then_some(Value::Object(left))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::field::At;

    #[test]
    fn unevaluated_fields_stay_in_the_remainder() {
        let proxy = ObjectRef::new(Kind::HttpProxy, "web", "shop");
        let at = At::element("spec.routes[]", [1]).into();
        let of = |tls: Value, route: Value| {
            let routes = json!([{"enableWebsockets": true}, route]);
            let written = json!({"spec": {"virtualhost": {"fqdn": "a", "tls": tls}, "routes": routes}});
            remainder(&proxy, &written, &at).expect("a kind with a remainder")
        };
        let plain = of(json!({"secretName": "a"}), json!({"services": [{"name": "a"}]}));
        assert_eq!(plain, of(json!({"secretName": "b", "passthrough": false}), json!({"enableWebsockets": false})));
        assert_eq!(of(Value::Null, json!({"enableWebsockets": true})), r#"{"enableWebsockets":true}"#);
        let newest = of(json!({"minimumProtocolVersion": "1.3"}), Value::Null);
        assert_eq!(newest, r#"{"virtualhost":{"tls":{"minimumProtocolVersion":"1.3"}}}"#);
    }
}
