//! Requests of test cases: what is expected of an answer, which rules have a test, and what is recorded.

use portcullis_core::config::ConfigErrors;
use portcullis_core::explain::{Explanation, Request, Scope};
use portcullis_core::suite::{Coverage, Recording, TestSuite};

use crate::explain::worlds::Objects;

const OBJECTS: &str = r#"
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: public}
spec: {controller: example.com/ingress-controller}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {namespace: web, name: shop}
spec:
  ingressClassName: public
  rules:
  - host: shop.example.com
    http:
      paths:
      - {path: /cart, pathType: Prefix, backend: {service: {name: cart, port: {number: 80}}}}
      - {path: /gone, pathType: Prefix, backend: {service: {name: gone, port: {number: 80}}}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: edge}
spec: {controllerName: example.com/gateway}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {namespace: edge, name: public}
spec:
  gatewayClassName: edge
  listeners:
  - {name: http, port: 8080, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {namespace: web, name: shop}
spec:
  parentRefs: [{namespace: edge, name: public}]
  hostnames: [shop.example.com]
  rules:
  - matches: [{path: {value: /cart}, headers: [{name: x-canary, value: "1"}]}]
    filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /v2}}}]
    backendRefs: [{name: cart, port: 80, weight: 9}, {name: cart-next, port: 80}]
  - filters: [{type: RequestRedirect, requestRedirect: {scheme: https, port: 443, statusCode: 308}}]
---
apiVersion: v1
kind: Service
metadata: {namespace: web, name: cart}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {namespace: web, name: cart-next}
spec: {ports: [{port: 80}]}
"#;

fn suite(requests: &str) -> Result<TestSuite, ConfigErrors> {
    let head = "apiVersion: test.portcullis.dev/v1alpha1\nkind: PortcullisTest\ncluster: [objects]\nrequests:\n";
    TestSuite::parse("a.yaml", &format!("{head}{requests}"))
}

fn nothing_missing(_: &Explanation, _: &Scope) -> Vec<String> {
    Vec::new()
}

/// The mismatches of one request.
fn run(request: &str, expect: &str) -> Vec<String> {
    let suite = suite(&format!("- {{name: a, {request}, expect: {{{expect}}}}}"));
    let suite = suite.unwrap_or_else(|errors| panic!("{errors}"));
    Objects::of(OBJECTS).with(|snapshot| suite.requests[0].run(snapshot, nothing_missing))
}

const CART: &str = "request: 'GET http://shop.example.com/cart/7'";
const CANARY: &str = "request: 'http://shop.example.com:8080/cart/7', headers: {x-canary: '1'}, gateway: edge/public";

#[test]
fn each_expectation_passes_or_fails() {
    let by = "(Ingress web/shop spec.rules[0].http.paths[0])";
    let ingress = "Ingress/web/shop";
    for (request, expect, mismatch) in [
        (CART, "service: web/cart, path: /cart/7, answered: true", None),
        (CART, &*format!("service: 'web/cart:80', object: {ingress}"), None),
        (
            CART,
            "service: 'web/cart:81'",
            Some(format!("expected Service web/cart:81 to answer, but web/cart:80 answers {by}")),
        ),
        (CART, "path: /", Some("expected the backend to receive the path /, but it receives /cart/7".to_owned())),
        (CART, "code: 308", Some(format!("expected the proxy to answer 308, but web/cart:80 answers {by}"))),
        (CART, "location: x", Some(format!("expected a redirect to x, but web/cart:80 answers {by}"))),
        (CART, "answered: false", Some(format!("expected no answer, but web/cart:80 answers {by}"))),
        (
            CART,
            "object: HTTPRoute/web/shop",
            Some(
                "expected HTTPRoute/web/shop to answer, but Ingress web/shop spec.rules[0].http.paths[0] does"
                    .to_owned(),
            ),
        ),
        (CANARY, "service: web/cart-next, path: /v2/7, object: HTTPRoute/web/shop", None),
        (CANARY, "service: web/cart, answered: true", None),
        (
            CANARY,
            "service: web/other",
            Some(
                "expected Service web/other to answer, but web/cart:80 (90 %) and web/cart-next:80 (10 %) answers \
                 (HTTPRoute web/shop spec.rules[0].matches[0])"
                    .to_owned(),
            ),
        ),
        (
            "request: 'http://shop.example.com:8080/cart/7', gateway: edge/public",
            "code: 308, location: 'https://shop.example.com/cart/7', answered: true",
            None,
        ),
        ("request: 'http://other.example.com:8080/'", "answered: false, code: 404", None),
        (
            "request: 'http://shop.example.com/gone'",
            "service: 'web/gone:80'",
            Some(
                "expected Service web/gone:80 to answer, but web/gone:80 cannot answer \
                 (Ingress web/shop spec.rules[0].http.paths[1])"
                    .to_owned(),
            ),
        ),
        ("request: 'http://shop.example.com/gone'", "answered: false", None),
        (
            &*format!("{CART}, gateway: edge/publik"),
            "answered: true",
            Some("Gateway edge/publik not found; did you mean `public`?".to_owned()),
        ),
    ] {
        let expected: Vec<String> = mismatch.into_iter().collect();
        assert_eq!(run(request, expect), expected, "{request} {expect}");
    }
}

