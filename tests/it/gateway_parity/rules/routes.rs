//! Changes for the rules of routes.

use serde_json::{Value, json};

use super::{Mutation, set, sets};

pub fn parents() -> Vec<Mutation> {
    sets(
        "/spec/parentRefs",
        vec![
            json!([{"name": "a"}, {"name": "a"}]),
            json!([{"name": "a"}, {"name": "a", "sectionName": "s"}]),
            json!([{"name": "a", "sectionName": "s"}, {"name": "a", "sectionName": "t"}]),
            json!([{"name": "a", "sectionName": "s"}, {"name": "a", "sectionName": "s"}]),
            json!([{"name": "a", "sectionName": ""}, {"name": "a", "sectionName": "s"}]),
            json!([{"name": "a", "port": 80}, {"name": "a", "port": 81}]),
            json!([{"name": "a", "port": 80}, {"name": "a", "port": 80}]),
            json!([{"name": "a", "port": 80}, {"name": "a", "sectionName": "s"}]),
            json!([{"name": "a", "port": 80, "sectionName": "s"}, {"name": "a", "port": 81, "sectionName": "s"}]),
            json!([{"name": "a", "port": 80, "sectionName": "s"}, {"name": "a", "sectionName": "t"}]),
            json!([{"name": "a", "namespace": "b"}, {"name": "a"}]),
            json!([{"name": "a", "namespace": "b"}, {"name": "a", "namespace": "b"}]),
            json!([{"name": "a", "kind": "ListenerSet"}, {"name": "a"}]),
            json!([{"name": "a", "group": "", "kind": "Service"}, {"name": "a"}]),
            json!([{"name": "a"}, {"name": "b"}, {"name": "c", "sectionName": "s"}]),
        ],
    )
}

pub fn hostnames() -> Vec<Mutation> {
    let hosts = [
        "shop.example.com",
        "*.example.com",
        "a",
        "10.0.0.1",
        "1.2.3",
        "*",
        "*.com",
        "a.*.com",
        "*a.com",
        "shop.example.com.",
        "Shop.example.com",
        "a..b",
        "2001:db8::1",
        "xn--a.example",
        "shop.example.com:80",
    ];
    let long = format!("{}.example.com", "a".repeat(64));
    let mut all = sets("/spec/hostnames", hosts.iter().map(|host| json!([host])).collect());
    all.extend(sets("/spec/hostnames", vec![json!([long]), json!(["a.example.com", "a.example.com"])]));
    all
}

pub fn backends() -> Vec<Mutation> {
    let at = "/spec/rules/0/backendRefs";
    let mut all = sets(
        at,
        vec![
            json!([{"name": "cart"}]),
            json!([{"name": "cart", "group": "", "kind": "Service"}]),
            json!([{"name": "cart", "group": "example.com", "kind": "Bucket"}]),
            json!([{"name": "cart", "kind": "Bucket"}]),
            json!([{"name": "cart", "group": "example.com"}]),
            json!([{"name": "cart", "port": 0}]),
            json!([{"name": "cart", "port": 65_536}]),
            json!([{"name": "cart", "port": 80, "weight": -1}]),
            json!([{"name": "cart", "port": 80, "weight": 1_000_001}]),
            json!([{"port": 80}]),
        ],
    );
    all.push(set("/spec/rules", json!([{"name": "a", "backendRefs": [{"name": "cart", "port": 80}]}, {"name": "a", "backendRefs": [{"name": "cart", "port": 80}]}])));
    all.push(set("/spec/rules", json!([])));
    all
}

