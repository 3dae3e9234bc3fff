//! What a client gets, as values: each case has objects, and what requests to them lead to.

use std::sync::LazyLock;

use portcullis_core::config::{CONTROLLER_NAME, Config};
use portcullis_core::report::{answer, answer_document};
use portcullis_testing::config::text;
use portcullis_testing::json_schema::close;
use serde_json::{Value, json};

use super::worlds::Objects;

/// The schema of answers, which accepts no fields that it does not name.
static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let mut schema = answer_document::schema();
    close(&mut schema);
    jsonschema::validator_for(&schema).expect("the schema is valid")
});

/// The outcome in JSON, from an answer that follows its schema.
pub(super) fn outcome(objects: &Objects, request: &str) -> Value {
    let document: Value = serde_json::from_str(&answer_document::json(&objects.ask(request), &[])).expect("JSON");
    let errors: Vec<String> = SCHEMA.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{document:#}");
    document["outcome"].clone()
}

/// The parts of the outcome that a case names are these.
pub(super) fn check(objects: &Objects, request: &str, expected: &Value) {
    let outcome = outcome(objects, request);
    for (name, value) in expected.as_object().expect("a map") {
        assert_eq!(&outcome[name], value, "{request}: {name} of {outcome:#}");
    }
}

const GATEWAY: &str = "
kind: GatewayClass
apiVersion: gateway.networking.k8s.io/v1
metadata: {name: shared}
spec: {controllerName: example.com/gateway-controller}
---
kind: Gateway
apiVersion: gateway.networking.k8s.io/v1
metadata: {namespace: infra, name: edge}
spec:
  gatewayClassName: shared
  listeners:
  - {name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}
  - {name: http-alt, port: 8080, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}
---
kind: Service
apiVersion: v1
metadata: {namespace: web, name: cart}
spec: {ports: [{port: 80}]}
";

/// A route of the kind with these rules.
pub(super) fn route(kind: &str, rules: &str) -> Objects {
    Objects::of(&manifest(kind, rules))
}

/// [`GATEWAY`] with a route of the kind with these rules.
fn manifest(kind: &str, rules: &str) -> String {
    format!(
        "{GATEWAY}---
kind: {kind}
apiVersion: gateway.networking.k8s.io/v1
metadata: {{namespace: web, name: shop}}
spec:
  parentRefs: [{{namespace: infra, name: edge}}]
  hostnames: [shop.example.com]
  rules: {rules}
"
    )
}

/// An HTTPRoute whose rules for each path have this filter and no backends.
fn redirecting(filters: &[(&str, &str)]) -> Objects {
    let rules = filters.iter().map(|(path, redirect)| {
        format!(
            "
  - matches: [{{path: {path}}}]
    filters: [{{type: RequestRedirect, requestRedirect: {redirect}}}]"
        )
    });
    route("HTTPRoute", &rules.collect::<String>())
}

#[test]
fn a_redirect_of_an_http_route_has_a_location() {
    let objects = redirecting(&[
        ("{value: /https}", "{scheme: https, statusCode: 301}"),
        ("{value: /host}", "{hostname: other.example.com}"),
        ("{value: /port}", "{port: 8443, scheme: https, statusCode: 308}"),
        ("{value: /full}", "{path: {type: ReplaceFullPath, replaceFullPath: /new}}"),
        ("{value: /old}", "{path: {type: ReplacePrefixMatch, replacePrefixMatch: /new}}"),
        ("{type: RegularExpression, value: '/v[0-9]'}", "{path: {type: ReplacePrefixMatch, replacePrefixMatch: /new}}"),
    ]);
    for (request, code, location) in [
        ("http://shop.example.com/https/a?x=1%20", 301, "https://shop.example.com/https/a?x=1%20"),
        ("http://shop.example.com:8080/https", 301, "https://shop.example.com/https"),
        ("http://shop.example.com/host", 302, "http://other.example.com/host"),
        ("http://shop.example.com:8080/host", 302, "http://other.example.com:8080/host"),
        ("http://shop.example.com/port", 308, "https://shop.example.com:8443/port"),
        ("http://shop.example.com/full/a?b=c", 302, "http://shop.example.com/new?b=c"),
        ("http://shop.example.com/old/a", 302, "http://shop.example.com/new/a"),
        ("http://shop.example.com/old", 302, "http://shop.example.com/new"),
    ] {
        check(&objects, request, &json!({"kind": "redirect", "code": code, "location": location}));
    }
}

#[test]
fn a_backend_gets_the_request_that_filters_make() {
    let objects = route(
        "HTTPRoute",
        "
  - matches: [{path: {value: /cart}}]
    filters:
    - {type: URLRewrite, urlRewrite: {hostname: inner.example.com, path: {type: ReplacePrefixMatch, replacePrefixMatch: /}}}
    - type: RequestHeaderModifier
      requestHeaderModifier: {set: [{name: X-Tenant, value: web}], add: [{name: x-seen, value: b}], remove: [X-Debug]}
    - {type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: X-Frame, value: deny}], remove: [Server]}}
    - {type: RequestMirror, requestMirror: {percent: 25, backendRef: {name: cart, port: 80}}}
    - {type: ExtensionRef, extensionRef: {group: example.com, kind: Limit, name: ten}}
    timeouts: {request: 10s}
    retry: {attempts: 2}
    backendRefs:
    - {name: cart, port: 80, weight: 3}
    - {name: gone, port: 80}",
    );
    let request = "http://shop.example.com/cart/1?a=b --header x-tenant=evil --header x-seen=a --header x-debug=1";
    let services = [("cart", 0.75, true), ("gone", 0.25, false)].map(|(name, share, answers)| {
        let mut backend = json!({"namespace": "web", "service": name, "port": 80, "share": share, "answers": answers});
        if !answers {
            backend["code"] = 500.into();
        }
        backend
    });
    let header = |name: &str, value: &str| json!({"name": name, "value": value});
    check(
        &objects,
        request,
        &json!({
            "kind": "backends",
            "backends": services,
            "request": {"path": "/1", "host": "inner.example.com",
                "headers": [header("x-seen", "a,b"), header("x-tenant", "web")]},
            "responseHeaders": {"set": [header("x-frame", "deny")], "add": [], "remove": ["server"]},
            "mirrors": [{"namespace": "web", "service": "cart", "port": 80, "share": 0.25, "answers": true}],
            "timeouts": [header("request", "10s")],
            "notEvaluated": ["filter ExtensionRef at spec.rules[0].filters[4]", "spec.rules[0].retry"],
        }),
    );
    let text = answer::text(&objects.ask(request), &[]);
    let shown = "
