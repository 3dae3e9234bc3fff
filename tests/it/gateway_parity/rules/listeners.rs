//! Changes for the rules of listeners, Gateways and policies.

use serde_json::{Value, json};

use super::{Mutation, set, sets};

pub fn listeners() -> Vec<Mutation> {
    let listener = |more: Value| {
        let mut listener = json!({"name": "web", "port": 80, "protocol": "HTTP"});
        listener.as_object_mut().expect("a map").extend(more.as_object().expect("a map").clone());
        listener
    };
    let secret = json!({"certificateRefs": [{"name": "shop"}]});
    let mut lists: Vec<Value> = [
        json!({}),
        json!({"tls": secret}),
        json!({"protocol": "HTTPS"}),
        json!({"protocol": "HTTPS", "tls": secret}),
        json!({"protocol": "HTTPS", "tls": {}}),
        json!({"protocol": "HTTPS", "tls": {"mode": "Passthrough"}}),
        json!({"protocol": "HTTPS", "tls": {"mode": "Terminate"}}),
        json!({"protocol": "HTTPS", "tls": {"mode": "Terminate", "options": {"a": "b"}}}),
        json!({"protocol": "HTTPS", "tls": {"certificateRefs": []}}),
        json!({"protocol": "TLS"}),
        json!({"protocol": "TLS", "tls": secret}),
        json!({"protocol": "TLS", "tls": {"mode": "Passthrough"}}),
        json!({"protocol": "TLS", "tls": {"mode": "Terminate"}}),
        json!({"protocol": "TCP", "tls": secret}),
        json!({"protocol": "UDP", "tls": {"mode": "Passthrough"}}),
        json!({"protocol": "TCP", "hostname": "a.example.com"}),
        json!({"protocol": "UDP", "hostname": "a.example.com"}),
        json!({"protocol": "TCP", "hostname": ""}),
        json!({"protocol": "http"}),
        json!({"protocol": "example.com/x"}),
        json!({"protocol": ""}),
        json!({"port": 0}),
        json!({"port": 65_536}),
        json!({"hostname": "10.0.0.1"}),
        json!({"hostname": "*"}),
        json!({"hostname": ""}),
        json!({"name": "Web"}),
        json!({"allowedRoutes": {"namespaces": {"from": "Selector"}}}),
        json!({"allowedRoutes": {"namespaces": {"from": "None"}}}),
        json!({"allowedRoutes": {"kinds": [{"kind": "HTTPRoute"}, {"kind": "HTTPRoute"}]}}),
    ]
    .into_iter()
    .map(|more| json!([listener(more)]))
    .collect();
    let pair = |second: Value| json!([listener(json!({})), listener(second)]);
    lists.extend([
        pair(json!({})),
        pair(json!({"name": "two"})),
        pair(json!({"name": "two", "port": 81})),
        pair(json!({"port": 81})),
        pair(json!({"name": "two", "hostname": "a.example.com"})),
        pair(json!({"name": "two", "hostname": ""})),
        pair(json!({"name": "two", "protocol": "HTTPS", "tls": secret})),
        json!([
            listener(json!({"hostname": "a.example.com"})),
            listener(json!({"name": "two", "hostname": "a.example.com"}))
        ]),
        json!([
            listener(json!({"hostname": "a.example.com"})),
            listener(json!({"name": "two", "hostname": "A.example.com"}))
        ]),
        json!([]),
    ]);
    sets("/spec/listeners", lists)
}

