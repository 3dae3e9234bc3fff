//! Valid objects of every kind that use as many fields as can be combined. A bundle without a field prunes it.

use serde_json::{Value, json};

/// All objects, each with a name.
pub fn all() -> Vec<(&'static str, Value)> {
    let mut all = http_routes();
    all.extend([
        ("rich", object("GatewayClass", gateway_class())),
        ("rich", object("Gateway", gateway())),
        ("addresses", object("Gateway", json!({
            "gatewayClassName": "public",
            "addresses": [{"type": "IPAddress", "value": "10.0.0.1"}, {"type": "Hostname", "value": "edge.example.com"},
                {"type": "example.com/pool", "value": "blue"}],
            "listeners": [{"name": "web", "port": 80, "protocol": "HTTP"}],
        }))),
        ("rich", object("ListenerSet", json!({
            "parentRef": {"group": "gateway.networking.k8s.io", "kind": "Gateway", "namespace": "infra", "name": "edge"},
            "listeners": listeners(),
        }))),
        ("rich", object("GRPCRoute", grpc_route())),
        ("rich", object("TLSRoute", l4_route(Some("shop.example.com")))),
        ("rich", object("TCPRoute", l4_route(None))),
        ("rich", object("UDPRoute", l4_route(None))),
        ("rich", object("ReferenceGrant", json!({
            "from": [{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": "web"},
                {"group": "gateway.networking.k8s.io", "kind": "Gateway", "namespace": "infra"}],
            "to": [{"group": "", "kind": "Service", "name": "cart"}, {"group": "", "kind": "Secret"}],
        }))),
        ("system", object("BackendTLSPolicy", json!({
            "targetRefs": [{"group": "", "kind": "Service", "name": "cart", "sectionName": "https"}],
            "validation": {"hostname": "cart.example.com", "wellKnownCACertificates": "System"},
            "options": {"example.com/minimum": "1.2"},
        }))),
        ("own", object("BackendTLSPolicy", json!({
            "targetRefs": [{"group": "", "kind": "Service", "name": "cart", "sectionName": "https"},
                {"group": "", "kind": "Service", "name": "cart", "sectionName": "admin"}],
            "validation": {
                "hostname": "cart.example.com",
                "caCertificateRefs": [{"group": "", "kind": "ConfigMap", "name": "authority"}],
                "subjectAltNames": [{"type": "Hostname", "hostname": "cart.example.com"}, {"type": "URI", "uri": "spiffe://example.com/cart"}],
            },
        }))),
    ]);
    all
}

fn object(kind: &str, spec: Value) -> Value {
    json!({"kind": kind, "metadata": {"name": "shop"}, "spec": spec})
}

fn gateway_class() -> Value {
    json!({
        "controllerName": "example.com/edge",
        "description": "the edge",
        "parametersRef": {"group": "example.com", "kind": "Edge", "name": "small", "namespace": "infra"},
    })
}

fn listeners() -> Value {
    let routes = |from: &str| {
        let kinds = [json!({"group": "gateway.networking.k8s.io", "kind": "HTTPRoute"})];
        json!({"namespaces": {"from": from}, "kinds": kinds})
    };
    let of_team = json!({"namespaces": {"from": "Selector", "selector": {"matchLabels": {"team": "web"},
        "matchExpressions": [{"key": "tier", "operator": "In", "values": ["edge"]}]}}});
    let secret = json!({"group": "", "kind": "Secret", "name": "shop", "namespace": "certificates"});
    json!([
        {"name": "http", "port": 80, "protocol": "HTTP", "hostname": "shop.example.com", "allowedRoutes": routes("Same")},
        {"name": "https", "port": 443, "protocol": "HTTPS", "hostname": "*.example.com", "allowedRoutes": of_team,
            "tls": {"mode": "Terminate", "certificateRefs": [secret], "options": {"example.com/minimum": "1.2"}}},
        {"name": "tls", "port": 8443, "protocol": "TLS", "hostname": "tls.example.com", "tls": {"mode": "Passthrough"}},
        {"name": "tcp", "port": 9000, "protocol": "TCP"},
        {"name": "udp", "port": 9000, "protocol": "UDP"},
        {"name": "own", "port": 7000, "protocol": "example.com/quic"},
    ])
}

fn gateway() -> Value {
    let authority = json!({"group": "", "kind": "ConfigMap", "name": "clients", "namespace": "certificates"});
    let validation = json!({"caCertificateRefs": [authority], "mode": "AllowValidOnly"});
    json!({
        "gatewayClassName": "public",
        "listeners": listeners(),
        "infrastructure": {
            "labels": {"example.com/team": "edge"},
            "annotations": {"example.com/note": "any"},
            "parametersRef": {"group": "example.com", "kind": "Edge", "name": "small"},
        },
        "allowedListeners": {"namespaces": {"from": "Selector", "selector": {"matchLabels": {"team": "web"}}}},
        "tls": {
            "backend": {"clientCertificateRef": {"group": "", "kind": "Secret", "name": "client"}},
            "frontend": {"default": {"validation": validation}, "perPort": [{"port": 443, "tls": {"validation": validation}}]},
        },
    })
}

fn parents() -> Value {
    let gateway = |name: &str, section: &str| {
        json!({"group": "gateway.networking.k8s.io", "kind": "Gateway", "namespace": "infra", "name": name,
            "sectionName": section})
    };
    json!([gateway("edge", "http"), gateway("edge", "https"), {"name": "own"}])
}

fn backend(name: &str) -> Value {
    json!({"group": "", "kind": "Service", "name": name, "namespace": "shop", "port": 80})
}

fn weighted(name: &str) -> Value {
    let mut backend = backend(name);
    backend["weight"] = 10.into();
    backend
}

fn l4_route(host: Option<&str>) -> Value {
    let mut spec = json!({
        "parentRefs": parents(),
        "useDefaultGateways": "None",
        "rules": [{"name": "one", "backendRefs": [weighted("cart"), weighted("store")]}],
    });
    if let Some(host) = host {
        spec["hostnames"] = json!([host, "*.example.com"]);
    }
    spec
}

fn headers() -> Value {
    json!({"set": [{"name": "x-a", "value": "1"}], "add": [{"name": "x-b", "value": "2"}], "remove": ["x-c"]})
}

fn shared_filters() -> [Value; 3] {
    [
        json!({"type": "RequestHeaderModifier", "requestHeaderModifier": headers()}),
        json!({"type": "ResponseHeaderModifier", "responseHeaderModifier": headers()}),
        json!({"type": "ExtensionRef", "extensionRef": {"group": "example.com", "kind": "Limit", "name": "slow"}}),
    ]
}

fn mirror() -> Value {
    let fraction = json!({"numerator": 1, "denominator": 10});
    json!({"type": "RequestMirror", "requestMirror": {"backendRef": backend("shadow"), "fraction": fraction}})
}

fn session() -> Value {
    json!({"sessionName": "shop", "type": "Cookie", "absoluteTimeout": "1h", "idleTimeout": "10m",
        "cookieConfig": {"lifetimeType": "Permanent"}})
}

fn grpc_route() -> Value {
    let mut filters = shared_filters().to_vec();
    filters.push(mirror());
    let mut backend = weighted("cart");
    backend["filters"] = shared_filters().to_vec().into();
    json!({
        "parentRefs": parents(),
        "useDefaultGateways": "None",
        "hostnames": ["shop.example.com", "*.example.com"],
        "rules": [
            {"name": "one",
                "matches": [{"method": {"type": "Exact", "service": "shop.Cart", "method": "Put"},
                    "headers": [{"type": "Exact", "name": "x-a", "value": "1"}]}],
                "filters": filters, "backendRefs": [backend], "sessionPersistence": session()},
            {"name": "two", "matches": [{"method": {"type": "RegularExpression", "service": "shop.+"}}]},
        ],
    })
}

fn http_routes() -> Vec<(&'static str, Value)> {
    let route = |rules: Value| {
        object(
            "HTTPRoute",
            json!({
                "parentRefs": parents(), "useDefaultGateways": "None",
                "hostnames": ["shop.example.com", "*.example.com"], "rules": rules,
            }),
        )
    };
    let matches = json!([{"path": {"type": "PathPrefix", "value": "/cart"}, "method": "GET",
        "headers": [{"type": "Exact", "name": "x-a", "value": "1"}],
        "queryParams": [{"type": "Exact", "name": "q", "value": "1"}]}]);
    let mut filters = shared_filters().to_vec();
    filters.push(mirror());
    filters.push(json!({"type": "URLRewrite", "urlRewrite": {"hostname": "inner.example.com",
        "path": {"type": "ReplacePrefixMatch", "replacePrefixMatch": "/"}}}));
    filters.push(json!({"type": "CORS", "cors": {"allowOrigins": ["https://a.example.com"], "allowCredentials": true,
        "allowMethods": ["GET", "POST"], "allowHeaders": ["x-a"], "exposeHeaders": ["x-b"], "maxAge": 60}}));
    let mut backend = weighted("cart");
    backend["filters"] = json!(shared_filters());
    let redirect = json!({"type": "RequestRedirect", "requestRedirect": {"scheme": "https", "hostname": "new.example.com",
        "port": 443, "statusCode": 301, "path": {"type": "ReplaceFullPath", "replaceFullPath": "/new"}}});
    let external = |protocol: &str, how: &str, settings: Value| {
        let body = json!({"maxSize": 1024});
        json!([{"filters": [{"type": "ExternalAuth", "externalAuth": {"protocol": protocol,
            "backendRef": self::backend("auth"), how: settings, "forwardBody": body}}], "backendRefs": [weighted("cart")]}])
    };
    vec![
        (
            "rich",
            route(json!([
                {"name": "one", "matches": matches, "filters": filters, "backendRefs": [backend],
                    "timeouts": {"request": "10s", "backendRequest": "2s"},
                    "retry": {"codes": [500, 503], "attempts": 3, "backoff": "100ms"}, "sessionPersistence": session()},
                {"name": "two", "matches": [{"path": {"type": "Exact", "value": "/"}}, {"path": {"type": "RegularExpression", "value": "/a.*"}}],
                    "backendRefs": [weighted("store")]},
            ])),
        ),
        ("redirect", route(json!([{"matches": matches, "filters": [redirect]}]))),
        (
            "asks by HTTP",
            route(external(
                "HTTP",
                "http",
                json!({"path": "/auth", "allowedHeaders": ["x-a"], "allowedResponseHeaders": ["x-b"]}),
            )),
        ),
        ("asks by gRPC", route(external("GRPC", "grpc", json!({"allowedHeaders": ["x-a"]})))),
        ("bare", object("HTTPRoute", json!({}))),
    ]
}