changed on the way
  path             /1
  host             inner.example.com
  header           x-seen: a,b
  header           x-tenant: web
  header           x-debug is removed
  response header  x-frame: deny
  response header  server is removed
  timeout          request 10s

copies
  cart:80  25 %

not evaluated
  filter ExtensionRef at spec.rules[0].filters[4]
  spec.rules[0].retry
";
    assert!(text.contains(shown), "{text}");
}

#[test]
fn filters_of_the_only_backend_change_headers() {
    let filters = "filters:
      - {type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: X-Tenant, value: cart}]}}
      - {type: ResponseHeaderModifier, responseHeaderModifier: {remove: [Server]}}";
    let rules = |second: &str| {
        format!(
            "
  - filters: [{{type: RequestHeaderModifier, requestHeaderModifier: {{add: [{{name: X-Tenant, value: shop}}]}}}}]
    backendRefs:
    - name: cart
      port: 80
      {filters}
    {second}"
        )
    };
    let request = "http://shop.example.com/";
    for second in ["", "- {name: gone, port: 80, weight: 0}"] {
        check(
            &route("HTTPRoute", &rules(second)),
            request,
            &json!({
                "request": {"path": "/", "host": "shop.example.com", "headers": [{"name": "x-tenant", "value": "cart"}]},
                "responseHeaders": {"set": [], "add": [], "remove": ["server"]},
                "notEvaluated": [],
            }),
        );
    }
}

#[test]
fn the_proxy_answers_if_no_backend_can() {
    let gone = "[{backendRefs: [{name: gone, port: 80}]}]";
    let reason = |answer: &str| format!("no backend can answer: {answer}");
    let missing = json!({"kind": "response", "code": 500, "reason": reason("answers 500"), "backends": null});
    check(&route("HTTPRoute", gone), "http://shop.example.com/", &missing);
    let unavailable = json!({"kind": "response", "code": null, "reason": reason("answers UNAVAILABLE")});
    check(&route("GRPCRoute", gone), "POST http://shop.example.com/cart.Cart/Add", &unavailable);
    let ingress = json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"namespace": "web", "name": "shop"},
        "spec": {"defaultBackend": {"service": {"name": "gone", "port": {"number": 80}}}}});
    let undefined = json!({"kind": "none", "code": null, "reason": reason("the controller decides what it answers")});
    check(&Objects::of_values(&[ingress]), "http://shop.example.com/", &undefined);
}

