//! Where the first namespace that serves a host owns it, no other namespace becomes its owner or takes it by another name.

use std::collections::BTreeSet;

use portcullis_core::cluster::Overlay;
use portcullis_core::config::Config;
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::matching::Host;
use portcullis_core::routing::host_holders::outside_namespace;
use portcullis_testing::pages::{cluster, manifests};

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
fn annotations_that_list_a_host_hold_it() {
    let conditions = r#"[{"field":"host-header","hostHeaderConfig":{"values":["shop.example.com"]}}]"#;
    let held = |class: &str, annotation: &str| {
        let metadata = format!("creationTimestamp: '2026-01-01T00:00:00Z', annotations: {{{annotation}}}");
        let holder = ingress("web/shop", &metadata, "web.example.org", "/");
        let of_class = |object: &str| object.replace("ingressClassName: nginx", &format!("ingressClassName: {class}"));
        is_refused(&of_class(&ingress("team-b/x", "", SHOP, "/x")), &of_class(&holder))
    };
    for (class, annotation) in [
        ("nginx", r"nginx.ingress.kubernetes.io/server-alias: '~^shop\.example\.com$'"),
        ("haproxy", r"haproxy-ingress.github.io/server-alias-regex: '^shop\.example\.com$'"),
        ("alb", &*format!("alb.ingress.kubernetes.io/conditions.cart: '{conditions}'")),
        ("skipper", "zalando.org/skipper-predicate: 'HostAny(\"shop.example.com\")'"),
        ("traefik", "traefik.ingress.kubernetes.io/router.pathmatcher: 'Host(`shop.example.com`) && PathPrefix'"),
    ] {
        assert!(held(class, annotation), "{annotation}");
    }
    for (class, annotation) in [
        ("haproxy", r"haproxy-ingress.github.io/server-alias-regex: '^.*\.example\.com$'"),
        ("nginx", "external-dns.kubernetes.io/hostname: shop.example.com"),
        ("nginx", "nginx.ingress.kubernetes.io/server-alias: other.example.com"),
    ] {
        assert!(!held(class, annotation), "{annotation}");
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

/// The class of the Gateways.
const PUBLIC: &str = "---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: public}
spec: {controllerName: example.com/gateway}
";

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
{PUBLIC}"
        )
    };
    let second = ingress("web/second", "", SHOP, "/second");
    let refused = |gateway: &str, year: u16| is_refused(&second, &(web() + route + &set(gateway, year)));
    assert_eq!([refused("nowhere", 2027), refused("nowhere", 2019), refused("edge", 2027)], [false; 3]);
    assert!(refused("edge", 2019), "the listener and the route are older than the owner");
}

/// An annotation and a route behind a listener serve a host; a solver, an Ingress of an absent class, and a listener do not.
#[test]
fn objects_of_other_namespaces_that_serve_a_host_are_listed() {
    let solver = "labels: {acme.cert-manager.io/http01-solver: 'true'}";
    let solver = ingress("team-b/solver", solver, SHOP, "/.well-known/acme-challenge/a");
    let unclassed =
        ingress("team-b/unclassed", "", SHOP, "/").replace("ingressClassName: nginx", "ingressClassName: gone");
    let alias = "annotations: {nginx.ingress.kubernetes.io/server-alias: shop.example.com}";
    let alias = ingress("team-b/alias", alias, "own.example.org", "/");
    let others = "
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: nginx}
spec: {controller: k8s.io/ingress-nginx}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {namespace: edge, name: edge}
spec:
  gatewayClassName: public
  listeners:
  - {name: x, port: 80, protocol: HTTP, hostname: shop.example.com, allowedRoutes: {namespaces: {from: All}}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {namespace: team-c, name: every-host}
spec: {parentRefs: [{namespace: edge, name: edge}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {namespace: team-c, name: unserved}
spec: {hostnames: [shop.example.com], parentRefs: [{namespace: edge, name: none}]}
";
    let all = manifests(&[&web(), &solver, &unclassed, &alias, others, PUBLIC].join("\n---\n"));
    let shared = cluster(&all);
    let known = shared.read();
    let this = ObjectRef::new(Kind::Ingress, "web", "new");
    let overlay = Overlay::new(&known, &this);
    let found = outside_namespace(&Host::parse(SHOP), "web", &Config::default(), &overlay);
    let found: BTreeSet<String> = found.into_iter().map(ToString::to_string).collect();
    let expected = ["HTTPRoute team-c/every-host", "Ingress team-b/alias"];
    assert_eq!(found, expected.map(str::to_owned).into());
}