#[test]
fn test_with_an_unknown_answer_fails() {
    let alike = OBJECTS.replace("port: 8080", "port: 80");
    let found = |more: &str| {
        let suite = suite(&format!("- {{name: a, {CART}{more}, expect: {{service: web/cart}}}}")).expect("a suite");
        Objects::of(&alike).with(|snapshot| suite.requests[0].run(snapshot, nothing_missing))
    };
    let several = "not decided, because several data planes answer: set `gateway` or `class` (Gateway edge/public, IngressClass public)";
    assert_eq!(found(""), [several]);
    assert_eq!(found(", class: public"), [""; 0]);
    let suite = suite(&format!("- {{name: a, {CART}, expect: {{answered: true}}}}")).expect("a suite");
    let found = Objects::of(OBJECTS).with(|snapshot| suite.requests[0].run(snapshot, |_, _| vec!["x.yaml".to_owned()]));
    assert_eq!(found, ["not decided, because it is not read: x.yaml"]);
}

#[test]
fn a_faulty_request_is_reported_at_its_place() {
    for (request, expected) in [
        ("{name: a, request: 'http://a/', expect: {}}", "column 10: the request expects nothing: set `object`,"),
        ("{name: a, request: a.example, expect: {code: 1}}", "column 22: `a.example` is not a valid URL"),
        ("{name: a, request: GET a b, expect: {code: 1}}", "column 22: use a URL, or a method and a URL"),
        ("{name: a, request: 'http://a/', client: x, expect: {code: 1}}", "`x` is not an IP address"),
        ("{name: a, request: 'http://a/', gateway: x, expect: {code: 1}}", "`x` is not a Gateway: use namespace/name"),
        ("{name: a, request: 'http://a/', gateway: x/y, class: z, expect: {code: 1}}", "set one of them"),
        ("{name: a, request: 'http://a/', expect: {service: x}}", "`x` is not a Service: use namespace/name"),
        ("{name: a, request: 'http://a/', expect: {object: a/b}}", "`a/b` is not an object: use kind/namespace/name"),
        ("{name: a, request: 'http://a/', expect: {object: HTTPRout/a/b}}", "did you mean `HTTPRoute`?"),
        ("{name: a, request: 'http://a/', expect: {status: 200}}", "unknown field `status`"),
    ] {
        let errors = suite(&format!("- {request}")).expect_err(request).to_string();
        assert!(errors.starts_with("a.yaml: line 5, column ") && errors.contains(expected), "{request}: {errors}");
    }
    let head = "apiVersion: test.portcullis.dev/v1alpha1\nkind: PortcullisTest\n";
    let alone = "requests: [{name: a, request: 'http://a/', expect: {code: 1}}]";
    let errors = TestSuite::parse("a.yaml", &format!("{head}{alone}")).expect_err("no objects").to_string();
    assert!(errors.contains("`requests` ask the objects in `cluster`"), "{errors}");
}