/// What a backend that cannot answer leads to depends on the kind of the route.
#[test]
fn the_share_of_a_backend_that_cannot_answer_is_lost() {
    let rules =
        "[{backendRefs: [{name: cart, port: 80}, {name: gone, port: 80}, {name: cart, namespace: other, port: 80}]}]";
    let listeners = "
kind: Gateway
apiVersion: gateway.networking.k8s.io/v1
metadata: {namespace: infra, name: edge}
spec:
  gatewayClassName: shared
  listeners:
  - {name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}
  - {name: tls, port: 443, protocol: TLS, tls: {mode: Passthrough}, allowedRoutes: {namespaces: {from: All}}}
---
kind: Service
apiVersion: v1
metadata: {namespace: web, name: cart}
spec: {ports: [{port: 80}]}
";
    for (kind, request, consequence, row) in [
        ("HTTPRoute", "http://shop.example.com/", "500 for its share of requests", "answers 500"),
        (
            "GRPCRoute",
            "POST http://shop.example.com/a.B/C",
            "UNAVAILABLE for its share of requests",
            "answers UNAVAILABLE",
        ),
        ("TLSRoute", "https://shop.example.com/", "its share of connections is closed", "the connection is closed"),
    ] {
        let route = format!(
            "{listeners}---
kind: {kind}
apiVersion: gateway.networking.k8s.io/v1
metadata: {{namespace: web, name: shop}}
spec: {{parentRefs: [{{namespace: infra, name: edge}}], hostnames: [shop.example.com], rules: {rules}}}
"
        );
        let text = answer::text(&Objects::of(&route).ask(request), &[]);
        for words in [
            format!("Service not found: {consequence}\n"),
            format!("no ReferenceGrant lets the route refer to it: {consequence}\n"),
            format!("gone:80        33.3 %  {row}\n"),
        ] {
            assert!(text.contains(&words), "{kind}: {words}{text}");
        }
    }
}

/// A kind that only an implementation knows can answer, unless the class is of this controller, whose status rejects it.
#[test]
fn a_backend_of_another_kind_answers_for_other_controllers() {
    let rules = "[{backendRefs: [{group: example.com, kind: Bucket, name: shop}]}]";
    let other = route("HTTPRoute", rules);
    let backend = &outcome(&other, "http://shop.example.com/")["backends"][0];
    assert_eq!((&backend["kind"], &backend["answers"]), (&json!("Bucket"), &json!(true)), "{backend}");
    let text = answer::text(&other.ask("http://shop.example.com/"), &[]);
    assert!(text.contains("only the implementation knows kind Bucket of group example.com"), "{text}");
    for (kind, method, expected) in [("HTTPRoute", "GET", json!(500)), ("GRPCRoute", "POST", json!(null))] {
        let request = format!("{method} http://shop.example.com/a.B/C");
        let own = Objects::of(&manifest(kind, rules).replace("example.com/gateway-controller", CONTROLLER_NAME));
        check(&own, &request, &json!({"kind": "response", "code": expected}));
        let text = answer::text(&own.ask(&request), &[]);
        assert!(text.contains("kind Bucket of group example.com is not supported as a backend: "), "{text}");
    }
}

const TERMINATE: &str = "{mode: Terminate, options: {example.com/certificate: a}}}";

/// A listener that cannot be served receives nothing: the features of the configuration count for its own classes.
#[test]
fn a_listener_that_is_not_served_receives_nothing() {
    let listener = "{name: tls, port: 443, protocol: TLS, allowedRoutes: {namespaces: {from: All}}, tls: TLS}";
    let gateway = |listener: &str| {
        Objects::of(
            &manifest("TLSRoute", "[{backendRefs: [{name: cart, port: 80}]}]")
                .replace("example.com/gateway-controller", CONTROLLER_NAME)
                .replace("  listeners:\n", &format!("  listeners:\n  - {listener}\n")),
        )
    };
    let terminating = || gateway(&listener.replace("TLS}", TERMINATE));
    let features = |list: &str| {
        let config = format!("status: {{dataPlane: attested, supportedFeatures: [{list}]}}");
        Config::parse(&text(&config)).expect("the configuration is valid")
    };
    let answers = |objects: &Objects| objects.ask("https://shop.example.com/").is_answered();
    assert!(answers(&terminating()));
    assert!(!answers(&terminating().under(features("TLSRoute"))));
    assert!(
        answers(&terminating().under(features("HTTPRoute"))),
        "TLSRoute is not listed, so nothing is known of its modes"
    );
    assert!(answers(&terminating().under(features("TLSRoute, TLSRouteModeTerminate"))));
    let both = "{name: other, port: 443, protocol: TLS, hostname: a.example, tls: {mode: Passthrough}}";
    let mixed = || gateway(&format!("{}\n  - {both}", listener.replace("TLS}", TERMINATE)));
    assert!(!answers(&mixed().under(features("TLSRoute, TLSRouteModeTerminate"))));
    assert!(answers(&mixed().under(features("TLSRoute, TLSRouteModeTerminate, TLSRouteModeMixed"))));
    let ungranted = "{mode: Terminate, certificateRefs: [{name: a, namespace: other}]}}";
    assert!(!answers(&gateway(&listener.replace("TLS}", ungranted))), "no grant allows its only certificate");
}