pub fn gateway() -> Vec<Mutation> {
    let validation = json!({"caCertificateRefs": [{"group": "", "kind": "ConfigMap", "name": "clients"}]});
    let port = |port: u32| json!({"port": port, "tls": {"validation": validation}});
    let addresses = sets(
        "/spec/addresses",
        vec![
            json!([{"value": "10.0.0.1"}, {"value": "10.0.0.1"}]),
            json!([{"value": "10.0.0.1"}, {"value": "10.0.0.2"}]),
            json!([{"value": "10.0.0"}]),
            json!([{"value": "2001:db8::1"}]),
            json!([{}]),
            json!([{"value": ""}]),
            json!([{"type": "Hostname", "value": "a.example.com"}, {"type": "Hostname", "value": "a.example.com"}]),
            json!([{"type": "Hostname", "value": "*.example.com"}]),
            json!([{"type": "Hostname", "value": "A.example.com"}]),
            json!([{"type": "Hostname"}]),
            json!([{"type": "Pool", "value": "a"}]),
            json!([{"type": "example.com/pool", "value": "a"}, {"type": "example.com/pool", "value": "a"}]),
        ],
    );
    let keys = |key: &str| json!({key: "v"});
    let long = format!("{}.com/a", "a".repeat(250));
    let labels = ["a", "a/b", "A/b", "a/", "/a", "a b", "example.com/a.b_c-d", "-a", "a/b/c", long.as_str()];
    let mut all = addresses;
    for key in labels {
        all.push(set("/spec/infrastructure/labels", keys(key)));
        all.push(set("/spec/infrastructure/annotations", keys(key)));
    }
    all.push(set("/spec/infrastructure/labels", json!({"a": "b c"})));
    all.push(set("/spec/infrastructure/labels", json!({"a": ""})));
    all.push(set("/spec/tls/frontend/perPort", json!([port(443), port(443)])));
    all.push(set("/spec/tls/frontend/perPort", json!([port(443), port(444)])));
    all.push(set("/spec/tls/frontend/perPort", json!([port(0)])));
    all
}

pub fn policy() -> Vec<Mutation> {
    let target = |section: Option<&str>| match section {
        Some(section) => json!({"group": "", "kind": "Service", "name": "cart", "sectionName": section}),
        None => json!({"group": "", "kind": "Service", "name": "cart"}),
    };
    let mut all = sets(
        "/spec/targetRefs",
        vec![
            json!([target(None)]),
            json!([target(None), target(None)]),
            json!([target(None), target(Some("a"))]),
            json!([target(Some("a")), target(Some("a"))]),
            json!([target(Some("")), target(Some("a"))]),
            json!([]),
        ],
    );
    let name = |more: Value| json!([more]);
    all.extend(sets(
        "/spec/validation/subjectAltNames",
        vec![
            name(json!({"type": "Hostname"})),
            name(json!({"type": "URI"})),
            name(json!({"type": "Hostname", "uri": "spiffe://a/b"})),
            name(json!({"type": "URI", "hostname": "a.example.com"})),
            name(json!({"type": "URI", "uri": "spiffe://a/b", "hostname": "a.example.com"})),
            name(json!({"type": "Hostname", "hostname": ""})),
            name(json!({"type": "Email", "hostname": "a.example.com"})),
            name(json!({"type": "URI", "uri": "a/b"})),
            name(json!({"type": "URI", "uri": "spiffe:"})),
            name(json!({"type": "Hostname", "hostname": "*.example.com"})),
        ],
    ));
    let authority = json!([{"group": "", "kind": "ConfigMap", "name": "authority"}]);
    all.extend(sets(
        "/spec/validation",
        vec![
            json!({"hostname": "a.example.com"}),
            json!({"hostname": "a.example.com", "caCertificateRefs": []}),
            json!({"hostname": "a.example.com", "wellKnownCACertificates": ""}),
            json!({"hostname": "a.example.com", "wellKnownCACertificates": "System"}),
            json!({"hostname": "a.example.com", "wellKnownCACertificates": "example.com/own"}),
            json!({"hostname": "a.example.com", "wellKnownCACertificates": "Other"}),
            json!({"hostname": "a.example.com", "wellKnownCACertificates": "System", "caCertificateRefs": authority}),
            json!({"hostname": "*.example.com", "caCertificateRefs": authority}),
            json!({"hostname": "10.0.0.1", "caCertificateRefs": authority}),
            json!({"caCertificateRefs": authority}),
        ],
    ));
    all
}
