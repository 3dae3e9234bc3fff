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
        // It precedes the same prefix of the owner.
        ("a longer path", squatter("nginx", "", &["Prefix /legacy/a"])),
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
fn tolerated_canary_may_not_take_a_larger_share() {
    let canary = |more: &str| {
        let annotations = format!(", annotations: {{nginx.ingress.kubernetes.io/canary: 'true'{more}}}");
        squatter("nginx", &annotations, &["Prefix /cart"])
    };
    let weight = |percent: u32| canary(&format!(", nginx.ingress.kubernetes.io/canary-weight: '{percent}'"));
    let header = |name: &str| canary(&format!(", nginx.ingress.kubernetes.io/canary-by-header: {name}"));
    for (old, new, denied) in [
        (weight(5), weight(100), 1),
        (weight(100), weight(5), 0),
        (weight(5), weight(5), 0),
        (header("x"), header("user-agent"), 1),
        (header("x"), canary(""), 0),
    ] {
        assert_eq!(denials(&old, &new, OWNED).len(), denied, "{old} {new}");
    }
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
    let listener = route("[{name: edge, sectionName: https}]", plain);
    assert_eq!(denials(&old, &listener, OWNED), [""; 0], "one listener of the same parent");
    assert_eq!(denials(&listener, &old, OWNED), [NOT_OWNED], "all listeners of the parent");
    let narrower = route(one, "{path: {value: /legacy}, method: GET}");
    assert_eq!(denials(&old, &narrower, OWNED), [NOT_OWNED], "it precedes the same match of the owner");
}

fn proxy(tls: &str, tcp: &str, conditions: &str) -> String {
    format!(
        "apiVersion: projectcontour.io/v1
kind: HTTPProxy
metadata: {{namespace: team-b, name: x}}
spec:
  virtualhost: {{fqdn: shop.example.com{tls}}}{tcp}
  routes: [{{conditions: [{conditions}], services: [{{name: s, port: 80}}]}}]
"
    )
}

#[test]
fn tolerated_http_proxy_gets_no_connections_certificate_or_wider_conditions() {
    let (exact, header) = ("{exact: /legacy}", "{prefix: /}, {header: {name: x, exact: blue}}");
    let (secret, passthrough) = (", tls: {secretName: s}", ", tls: {passthrough: true}");
    let tcp = "\n  tcpproxy: {services: [{name: s, port: 443}]}";
    for (old, new) in [
        (proxy("", "", exact), proxy("", "", "{prefix: /legacy}")),
        (proxy("", "", header), proxy("", "", "{prefix: /}")),
        (proxy("", "", exact), proxy(secret, "", exact)),
        (proxy(secret, "", exact), proxy(passthrough, tcp, exact)),
    ] {
        assert_eq!(denials(&old, &new, OWNED), [NOT_OWNED], "{new}");
        assert_eq!(denials(&new, &new.replace("name: s,", "name: other,"), OWNED), [""; 0], "another Service: {new}");
    }
    for (old, new) in [(secret, ""), (", tls: {secretName: s, passthrough: true}", secret)] {
        assert_eq!(denials(&proxy(old, "", exact), &proxy(new, "", exact), OWNED), [""; 0], "{old} without a part");
    }
    let reordered = proxy("", "", "{header: {name: x, exact: blue}}, {prefix: /}");
    assert_eq!(denials(&proxy("", "", header), &reordered, OWNED), [""; 0]);
}

/// The number of denials of an HTTPProxy without a host, by the part of `host/not-owned` that is about the roots which include it.
fn denials_of_part((old, new): (Option<&str>, &str), root: &str) -> usize {
    let part = |spec: &str| {
        format!(
            "apiVersion: projectcontour.io/v1\nkind: HTTPProxy\nmetadata: {{namespace: team-b, name: x}}\nspec: {{{spec}}}\n"
        )
    };
    let old = old.map(part);
    let review = Review { config: OWNED, object: &part(new), old: old.as_deref(), rest: root, ..Review::default() };
    let response = review.response();
    let is_of_part = |denial: &&&str| denial.ends_with("use another host [host/not-owned]");
    response.denials().iter().filter(is_of_part).count()
}

/// A root for a host of another namespace that includes team-b/x.
fn root(namespace: &str) -> String {
    format!(
        "apiVersion: projectcontour.io/v1
kind: HTTPProxy
metadata: {{namespace: {namespace}, name: root}}
spec: {{virtualhost: {{fqdn: shop.example.com}}, includes: [{{name: x, namespace: team-b}}]}}
"
    )
}