#[test]
fn the_reached_listener_is_named_if_nothing_answers() {
    let objects = route("HTTPRoute", "[{matches: [{path: {value: /cart}}], backendRefs: [{name: cart, port: 80}]}]");
    let reached = json!([{"object": "Gateway/infra/edge", "field": "spec.listeners[1]", "code": 404,
        "reason": "no rule of a route matches"}]);
    for request in ["http://shop.example.com:8080/", "http://other.example.com:8080/cart"] {
        check(&objects, request, &json!({"kind": "none", "code": 404, "reached": reached}));
    }
    check(&objects, "http://shop.example.com:81/", &json!({"kind": "none", "code": null, "reached": null}));
    let ingress = json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"namespace": "web", "name": "shop"},
        "spec": {"rules": [{"host": "shop.example.com", "http": {"paths": [{"path": "/cart", "pathType": "Prefix",
            "backend": {"service": {"name": "cart", "port": {"number": 80}}}}]}}]}});
    let reached = json!([{"object": "Ingress/web/shop", "field": "spec.rules[0]",
        "reason": "no path matches, and no Ingress has a default backend"}]);
    let expected = json!({"kind": "none", "code": null, "reached": reached});
    check(&Objects::of_values(&[ingress]), "http://shop.example.com/", &expected);
}

/// A root with these routes, for a host with TLS if `tls` is set.
fn proxy(tls: &str, routes: &str) -> Objects {
    Objects::of(&format!(
        "
kind: HTTPProxy
apiVersion: projectcontour.io/v1
metadata: {{namespace: web, name: shop}}
spec:
  virtualhost: {{fqdn: shop.example.com{tls}}}
  routes: {routes}
---
kind: Service
apiVersion: v1
metadata: {{namespace: web, name: cart}}
spec: {{ports: [{{port: 80}}]}}
"
    ))
}

#[test]
fn http_proxies_redirect_rewrite_and_respond_as_contour_does() {
    let objects = proxy(
        ", corsPolicy: {allowOrigin: ['*'], allowMethods: [GET]}",
        "
  - conditions: [{prefix: /old}]
    requestRedirectPolicy: {hostname: new.example.com, statusCode: 301, prefix: /v2}
  - conditions: [{prefix: /secure}]
    requestRedirectPolicy: {scheme: https}
  - conditions: [{prefix: /gone}]
    directResponsePolicy: {statusCode: 410}
  - conditions: [{prefix: /cart}]
    pathRewritePolicy: {replacePrefix: [{prefix: /other, replacement: /no}, {replacement: /}]}
    requestHeadersPolicy: {set: [{name: Host, value: inner.example.com}, {name: X-A, value: '%HOSTNAME%'}]}
    timeoutPolicy: {response: 1s}
    services: [{name: cart, port: 80}, {name: gone, port: 80, mirror: true, weight: 10}]
  - conditions: [{prefix: /none}]
    services: [{name: gone, port: 80}]",
    );
    for (request, expected) in [
        (
            "http://shop.example.com/old/a?b",
            json!({"kind": "redirect", "code": 301, "location": "http://new.example.com/v2/a?b"}),
        ),
        (
            "http://shop.example.com:8080/secure",
            json!({"kind": "redirect", "code": 302, "location": "https://shop.example.com:8080/secure"}),
        ),
        ("http://shop.example.com/gone", json!({"kind": "response", "code": 410, "reason": "a fixed response"})),
        ("http://shop.example.com/none", json!({"kind": "response", "code": 503})),
        (
            "http://shop.example.com/cart/1",
            json!({"kind": "backends", "notEvaluated": ["spec.routes[3].timeoutPolicy",
                "variables of spec.routes[3].requestHeadersPolicy", "spec.virtualhost.corsPolicy of HTTPProxy web/shop"],
                "request": {"path": "/1", "host": "inner.example.com",
                    "headers": [{"name": "x-a", "value": "%HOSTNAME%"}]},
                "mirrors": [{"namespace": "web", "service": "gone", "port": 80, "share": 0.1, "answers": true}]}),
        ),
        ("http://shop.example.com/other", json!({"kind": "none", "code": 404})),
    ] {
        check(&objects, request, &expected);
    }
    // Contour adds a route for a prefix with a slash unless another route has it; Envoy replaces the text.
    let rewrites = proxy(
        "",
        "
  - conditions: [{prefix: /api/}]
    pathRewritePolicy: {replacePrefix: [{replacement: /v2}]}
    services: [{name: cart, port: 80}]
  - conditions: [{prefix: /two}]
    pathRewritePolicy: {replacePrefix: [{replacement: /}]}
    services: [{name: cart, port: 80}]
  - conditions: [{prefix: /two/}]
    directResponsePolicy: {statusCode: 410}
  - conditions: [{prefix: /pair}, {header: {name: x-a, present: true}}]
    directResponsePolicy: {statusCode: 410}
  - conditions: [{prefix: /pair}]
    pathRewritePolicy: {replacePrefix: [{replacement: /}]}
    services: [{name: cart, port: 80}]",
    );
    for (path, sent) in
        [("/api", "/v2"), ("/api/a", "/v2/a"), ("/apis", "/v2s"), ("/two", "/"), ("/twos", "/s"), ("/pair/a", "//a")]
    {
        let received = json!({"path": sent, "host": "shop.example.com", "headers": []});
        let expected = json!({"kind": "backends", "request": received});
        check(&rewrites, &format!("http://shop.example.com{path}"), &expected);
    }
    let secure = proxy(", tls: {secretName: certificate}", "[{services: [{name: cart, port: 80}]}]");
    let redirect = json!({"kind": "redirect", "code": 301, "location": "https://shop.example.com/a?b"});
    check(&secure, "http://shop.example.com/a?b", &redirect);
}

