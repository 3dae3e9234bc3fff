//! Headers in what a client gets: those that single backends get and set.

use portcullis_core::report::answer;
use serde_json::{Value, json};

use super::outcomes::{check, outcome, route};

/// A list of headers in JSON.
fn pairs(headers: &[(&str, &str)]) -> Value {
    headers.iter().map(|(name, value)| json!({"name": name, "value": value})).collect()
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