#[test]
fn part_of_a_tolerated_root_may_not_grow() {
    let routes = |routes: &[&str]| {
        let route = |conditions: &&str| format!("{{conditions: [{conditions}], services: [{{name: s, port: 80}}]}}");
        format!("routes: [{}]", routes.iter().map(route).collect::<Vec<_>>().join(", "))
    };
    let (a, b, header) = ("{prefix: /a}", "{prefix: /b}", "{header: {name: x, exact: blue}}");
    let (one, two, narrow) = (routes(&[a]), routes(&[a, b]), routes(&[&format!("{a}, {header}")]));
    let include = format!("{one}, includes: [{{name: more, conditions: [{b}]}}]");
    let tcp = format!("{one}, tcpproxy: {{services: [{{name: s, port: 443}}]}}");
    let own = root("team-b");
    for (old, new, expected) in [
        (&one, &one, 0),
        (&two, &one, 0),
        (&one, &one.replace("name: s,", "name: other,"), 0),
        (&narrow, &narrow, 0),
        (&include, &one, 0),
        (&tcp, &one, 0),
        (&one, &two, 1),
        (&one, &routes(&["{prefix: /}"]), 1),
        (&narrow, &one, 1),
        (&one, &include, 1),
        (&one, &tcp, 1),
    ] {
        assert_eq!(denials_of_part((Some(old), new), &own), expected, "{old} to {new}");
        assert_eq!(denials_of_part((Some(old), new), &root("web")), 0, "the owner includes {new}");
    }
    assert_eq!([&*own, ""].map(|root| denials_of_part((None, &one), root)), [1, 0], "a new object");
}

#[test]
fn tolerated_ingress_takes_no_connections_or_front_page_by_annotation() {
    for (class, key, with, without) in [
        ("haproxy", "haproxy.org/ssl-passthrough", "true", "false"),
        ("nginx", "nginx.ingress.kubernetes.io/app-root", "/legacy", ""),
    ] {
        let of = |value: &str| squatter(class, &format!(", annotations: {{{key}: '{value}'}}"), &["Prefix /legacy"]);
        assert!(denials(&of(without), &of(with), OWNED).iter().any(|denial| denial == NOT_OWNED), "{key}");
        assert_eq!(denials(&of(with), &of(with), OWNED), [""; 0], "{key}");
        assert_eq!(denials(&of(with), &of(without), OWNED), [""; 0], "an annotation less: {key}");
    }
}

#[test]
fn an_old_wildcard_gets_no_connections_of_a_host_below_it() {
    let wildcard = |value: &str, path: &str| {
        let annotations = format!("annotations: {{haproxy.org/ssl-passthrough: '{value}'}}");
        let metadata = format!("creationTimestamp: '2025-01-01T00:00:00Z', {annotations}");
        ingress("team-b/all", &metadata, "*.example.com", path)
    };
    let web = ingress("web/shop", "creationTimestamp: '2026-01-01T00:00:00Z'", "shop.example.com", "/cart");
    let class = "---\napiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: nginx}\n\
                 spec: {controller: haproxy.org/ingress-controller/haproxy}\n";
    let rest = format!("{web}{class}");
    let denials = |old: &str, new: &str| {
        let response =
            Review { config: "profile: baseline", object: new, old: Some(old), rest: &rest, ..Review::default() };
        let response = response.response();
        response.denials().iter().filter(|denial| denial.ends_with("[host/wildcard-takes-host]")).count()
    };
    assert_eq!(denials(&wildcard("false", "/"), &wildcard("true", "/")), 1);
    assert_eq!(
        denials(&wildcard("true", "/"), &wildcard("true", "/a")),
        0,
        "all connections were passed through before"
    );
    assert_eq!(denials(&wildcard("true", "/"), &wildcard("false", "/")), 0);
}