#[test]
fn annotations_that_are_not_evaluated_are_named() {
    let ingress = |class: &str| {
        json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
            "metadata": {"namespace": "web", "name": "shop", "annotations": {
                "example.com/owner": "web",
                "kubernetes.io/ingress.class": class,
                "nginx.ingress.kubernetes.io/auth-url": "https://auth.example.com",
                "nginx.ingress.kubernetes.io/rewrite-target": "/$1",
                "nginx.ingress.kubernetes.io/use-regex": "true",
                "nginx.ingress.kubernetes.io/server-alias": "www.example.com",
            }},
            "spec": {"tls": [{"hosts": ["shop.example.com"]}],
                "defaultBackend": {"service": {"name": "cart", "port": {"number": 80}}}}})
    };
    let class = |name: &str, controller: &str| {
        json!({"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass", "metadata": {"name": name},
            "spec": {"controller": controller}})
    };
    let of_nginx =
        ["annotation nginx.ingress.kubernetes.io/auth-url", "annotation nginx.ingress.kubernetes.io/rewrite-target"];
    let tls = "redirect from HTTP to HTTPS because of spec.tls";
    for (name, controller, expected) in [
        (
            "nginx",
            "k8s.io/ingress-nginx",
            vec!["annotation nginx.ingress.kubernetes.io/auth-url may answer 401, 403 or 500"],
        ),
        ("kong", "ingress-controllers.konghq.com/kong", vec![]),
        ("skipper", "zalando.org/skipper-ingress", vec![tls]),
        ("ours", "example.com/ours", vec![of_nginx[0], of_nginx[1], tls]),
    ] {
        let objects = Objects::of_values(&[ingress(name), class(name, controller)]);
        check(&objects, "http://shop.example.com/", &json!({"notEvaluated": expected}));
    }
}

#[test]
fn different_outcomes_of_data_planes_are_unknown() {
    let ingress = |name: &str, class: &str, service: &str| {
        json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"namespace": "web", "name": name},
            "spec": {"ingressClassName": class,
                "defaultBackend": {"service": {"name": service, "port": {"number": 80}}}}})
    };
    let objects = Objects::of_values(&[ingress("a", "one", "cart"), ingress("b", "two", "cart")]);
    check(&objects, "http://shop.example.com/", &json!({"kind": "none"}));
    let objects = Objects::of_values(&[ingress("a", "one", "cart"), ingress("b", "two", "other")]);
    check(&objects, "http://shop.example.com/", &json!({"kind": "unknown"}));
    check(&objects, "http://shop.example.com/ --class one", &json!({"kind": "none"}));
}