/// Filters that both HTTPRoutes and GRPCRoutes have, in a rule and in a backend.
pub fn filters() -> Vec<Mutation> {
    let headers = json!({"set": [{"name": "x-a", "value": "1"}]});
    let request = json!({"type": "RequestHeaderModifier", "requestHeaderModifier": headers});
    let response = json!({"type": "ResponseHeaderModifier", "responseHeaderModifier": headers});
    let mirror = |more: Value| {
        let mut mirror = json!({"backendRef": {"name": "shadow", "port": 80}});
        mirror.as_object_mut().expect("a map").extend(more.as_object().expect("a map").clone());
        json!([{"type": "RequestMirror", "requestMirror": mirror}])
    };
    let modifier = |headers: Value| json!([{"type": "RequestHeaderModifier", "requestHeaderModifier": headers}]);
    let lists = vec![
        json!([request, request]),
        json!([response, response]),
        json!([request, response]),
        json!([{"type": "RequestHeaderModifier"}]),
        json!([{"type": "RequestHeaderModifier", "responseHeaderModifier": headers}]),
        json!([{"type": "RequestHeaderModifier", "requestHeaderModifier": headers, "responseHeaderModifier": headers}]),
        json!([{"requestHeaderModifier": headers}]),
        json!([{"type": "ExtensionRef"}]),
        json!([{"type": "RequestMirror"}]),
        json!([{"type": "RequestMirror", "requestMirror": {"backendRef": {"name": "shadow"}}}]),
        json!([{"type": "RequestMirror", "requestMirror": {"backendRef": {"name": "shadow", "group": "example.com", "kind": "Bucket"}}}]),
        json!([mirror(json!({}))[0], mirror(json!({}))[0]]),
        mirror(json!({"percent": 10})),
        mirror(json!({"percent": 101})),
        mirror(json!({"percent": -1})),
        mirror(json!({"percent": 10, "fraction": {"numerator": 1}})),
        mirror(json!({"fraction": {"numerator": 101}})),
        mirror(json!({"fraction": {"numerator": 3, "denominator": 2}})),
        mirror(json!({"fraction": {"numerator": 0, "denominator": 0}})),
        mirror(json!({"fraction": {"denominator": 2}})),
        modifier(json!({"set": [{"name": "x-a", "value": "1"}, {"name": "x-a", "value": "2"}]})),
        modifier(json!({"set": [{"name": "x-a", "value": "1"}, {"name": "X-A", "value": "2"}]})),
        modifier(json!({"set": [{"name": "x-a", "value": "1"}], "add": [{"name": "x-a", "value": "2"}]})),
        modifier(json!({"set": [{"name": "x a", "value": "1"}]})),
        modifier(json!({"set": [{"name": ":path", "value": "1"}]})),
        modifier(json!({"set": [{"name": "x-a", "value": ""}]})),
        modifier(json!({"set": [{"name": "x-a"}]})),
        modifier(json!({"remove": ["x-a", "x-a"]})),
        modifier(json!({})),
    ];
    let mut all = sets("/spec/rules/0/filters", lists.clone());
    all.extend(sets("/spec/rules/0/backendRefs/0/filters", lists));
    all
}