#[test]
fn tolerated_ingress_gets_no_certificate_and_no_path_of_an_expression_host() {
    let tls = |secret: &str| {
        squatter("nginx", "", &["Prefix /legacy"])
            .replace("  rules:", &format!("  tls: [{{hosts: [shop.example.com]{secret}}}]\n  rules:"))
    };
    let found = denials(&tls(""), &tls(", secretName: s"), OWNED);
    assert!(found.iter().any(|denial| denial.ends_with("belongs to namespace web [host/not-owned]")), "{found:?}");
    assert_eq!(denials(&tls(", secretName: s"), &tls(", secretName: t"), OWNED), [""; 0]);
    assert_eq!(denials(&tls(", secretName: s"), &tls(""), OWNED), [""; 0], "a Secret less");

    let described = |paths: &[&str]| {
        let annotation = r"{haproxy-ingress.github.io/server-alias-regex: '^shop\.example\.com$'}";
        let ingress = squatter("haproxy", &format!(", annotations: {annotation}"), paths);
        ingress.replace("host: shop.example.com", "host: own.example.org")
    };
    assert_eq!(denials(&described(&["Prefix /a"]), &described(&["Prefix /a"]), OWNED), [""; 0]);
    let found = denials(&described(&["Prefix /a"]), &described(&["Prefix /a", "Prefix /more"]), OWNED);
    assert!(found.iter().any(|denial| denial.contains("adds to it")), "{found:?}");
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

/// The denials of an update of `old` to `new` beside `rest` by a check that denies here.
fn denials_of(check: &str, more: &str, (old, new): (&str, &str), rest: &str) -> Vec<String> {
    let config = format!("checks: {{{check}: Deny}}\n{more}");
    let response = Review { config: &config, object: new, old: Some(old), rest, ..Review::default() }.response();
    let denials = response.denials().into_iter().filter(|denial| denial.ends_with(&format!("[{check}]")));
    denials.map(str::to_owned).collect()
}

/// Of the paths whose requests an expression takes, only the first is named.
#[test]
fn expression_that_takes_requests_may_not_get_wider() {
    let expression = |path: &str, labels: &str| {
        let metadata = format!("{labels}, annotations: {{nginx.ingress.kubernetes.io/use-regex: 'true'}}");
        squatter("nginx", &metadata, &[&format!("ImplementationSpecific {path}")])
    };
    let rest = [("web/a", "/a"), ("web/b", "/b")];
    let rest = rest.map(|(object_ref, path)| ingress(object_ref, "", "shop.example.com", path));
    let old = expression("/a.*", "");
    let denied = |new: &str| denials_of("host/path-takes-requests", "", (&old, new), &rest.join("---"));
    assert_eq!(denied(&expression("/a.*", ", labels: {a: b}")), [""; 0]);
    assert_eq!(denied(&expression("/[ab].*", "")).len(), 1, "the wider expression also takes requests for /b");
}

/// Of the Ingresses with a default backend, only the oldest is named.
#[test]
fn conflict_of_default_backends_in_an_added_class_is_denied() {
    let ingress = |object_ref: &str, year: u32, class: &str, annotations: &str| {
        let (namespace, name) = object_ref.split_once('/').expect("namespace/name");
        format!(
            "apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{namespace: {namespace}, name: {name}, creationTimestamp: '{year}-01-01T00:00:00Z', annotations: {{{annotations}}}}}
spec: {{ingressClassName: {class}, defaultBackend: {{service: {{name: s, port: {{number: 80}}}}}}}}
"
        )
    };
    let rest = [ingress("a/first", 2020, "nginx", ""), ingress("b/second", 2021, "traefik", "")].join("---\n");
    let old = ingress("team-b/x", 2022, "nginx", "");
    let denied = |new: &str| denials_of("host/default-backend-conflict", "", (&old, new), &rest);
    assert_eq!(denied(&ingress("team-b/x", 2022, "nginx", "example.com/note: a")), [""; 0]);
    let both = ingress("team-b/x", 2022, "nginx", "kubernetes.io/ingress.class: traefik");
    assert_eq!(denied(&both).len(), 1, "the other class has a default backend, too");
}

/// Of the routes that get a host from a listener without owning it, only the first is named.
#[test]
fn listener_that_gives_a_host_away_may_not_accept_more_routes() {
    let gateway = |from: &str, labels: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {{namespace: infra, name: edge{labels}}}
spec:
  gatewayClassName: public
  listeners:
  - {{name: shop, port: 80, protocol: HTTP, hostname: shop.example.com, allowedRoutes: {{namespaces: {{from: {from}}}}}}}
"
        )
    };
    let route = |namespace: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{namespace: {namespace}, name: any}}
spec:
  parentRefs: [{{name: edge, namespace: infra}}]
  rules: [{{backendRefs: [{{name: any, port: 80}}]}}]
---
apiVersion: v1
kind: Namespace
metadata: {{name: {namespace}, labels: {{name: {namespace}}}}}
"
        )
    };
    let owned = "hostOwnership: {hosts: [{host: shop.example.com, namespaces: {names: [infra]}}]}";
    let rest = [route("a"), route("b")].join("---\n");
    let old = gateway("Selector, selector: {matchLabels: {name: a}}", "");
    let denied = |new: &str| denials_of("host/route-not-owner", owned, (&old, new), &rest);
    assert_eq!(denied(&gateway("Selector, selector: {matchLabels: {name: a}}", ", labels: {a: b}")), [""; 0]);
    assert_eq!(denied(&gateway("All", "")).len(), 1, "the listener also gives the host to HTTPRoute b/any");
}

/// A ListenerSet of a Gateway that has too many listeners may lose listeners, and may not get one.
#[test]
fn listener_set_beyond_the_limit_may_shrink() {
    let set = |count: usize| {
        let listener =
            |number: usize| format!("{{name: l{number}, port: 80, protocol: HTTP, hostname: h{number}.example}}");
        let listeners: Vec<String> = (0..count).map(listener).collect();
        format!(
            "apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: {{namespace: team-b, name: x}}
spec: {{parentRef: {{name: edge, namespace: infra}}, listeners: [{}]}}
",
            listeners.join(", ")
        )
    };
    let gateway = "apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {namespace: infra, name: edge}
spec:
  gatewayClassName: public
  allowedListeners: {namespaces: {from: All}}
  listeners: [{name: web, port: 8080, protocol: HTTP}]
";
    let config = "checks: {listener-set/listeners-too-many: {action: Deny, maxListeners: 3}}";
    let denied = |old: &str, new: &str| {
        let response = Review { config, object: new, old: Some(old), rest: gateway, ..Review::default() }.response();
        response.denials().iter().filter(|denial| denial.ends_with("[listener-set/listeners-too-many]")).count()
    };
    for (old, new, expected) in [(6, 6, 0), (6, 5, 0), (6, 1, 0), (6, 7, 1), (6, 9, 3), (2, 3, 1)] {
        assert_eq!(denied(&set(old), &set(new)), expected, "{old} to {new}");
    }
}
