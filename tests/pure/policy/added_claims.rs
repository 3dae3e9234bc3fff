//! An object whose host belongs to another namespace may stay as it is. An update that adds to what it takes is denied like
//! a creation, and one that adds nothing passes.

use portcullis_testing::each;

use super::review_fixture::{Review, ingress};

const OWNED: &str = "hostOwnership: {hosts: [{host: shop.example.com, namespaces: {names: [web]}}]}";
const NOT_OWNED: &str =
    "tolerated before, but this update adds to it: host shop.example.com belongs to namespace web [host/not-owned]";

/// An Ingress of a namespace that does not own the host, with paths such as `Prefix /legacy`.
fn squatter(class: &str, metadata: &str, paths: &[&str]) -> String {
    let path = |path: &&str| {
        let (kind, path) = path.split_once(' ').expect("a path has a type");
        format!("{{path: '{path}', pathType: {kind}, backend: {{service: {{name: s, port: {{number: 80}}}}}}}}")
    };
    let paths: Vec<String> = paths.iter().map(path).collect();
    format!(
        "apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{namespace: team-b, name: x{metadata}}}
spec:
  ingressClassName: {class}
  rules: [{{host: shop.example.com, http: {{paths: [{}]}}}}]
",
        paths.join(", ")
    )
}

fn route(parents: &str, matches: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{namespace: team-b, name: x}}
spec:
  parentRefs: {parents}
  hostnames: [shop.example.com]
  rules: [{{matches: [{matches}]}}]
"
    )
}

fn denials(old: &str, new: &str, config: &str) -> Vec<String> {
    let web = ingress("web/shop", "", "shop.example.com", "/cart");
    let response = Review { config, object: new, old: Some(old), rest: &web, ..Review::default() }.response();
    response.denials().into_iter().map(str::to_owned).collect()
}

#[test]
fn tolerated_claim_may_not_grow() {
    let old = squatter("nginx", "", &["Prefix /legacy"]);
    let grown = [
        ("another path", squatter("nginx", "", &["Prefix /legacy", "Exact /cart"])),
        ("a wider path", squatter("nginx", "", &["Prefix /"])),
        ("a renamed path", squatter("nginx", "", &["Prefix /new"])),
        ("an expression", squatter("nginx", "", &["Prefix /legacy", "ImplementationSpecific /.*"])),
        ("another class", squatter("traefik", "", &["Prefix /legacy"])),
        (
            "a second class",
            squatter("nginx", ", annotations: {kubernetes.io/ingress.class: traefik}", &["Prefix /legacy"]),
        ),
    ];
    each(
        grown,
        |(name, _)| (*name).to_owned(),
        |(_, new)| {
            let found = denials(&old, new, OWNED);
            assert!(found.iter().any(|denial| denial == NOT_OWNED), "{found:?}");
        },
    );
}

#[test]
fn tolerated_claim_may_stay_or_shrink() {
    let old = squatter("nginx", "", &["Prefix /legacy", "Prefix /other"]);
    for new in [
        squatter("nginx", "", &["Prefix /legacy", "Prefix /other"]),
        squatter("nginx", "", &["Prefix /other", "Prefix /legacy"]),
        squatter("nginx", "", &["Prefix /legacy", "Prefix /other", "Prefix /other"]),
        squatter("nginx", "", &["Prefix /legacy"]),
        squatter("nginx", ", labels: {a: b}, annotations: {example.com/note: c}", &["Prefix /legacy", "Prefix /other"]),
    ] {
        assert_eq!(denials(&old, &new, OWNED), [""; 0], "{new}");
    }
}

#[test]
fn tolerated_route_may_not_get_another_parent_or_match() {
    let (one, two) = ("[{name: edge}]", "[{name: edge}, {name: other}]");
    let (plain, further) = ("{path: {value: /legacy}}", "{path: {value: /legacy}}, {path: {value: /cart}}");
    let old = route(one, plain);
    assert_eq!(denials(&old, &route(one, plain), OWNED), [""; 0]);
    assert_eq!(denials(&route(two, further), &old, OWNED), [""; 0]);
    assert_eq!(denials(&old, &route(two, plain), OWNED), [NOT_OWNED]);
    assert_eq!(denials(&old, &route(one, further), OWNED), [NOT_OWNED]);
}

/// A conflict that is tolerated in one class does not hide the one in a class that the update adds.
#[test]
fn conflict_in_an_added_class_is_denied() {
    let config = "checks: {ingress/class-not-found: Off, ingress/service-not-found: Off}";
    let both = ", annotations: {kubernetes.io/ingress.class: traefik}";
    let rest = [
        ingress("a/shop", "creationTimestamp: '2020-01-01T00:00:00Z'", "shop.example.com", "/cart"),
        ingress("b/shop", "creationTimestamp: '2021-01-01T00:00:00Z'", "shop.example.com", "/cart")
            .replace("ingressClassName: nginx", "ingressClassName: traefik"),
    ];
    let (old, new) = (squatter("nginx", "", &["Prefix /cart"]), squatter("nginx", both, &["Prefix /cart"]));
    let denied = |new: &str| {
        let rest = rest.join("---");
        let review = Review { config, object: new, old: Some(&old), rest: &rest, ..Review::default() };
        review.response().denials().iter().any(|denial| denial.ends_with("[host/path-conflict]"))
    };
    assert!(!denied(&old) && denied(&new));
}
