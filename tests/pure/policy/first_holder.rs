//! Where the first namespace that serves a host owns it, no other namespace becomes its owner or takes it by another name.

use super::review_fixture::{Review, ingress};

const FIRST: &str = "hostOwnership: {unlisted: FirstNamespace}";
const SHOP: &str = "shop.example.com";

fn web() -> String {
    ingress("web/shop", "creationTimestamp: '2026-01-01T00:00:00Z'", SHOP, "/cart")
}

fn is_refused(object: &str, rest: &str) -> bool {
    let response = Review { config: FIRST, object, old: None, rest, ..Review::default() }.response();
    response.denials().iter().any(|denial| denial.contains(SHOP) && denial.ends_with("[host/not-owned]"))
}

#[test]
fn annotations_that_list_a_host_claim_it() {
    for (class, annotation) in [
        ("haproxy", r"haproxy-ingress.github.io/server-alias-regex: '^shop\.example\.com$'"),
        ("traefik", "traefik.ingress.kubernetes.io/Router.Rule: 'Host(`shop.example.com`)'"),
        ("nginx", "nginx.ingress.kubernetes.io/server-alias: shop.example.com"),
    ] {
        let own = |annotations: &str| {
            ingress("team-b/x", annotations, "own.example.org", "/")
                .replace("ingressClassName: nginx", &format!("ingressClassName: {class}"))
        };
        assert!(is_refused(&own(&format!("annotations: {{{annotation}}}")), &web()), "{annotation}");
        assert!(!is_refused(&own(""), &web()));
    }
}

#[test]
fn solver_claims_no_certificate() {
    let solver = "labels: {acme.cert-manager.io/http01-solver: 'true'}";
    let plain = ingress("team-b/x", solver, SHOP, "/.well-known/acme-challenge/a");
    let certified = plain.replace("  rules:", "  tls: [{hosts: [shop.example.com], secretName: x}]\n  rules:");
    assert!(plain != certified);
    assert_eq!([&plain, &certified].map(|object| is_refused(object, &web())), [true, true], "a user who is not listed");
    let by = |user: &str, object: &str| {
        let config = format!("{FIRST}\nacmeSolvers: {{users: [{user}]}}\n");
        let review = Review { config: &config, object, rest: &web(), ..Review::default() };
        !review.response().denials().is_empty()
    };
    assert_eq!(
        [&plain, &certified].map(|object| by("alice", object)),
        [false, true],
        "a challenge needs no certificate"
    );
    assert!(by("other", &plain));
}

/// A route without hostnames is older than the owner, and refers to a ListenerSet that is younger and has no Gateway.
#[test]
fn old_route_and_new_listener_do_not_own_a_host() {
    let route = "---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {namespace: team-b, name: x, creationTimestamp: '2020-01-01T00:00:00Z'}
spec: {parentRefs: [{kind: ListenerSet, name: x}]}
";
    let set = |gateway: &str, year: u16| {
        format!(
            "---
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: {{namespace: team-b, name: x, creationTimestamp: '{year}-01-01T00:00:00Z'}}
spec:
  parentRef: {{name: {gateway}, namespace: edge}}
  listeners: [{{name: x, port: 80, protocol: HTTP, hostname: shop.example.com, allowedRoutes: {{namespaces: {{from: All}}}}}}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {{namespace: edge, name: edge}}
spec:
  gatewayClassName: public
  allowedListeners: {{namespaces: {{from: All}}}}
  listeners: [{{name: x, port: 80, protocol: HTTP}}]
"
        )
    };
    let second = ingress("web/second", "", SHOP, "/second");
    let refused = |gateway: &str, year: u16| is_refused(&second, &(web() + route + &set(gateway, year)));
    assert_eq!([refused("nowhere", 2027), refused("nowhere", 2019), refused("edge", 2027)], [false; 3]);
    assert!(refused("edge", 2019), "the listener and the route are older than the owner");
}