#[test]
fn recorded_requests_pass_and_cover_each_answering_rule() {
    Objects::of(OBJECTS).with(|snapshot| {
        let recording = Recording::of(snapshot, &Scope::default(), nothing_missing);
        let gone = "Ingress web/shop spec.rules[0].http.paths[1]: web/gone:80 cannot answer";
        assert_eq!(recording.skipped, [gone]);
        let file = recording.file(&["../objects".to_owned()], true);
        let suite = TestSuite::parse("a.yaml", &file).unwrap_or_else(|errors| panic!("{errors}\n{file}"));
        assert!(suite.complete && suite.cases.is_empty(), "{file}");
        assert_eq!(suite.cluster[0].value, "../objects");
        for case in &suite.requests {
            assert_eq!(case.run(snapshot, nothing_missing), [""; 0], "{}", case.name.value);
        }
        let canary = "  request: GET http://shop.example.com:8080/cart\n  headers:\n    x-canary: \"1\"\n  gateway: edge/public\n  expect:\n    \
                      object: HTTPRoute/web/shop\n    service: web/cart:80\n    path: /v2\n";
        assert!(file.contains(canary), "{file}");
        let coverage = Coverage::of(snapshot, &suite.requests);
        let untested: Vec<String> =
            coverage.untested.iter().map(|(object, field)| format!("{object} {field}")).collect();
        assert_eq!((coverage.rules, coverage.tested()), (4, 3), "{untested:?}");
        assert_eq!(untested, ["Ingress web/shop spec.rules[0].http.paths[1]"]);
        assert_eq!(Coverage::of(snapshot, &suite.requests[..1]).tested(), 1);
    });
}

/// A request that a case asks as it is named.
fn case(request: &Request) -> String {
    let headers = request.headers.iter().map(|(name, value)| format!("{name}: {value:?}"));
    let headers = headers.collect::<Vec<_>>().join(", ");
    let words = format!("{} {}", request.method, request.url());
    format!("- {{name: a, request: {words:?}, headers: {{{headers}}}, expect: {{answered: true}}}}\n")
}

#[test]
fn a_test_for_each_region_leaves_none_unvisited() {
    Objects::of(OBJECTS).with(|snapshot| {
        let covered = |requests: &str| Coverage::of(snapshot, &suite(requests).expect("a suite").requests);
        let none = covered("- {name: a, request: 'http://other.example.com/', expect: {answered: false}}");
        assert_eq!((none.regions, none.unvisited.len()), (0, 0), "no rule answers for the host of the test");
        let first = "- {name: a, request: 'http://shop.example.com/cart/7', expect: {answered: true}}\n";
        let one = covered(first);
        assert_eq!(one.unvisited.len() + 1, one.regions);
        let rest: String = one.unvisited.iter().map(case).collect();
        let all = covered(&format!("{first}{rest}"));
        assert_eq!((all.regions, all.unvisited), (one.regions, Vec::new()));
    });
}

#[test]
fn a_rule_of_a_grpc_route_is_recorded_with_a_call() {
    let objects = OBJECTS.replace("kind: HTTPRoute", "kind: GRPCRoute");
    let rules = objects.find("  - matches: [{path").expect("the rules");
    let end = objects[rules..].find("---").expect("the end of the route") + rules;
    let rule = "  - {matches: [{method: {service: shop.Cart, method: Add}}], backendRefs: [{name: cart, port: 80}]}\n";
    Objects::of(&format!("{}{rule}{}", &objects[..rules], &objects[end..])).with(|snapshot| {
        let file = Recording::of(snapshot, &Scope::default(), nothing_missing).file(&[], true);
        let call = "  request: POST http://shop.example.com:8080/shop.Cart/Add\n  headers:\n    content-type: application/grpc\n";
        assert!(file.contains(call), "{file}");
    });
}