pub fn http() -> Vec<Mutation> {
    let path = |kind: &str, value: &str| json!([{"path": {"type": kind, "value": value}}]);
    let values = [
        "/", "", "a", "//", "/a//b", "/a/./b", "/a/../b", "/a/..", "/a/.", "/a%2fb", "/a%2Fb", "/a#b", "/a?b", "/a b",
        "/ä", "/%zz", "/%20", "/a/", "/[a]", "/a\"b", "/a^b",
    ];
    let mut matches: Vec<Value> = ["Exact", "PathPrefix", "RegularExpression"]
        .into_iter()
        .flat_map(|kind| values.map(|value| path(kind, value)))
        .collect();
    let headers = |list: Value| json!([{"headers": list}]);
    matches.extend([
        path("Bogus", "/"),
        json!([{"path": {"value": "/"}}]),
        json!([{"path": {"type": "Exact"}}]),
        json!([{"path": {}}]),
        json!([{}]),
        json!([{"method": "get"}]),
        json!([{"method": "BREW"}]),
        headers(json!([{"name": "x-a", "value": "1"}, {"name": "x-a", "value": "2"}])),
        headers(json!([{"name": "x-a", "value": "1"}, {"name": "X-A", "value": "2"}])),
        headers(json!([{"name": "x-a", "value": ""}])),
        headers(json!([{"name": "", "value": "1"}])),
        headers(json!([{"name": "x a", "value": "1"}])),
        headers(json!([{"name": ":method", "value": "GET"}])),
        headers(json!([{"value": "1"}])),
        json!([{"queryParams": [{"name": "q", "value": "1"}, {"name": "q", "value": "2"}]}]),
        json!([{"queryParams": [{"name": "q q", "value": "1"}]}]),
        json!([{"queryParams": [{"name": "q", "value": ""}]}]),
    ]);
    let mut all = sets("/spec/rules/1/matches", matches);
    let rewrite = |path: Value| json!([{"type": "URLRewrite", "urlRewrite": {"path": path}}]);
    let cors = |cors: Value| json!([{"type": "CORS", "cors": cors}]);
    let lists = vec![
        rewrite(json!({"type": "ReplaceFullPath", "replaceFullPath": "/a"})),
        rewrite(json!({"type": "ReplaceFullPath"})),
        rewrite(json!({"type": "ReplaceFullPath", "replacePrefixMatch": "/a"})),
        rewrite(json!({"type": "ReplacePrefixMatch"})),
        rewrite(json!({"type": "ReplacePrefixMatch", "replaceFullPath": "/a"})),
        rewrite(json!({"type": "ReplacePrefixMatch", "replacePrefixMatch": "/a", "replaceFullPath": "/a"})),
        rewrite(json!({"type": "Bogus", "replaceFullPath": "/a"})),
        rewrite(json!({"replaceFullPath": "/a"})),
        json!([{"type": "URLRewrite"}]),
        json!([{"type": "URLRewrite", "urlRewrite": {}}]),
        json!([{"type": "URLRewrite", "urlRewrite": {"hostname": "*.example.com"}}]),
        json!([{"type": "URLRewrite", "urlRewrite": {}}, {"type": "URLRewrite", "urlRewrite": {}}]),
        json!([{"type": "URLRewrite", "urlRewrite": {}}, {"type": "RequestRedirect", "requestRedirect": {}}]),
        json!([{"type": "RequestRedirect", "requestRedirect": {}}]),
        json!([{"type": "RequestRedirect"}]),
        json!([{"type": "CORS"}]),
        cors(json!({})),
        json!([cors(json!({}))[0], cors(json!({}))[0]]),
        cors(json!({"allowOrigins": ["*"]})),
        cors(json!({"allowOrigins": ["*", "https://a.com"]})),
        cors(json!({"allowOrigins": ["*"], "allowCredentials": true})),
        cors(json!({"allowOrigins": ["https://*.a.com"]})),
        cors(json!({"allowOrigins": ["a.com"]})),
        cors(json!({"allowOrigins": ["https://a.com/path"]})),
        cors(json!({"allowOrigins": ["https://a.com", "https://a.com"]})),
        cors(json!({"allowMethods": ["*"]})),
        cors(json!({"allowMethods": ["*", "GET"]})),
        cors(json!({"allowMethods": ["get"]})),
        cors(json!({"allowHeaders": ["*"]})),
        cors(json!({"allowHeaders": ["*", "x-a"]})),
        cors(json!({"exposeHeaders": ["*", "x-a"]})),
        cors(json!({"maxAge": 0})),
        cors(json!({"maxAge": -1})),
        json!([{"type": "ExternalAuth"}]),
    ];
    all.extend(sets("/spec/rules/1/filters", lists.clone()));
    all.extend(sets("/spec/rules/1/backendRefs/0/filters", lists));
    for (request, backend) in [("1s", "2s"), ("0s", "2s"), ("2s", "0s"), ("1m", "60s"), ("1m", "61s"), ("1s", "1ms")] {
        all.push(set("/spec/rules/1/timeouts", json!({"request": request, "backendRequest": backend})));
    }
    for duration in ["", "1", "1.5s", "-1s", "1d", "1h30m", "100000s", "99999s", "1s1s1s1s", "1s1s1s1s1s"] {
        all.push(set("/spec/rules/1/timeouts", json!({"request": duration})));
    }
    let two = json!([{"path": {"type": "PathPrefix", "value": "/a"}}, {"path": {"type": "PathPrefix", "value": "/b"}}]);
    for matches in [two, path("Exact", "/a"), json!([]), json!([{"headers": [{"name": "x-a", "value": "1"}]}])] {
        all.push(set("/spec/rules/0/matches", matches));
    }
    all.extend(many_matches(json!({"method": "GET"})));
    all.extend(sessions());
    all
}

