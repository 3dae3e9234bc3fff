//! Headers in what a client gets: those of cross-origin requests, and those that single backends get and set.

use portcullis_core::report::answer;
use serde_json::{Value, json};

use super::outcomes::{check, outcome, route};
use super::worlds::Objects;

/// An HTTPRoute whose only rule has a filter CORS with these settings.
fn cors(settings: &str) -> Objects {
    let filters = format!("[{{type: CORS, cors: {{{settings}}}}}]");
    route("HTTPRoute", &format!("[{{filters: {filters}, backendRefs: [{{name: cart, port: 80}}]}}]"))
}

/// The settings of most cases.
const SETTINGS: &str = "allowOrigins: [\"https://shop.example.com\", \"https://*.example.com\", \"http://local:8080\"], \
    allowMethods: [GET, PUT], allowHeaders: [X-A, X-B], exposeHeaders: [X-C, X-D]";

/// A list of headers in JSON.
fn pairs(headers: &[(&str, &str)]) -> Value {
    headers.iter().map(|(name, value)| json!({"name": name, "value": value})).collect()
}

/// A request from a page of `origin`.
fn from(origin: &str) -> String {
    format!("http://shop.example.com/ --header origin={origin}")
}

/// A preflight request from a page of `origin` for a method.
fn preflight(origin: &str, method: &str) -> String {
    format!("OPTIONS {} --header access-control-request-method={method}", from(origin))
}

#[test]
fn response_allows_the_origin_of_the_request() {
    let objects = cors(SETTINGS);
    for origin in [
        "https://shop.example.com",
        "https://shop.example.com:443",
        "https://a.example.com",
        "https://b.a.example.com",
        "http://local:8080",
    ] {
        let headers = [("access-control-allow-origin", origin), ("access-control-expose-headers", "X-C, X-D")];
        let expected = json!({"set": pairs(&headers), "add": [], "remove": []});
        check(&objects, &from(origin), &json!({"kind": "backends", "responseHeaders": expected, "notEvaluated": []}));
    }
}

#[test]
fn response_to_another_origin_is_unchanged() {
    let objects = cors(SETTINGS);
    for origin in [
        "https://example.com",
        "http://shop.example.com",
        "https://shop.example.com:8443",
        "https://shop.example.com.evil.com",
        "https://evilexample.com",
        "http://local",
        "null",
    ] {
        let got = json!({"kind": "backends", "responseHeaders": null, "notEvaluated": []});
        check(&objects, &from(origin), &got);
        let reason = format!("preflight request: origin {origin} is not allowed");
        let refused = json!({"kind": "response", "code": 204, "headers": null, "reason": reason});
        check(&objects, &preflight(origin, "PUT"), &refused);
    }
    check(&objects, "http://shop.example.com/", &json!({"kind": "backends", "responseHeaders": null}));
}

#[test]
fn gateway_answers_preflight_requests() {
    let objects = cors(&format!("{SETTINGS}, maxAge: 60"));
    let request = preflight("https://a.example.com", "PUT");
    let headers = [
        ("access-control-allow-origin", "https://a.example.com"),
        ("access-control-expose-headers", "X-C, X-D"),
        ("access-control-allow-methods", "GET, PUT"),
        ("access-control-allow-headers", "X-A, X-B"),
        ("access-control-max-age", "60"),
    ];
    let reason = "preflight request: origin https://a.example.com is allowed";
    let expected = json!({"kind": "response", "code": 204, "headers": pairs(&headers), "reason": reason});
    check(&objects, &request, &expected);
    let text = answer::text(&objects.ask(&request), &[]);
    let shown = "
answered with
  response header  access-control-allow-origin: https://a.example.com
  response header  access-control-expose-headers: X-C, X-D
  response header  access-control-allow-methods: GET, PUT
  response header  access-control-allow-headers: X-A, X-B
  response header  access-control-max-age: 60
";
    assert!(text.contains(&format!("{reason}: 204\n")) && text.contains(shown), "{text}");
    assert!(!text.contains("Service web/cart"), "no backend gets the request: {text}");
    // Without a method that it asks for, a request is not a preflight request.
    let plain = format!("OPTIONS {}", from("https://a.example.com"));
    assert_eq!(outcome(&objects, &plain)["kind"], "backends");
}

#[test]
fn preflight_request_of_another_method_gets_the_allowed_ones() {
    let objects = cors("allowOrigins: [\"*\"], allowMethods: [PUT]");
    for (method, words) in [
        ("PUT", "origin https://a.com is allowed"),
        ("POST", "origin https://a.com is allowed"),
        ("DELETE", "method DELETE is not allowed"),
    ] {
        let headers = [
            ("access-control-allow-origin", "*"),
            ("access-control-allow-methods", "PUT"),
            ("access-control-max-age", "5"),
        ];
        let expected = json!({"headers": pairs(&headers), "reason": format!("preflight request: {words}")});
        check(&objects, &preflight("https://a.com", method), &expected);
    }
}

/// Browsers ignore `*` in answers to requests with credentials, so the gateway names what the request asks for.
#[test]
fn credentials_forbid_wildcards_in_headers() {
    let all = "allowOrigins: [\"*\"], allowMethods: [\"*\"], allowHeaders: [\"*\"], exposeHeaders: [\"*\"]";
    let request = preflight("https://a.com", "DELETE");
    let with_headers = format!("{request} --header access-control-request-headers=x-a");
    let max_age = ("access-control-max-age", "5");
    let of_credentials = [
        ("access-control-allow-origin", "https://a.com"),
        ("access-control-allow-credentials", "true"),
        ("access-control-allow-methods", "DELETE"),
    ];
    let objects = cors(&format!("{all}, allowCredentials: true"));
    let mut headers = of_credentials.to_vec();
    headers.push(max_age);
    check(&objects, &request, &json!({"headers": pairs(&headers)}));
    headers.insert(3, ("access-control-allow-headers", "x-a"));
    check(&objects, &with_headers, &json!({"headers": pairs(&headers)}));
    let expected = json!({"set": pairs(&of_credentials[..2]), "add": [], "remove": []});
    check(&objects, &from("https://a.com"), &json!({"responseHeaders": expected}));

    let lists = ["allow-origin", "expose-headers", "allow-methods", "allow-headers"];
    let lists = lists.map(|name| format!("access-control-{name}"));
    let mut headers: Vec<(&str, &str)> = lists.iter().map(|name| (name.as_str(), "*")).collect();
    headers.push(max_age);
    check(&cors(&format!("{all}, allowCredentials: false")), &with_headers, &json!({"headers": pairs(&headers)}));
}

#[test]
fn headers_of_a_cross_origin_redirect_are_not_evaluated() {
    let filters =
        "[{type: CORS, cors: {allowOrigins: [\"*\"]}}, {type: RequestRedirect, requestRedirect: {scheme: https}}]";
    let objects = route("HTTPRoute", &format!("[{{filters: {filters}}}]"));
    let named = ["filter CORS at spec.rules[0].filters[0]"];
    check(&objects, &from("https://a.com"), &json!({"kind": "redirect", "notEvaluated": named}));
    check(&objects, "http://shop.example.com/", &json!({"kind": "redirect", "notEvaluated": []}));
    check(&objects, &preflight("https://a.com", "PUT"), &json!({"kind": "response", "notEvaluated": []}));
}

#[test]
fn each_of_several_backends_has_headers_of_its_own() {
    let objects = route(
        "HTTPRoute",
        "
  - filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: X-Tenant, value: shop}]}}]
    backendRefs:
    - name: cart
      port: 80
      filters:
      - {type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: X-Tenant, value: cart}], remove: [X-Debug]}}
      - {type: ExtensionRef, extensionRef: {group: example.com, kind: Limit, name: ten}}
    - name: other
      port: 80
      filters:
      - {type: RequestHeaderModifier, requestHeaderModifier: {add: [{name: X-Seen, value: other}]}}
      - {type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: X-From, value: other}]}}
    - {name: plain, port: 80, weight: 2}",
    );
    let request = "http://shop.example.com/";
    let got = outcome(&objects, request);
    let headers =
        |index: usize| json!([got["backends"][index]["requestHeaders"], got["backends"][index]["responseHeaders"]]);
    let tenant = json!({"set": pairs(&[("x-tenant", "cart")]), "add": [], "remove": ["x-debug"]});
    let seen = json!({"set": [], "add": pairs(&[("x-seen", "other")]), "remove": []});
    let of_other = json!({"set": pairs(&[("x-from", "other")]), "add": [], "remove": []});
    assert_eq!(
        [headers(0), headers(1), headers(2)],
        [json!([tenant, null]), json!([seen, of_other]), json!([null, null])]
    );
    check(
        &objects,
        request,
        &json!({
            "request": {"path": "/", "host": "shop.example.com", "headers": pairs(&[("x-tenant", "shop")])},
            "responseHeaders": null,
            "notEvaluated": ["filter ExtensionRef at spec.rules[0].backendRefs[0].filters[1]"],
        }),
    );
    let text = answer::text(&objects.ask(request), &[]);
    let shown = "
changed on the way
  header                         x-tenant: shop
  header to cart:80              x-tenant: cart
  header to cart:80              x-debug is removed
  header to other:80             x-seen: other is added
  response header from other:80  x-from: other
";
    assert!(text.contains(shown), "{text}");
}