/// All rules of a route together may have at most 128 matches.
fn many_matches(one: Value) -> Vec<Mutation> {
    let rule =
        |count: usize| json!({"matches": vec![one.clone(); count], "backendRefs": [{"name": "cart", "port": 80}]});
    sets("/spec/rules", vec![json!([rule(64), rule(64)]), json!([rule(64), rule(64), rule(1)]), json!([rule(65)])])
        .into_iter()
        .zip(["128 matches", "129 matches", "65 matches"])
        .map(|(change, name)| change.called(name))
        .collect()
}

fn sessions() -> Vec<Mutation> {
    sets(
        "/spec/rules/0/sessionPersistence",
        vec![
            json!({}),
            json!({"type": "Header"}),
            json!({"type": "Header", "cookieConfig": {"lifetimeType": "Session"}}),
            json!({"cookieConfig": {"lifetimeType": "Permanent"}}),
            json!({"type": "Cookie", "cookieConfig": {"lifetimeType": "Session"}}),
            json!({"absoluteTimeout": "1h", "cookieConfig": {"lifetimeType": "Permanent"}}),
        ],
    )
}

pub fn grpc() -> Vec<Mutation> {
    let method = |method: Value| json!([{"method": method}]);
    let mut all = sets(
        "/spec/rules/1/matches",
        vec![
            method(json!({})),
            method(json!({"type": "Exact"})),
            method(json!({"type": "Exact", "service": "a b"})),
            method(json!({"type": "Exact", "service": ".shop.Cart"})),
            method(json!({"type": "Exact", "service": "shop..Cart"})),
            method(json!({"type": "Exact", "service": "1shop"})),
            method(json!({"type": "Exact", "method": "Put.All"})),
            method(json!({"type": "Exact", "method": "1Put"})),
            method(json!({"service": "a/b"})),
            method(json!({"type": "RegularExpression", "method": "["})),
            method(json!({"type": "Bogus", "method": "Put"})),
            json!([{"headers": [{"name": "x-a", "value": "1"}, {"name": "X-A", "value": "2"}]}]),
            json!([{}]),
        ],
    );
    all.extend(many_matches(json!({"method": {"method": "Put"}})));
    all.extend(sessions());
    all
}

pub fn redirects() -> Vec<Mutation> {
    let redirect = |redirect: Value| json!([{"type": "RequestRedirect", "requestRedirect": redirect}]);
    let mut all = sets(
        "/spec/rules/0/filters",
        vec![
            redirect(json!({})),
            redirect(json!({"scheme": "ftp"})),
            redirect(json!({"statusCode": 303})),
            redirect(json!({"statusCode": 307})),
            redirect(json!({"statusCode": 308})),
            redirect(json!({"statusCode": 200})),
            redirect(json!({"port": 0})),
            redirect(json!({"path": {"type": "ReplacePrefixMatch", "replacePrefixMatch": "/a"}})),
            redirect(json!({"path": {"type": "ReplacePrefixMatch"}})),
            redirect(json!({"path": {"type": "ReplaceFullPath"}})),
            redirect(json!({"path": {"type": "ReplaceFullPath", "replacePrefixMatch": "/a"}})),
            json!([redirect(json!({}))[0], redirect(json!({}))[0]]),
            json!([redirect(json!({}))[0], {"type": "URLRewrite", "urlRewrite": {}}]),
        ],
    );
    all.push(set("/spec/rules/0/backendRefs", json!([{"name": "cart", "port": 80}])));
    all.push(set("/spec/rules/0/matches", json!([{"path": {"type": "Exact", "value": "/a"}}])));
    all
}
