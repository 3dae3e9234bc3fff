//! What allows a write that a check would deny: the platform's exemptions and handovers, and the annotations and
//! silenced warnings of an author.

use super::review_fixture::{Response, Review, SOUND, ingress};

const SNIPPET: &str = "annotations: {nginx.ingress.kubernetes.io/server-snippet: any}";
const SNIPPET_FOUND: &str = "nginx.ingress.kubernetes.io/server-snippet adds its text to the proxy's own configuration: remove it [ingress/snippet]";
const SNIPPET_AT: &str = "metadata.annotations[nginx.ingress.kubernetes.io/server-snippet]";
const FREE: &str = "free.example.com";

fn review(config: &str, object: &str, rest: &str, now: &str) -> Response {
    let now = now.parse().unwrap_or_else(|_| panic!("{now} is no instant"));
    Review { config, object, rest: &format!("{SOUND}---{rest}"), now, ..Review::default() }.response()
}

#[test]
fn an_exemption_holds_warns_and_ends() {
    let exempted = |expires: &str| {
        let exemption =
            format!("{{checks: [ingress/snippet], match: {{users: [alice]}}, reason: moving out{expires}}}");
        format!("checks: {{ingress/snippet: Deny}}\nexemptions: [{exemption}]")
    };
    let output = |expires: &str, now: &str| {
        let response = review(&exempted(expires), &ingress("web/shop", SNIPPET, FREE, "/"), "", now);
        (response.denials().join("\n"), response.warnings().join("\n"))
    };
    let nothing = (String::new(), String::new());
    let soon = "exemption from ingress/snippet ends 2026-12-20T00:00Z: moving out".to_owned();
    let until = ", expires: 2026-12-20";
    assert_eq!(output("", "2100-01-01T00:00:00Z"), nothing, "what has no end never ends");
    assert_eq!(output(until, "2026-12-05T23:59:59Z"), nothing);
    assert_eq!(output(until, "2026-12-06T00:00:00Z"), (String::new(), soon.clone()));
    assert_eq!(output(until, "2026-12-19T23:59:59Z"), (String::new(), soon));
    assert_eq!(output(until, "2026-12-20T00:00:00Z"), (SNIPPET_FOUND.to_owned(), String::new()));
    let to_the_hour = ", expires: '2026-12-20T12:00:00Z'";
    let noon = "exemption from ingress/snippet ends 2026-12-20T12:00Z: moving out".to_owned();
    assert_eq!(output(to_the_hour, "2026-12-20T11:59:59Z"), (String::new(), noon));
    assert_eq!(output(to_the_hour, "2026-12-20T12:00:00Z").0, SNIPPET_FOUND);
}

#[test]
fn exemption_applies_only_to_its_checks_and_match() {
    let denied = |checks: &str, only: &str| {
        let exemption = format!("exemptions: [{{checks: [{checks}], match: {only}, reason: any}}]");
        let config = format!("checks: {{ingress/snippet: Deny}}\n{exemption}");
        !review(&config, &ingress("web/shop", SNIPPET, FREE, "/"), "", "2026-12-01T00:00:00Z").denials().is_empty()
    };
    for checks in ["ingress/snippet", "'ingress/*'", "'*'", "host/not-owned, ingress/snippet"] {
        assert!(!denied(checks, "{namespaces: {labels: {team: shop}}}"), "{checks}");
    }
    for checks in ["host/not-owned", "'host/*'"] {
        assert!(denied(checks, "{namespaces: {labels: {team: shop}}}"), "{checks}");
    }
    let elsewhere = "exemptions: [{checks: ['*'], match: {namespaces: {labels: {team: shop}}}, reason: any}]";
    let config = format!("checks: {{ingress/snippet: Deny}}\n{elsewhere}");
    let review = review(&config, &ingress("gone/shop", SNIPPET, FREE, "/"), "", "2026-12-01T00:00:00Z");
    assert!(review.denials().is_empty(), "the labels of a Namespace that is not there yet are not known");
    for only in ["{users: [bob]}", "{ingressClasses: [other]}", "{namespaces: {names: [bank]}}"] {
        assert!(denied("'*'", only), "{only}");
    }
}

/// Whether `web` and `bank` may each claim a host of the other, if an Ingress of the other namespace already has it.
fn shared(hosts: [&str; 2], handover: &str, now: &str) -> [bool; 2] {
    [["web", "bank"], ["bank", "web"]].map(|[own, other]| {
        let rest = ingress(&format!("{other}/first"), "", hosts[1], "/");
        let config = format!("handovers: [{handover}]");
        let object = ingress(&format!("{own}/second"), "", hosts[0], "/");
        review(&config, &object, &rest, now).denials().is_empty()
    })
}

/// For `web` and `bank`: whether there is no warning about its wildcard over `host` of the other namespace.
fn covered(host: &str, handover: &str, now: &str) -> [bool; 2] {
    [["web", "bank"], ["bank", "web"]].map(|[own, other]| {
        let object = ingress(&format!("{own}/second"), "", "*.example.com", "/");
        let rest = ingress(&format!("{other}/first"), "", host, "/");
        let response = review(&format!("handovers: [{handover}]"), &object, &rest, now);
        !response.warnings().iter().any(|warning| warning.ends_with("[host/wildcard-takes-host]"))
    })
}

#[test]
fn a_handover_lets_two_namespaces_share_a_host() {
    let shared = |handover: &str, now: &str| shared(["shop.example.com", "shop.example.com"], handover, now);
    let now = "2026-12-01T00:00:00Z";
    for host in ["shop.example.com", "SHOP.example.com", "'*.example.com'", "'*.com'"] {
        let handover = format!("{{host: {host}, from: web, to: bank}}");
        assert_eq!(shared(&handover, now), [true; 2], "{host}");
        let handover = format!("{{host: {host}, from: bank, to: web, expires: 2026-12-20}}");
        assert_eq!(shared(&handover, now), [true; 2], "{host}");
        assert_eq!(shared(&handover, "2026-12-20T00:00:00Z"), [false; 2], "{host}, when it is over");
    }
    assert_eq!(shared("{host: other.example.com, from: web, to: bank}", now), [false; 2]);
    assert_eq!(shared("{host: '*.shop.example.com', from: web, to: bank}", now), [false; 2]);
    assert_eq!(shared("{host: shop.example.com, from: web, to: arms}", now), [false; 2], "a third namespace");
}

#[test]
fn a_handover_lets_a_wildcard_take_a_host() {
    let shared = |handover: &str, now: &str| covered("shop.example.com", handover, now);
    let now = "2026-12-01T00:00:00Z";
    for host in ["shop.example.com", "'*.example.com'"] {
        let handover = format!("{{host: {host}, from: web, to: bank, expires: 2026-12-20}}");
        assert_eq!(shared(&handover, now), [true; 2], "{host}");
        assert_eq!(shared(&handover, "2026-12-20T00:00:00Z"), [false; 2], "{host}, when it is over");
    }
    assert_eq!(shared("{host: other.example.com, from: web, to: bank}", now), [false; 2]);
}

#[test]
fn wildcard_does_not_conflict_with_malformed_host() {
    let other = "{host: other.example.com, from: web, to: bank}";
    let shared = |host: &str| covered(host, other, "2026-12-01T00:00:00Z");
    assert_eq!(shared("shop_1.example.com"), [true; 2]);
    assert_eq!(shared("shop-1.example.com"), [false; 2]);
}

/// A label that a tenant can set as well as cert-manager can.
const SOLVER: &str = "labels: {acme.cert-manager.io/http01-solver: 'true'}";

/// A malformed host conflicts with nothing, but is reported as malformed, and host ownership still applies to it.
#[test]
fn malformed_host_conflicts_with_nothing() {
    for (host, conflicts) in [("shop_1.example.com", false), ("*.*.example.com", false), ("shop.example.com", true)] {
        let rest = ingress("bank/first", "", host, "/");
        let object = ingress("web/second", "", host, "/");
        let config = "hostOwnership: {hosts: [{host: '*.com', namespaces: {names: [bank]}}]}";
        let response = review(config, &object, &rest, "2026-12-01T00:00:00Z");
        let is_denied_by = |id: &str| response.denials().iter().any(|denial| denial.ends_with(&format!("[{id}]")));
        assert_eq!(is_denied_by("host/path-conflict"), conflicts, "{response:?}");
        assert_eq!(
            is_denied_by("ingress/host-malformed") || is_denied_by("ingress/wildcard-malformed"),
            !conflicts,
            "{response:?}"
        );
        assert!(is_denied_by("host/not-owned"), "{response:?}");
    }
}

#[test]
fn a_solver_is_known_by_its_paths_too() {
    for (path, warnings) in [
        ("/.well-known/acme-challenge/", 0),
        ("/.well-known/acme-challenge/_a-Z9", 0),
        ("/.well-known/acme-challenge", 1),
        ("/.well-known/acme-challenge/$", 1),
        ("/", 1),
    ] {
        let [object, rest] = [("web/shop", SOLVER), ("web/first", "")]
            .map(|(object_ref, label)| ingress(object_ref, label, "shop.example.com", path));
        let config = "checks: {'*': Off, host/path-conflict: Deny}";
        assert_eq!(review(config, &object, &rest, "2026-12-01T00:00:00Z").warnings().len(), warnings, "{path}");
    }
}

#[test]
fn canary_and_solver_marks_exempt_only_within_their_namespace() {
    let marks = [
        (
            "annotations: {nginx.ingress.kubernetes.io/canary: 'true', nginx.ingress.kubernetes.io/canary-weight: '5'}",
            "/",
        ),
        (SOLVER, "/.well-known/acme-challenge/token"),
    ];
    for (mark, path) in marks {
        for [own, other] in [[mark, ""], ["", mark], [mark, mark]] {
            let found = |object_ref: &str| {
                let object = ingress("web/shop", own, "shop.example.com", path);
                let response =
                    review("", &object, &ingress(object_ref, other, "shop.example.com", path), "2026-12-01T00:00:00Z");
                (response.denials().len(), response.warnings().len())
            };
            assert_eq!(found("web/first"), (0, 0), "at home: {own} {other}");
            // A canary by itself serves nothing, so the first Ingress is only warned.
            let is_first = own.is_empty() && other != SOLVER;
            let expected = if is_first { (0, 1) } else { (1, 0) };
            assert_eq!(found("bank/first"), expected, "abroad: {own} {other}");
        }
    }
    let object = ingress("web/shop", "annotations: {nginx.ingress.kubernetes.io/canary: 'false'}", FREE, "/");
    let response = review("", &object, &ingress("web/first", "", FREE, "/"), "2026-12-01T00:00:00Z");
    let expected = "spec.rules[0].http.paths[0].path: path / on free.example.com is already served by Ingress web/first (class nginx) [host/path-conflict]";
    assert_eq!(response.warnings(), [expected]);
}

fn ignoring(list: &str) -> String {
    format!("annotations: {{nginx.ingress.kubernetes.io/server-snippet: any, portcullis.dev/ignore: '{list}'}}")
}

#[test]
fn author_suppresses_only_warnings() {
    let response = |config: &str, list: &str| {
        let response = review(config, &ingress("web/shop", &ignoring(list), FREE, "/"), "", "2026-12-01T00:00:00Z");
        (response.denials().len(), response.warnings().len())
    };
    for list in ["ingress/snippet", "ingress/*", "*", "host/not-owned , ingress/snippet", " ingress/snippet "] {
        assert_eq!(response("", list), (0, 0), "{list}");
        assert_eq!(response("checks: {ingress/snippet: Deny}", list), (1, 0), "{list}");
    }
    for list in ["", "host/*", "ingress/tls-missing"] {
        assert_eq!(response("", list), (0, 1), "{list}");
    }
    for list in ["ingress", "ingress/snippets", "ingress/snippet ingress/other"] {
        assert_eq!(response("", list), (0, 2), "it is no check: {list}");
    }
}

#[test]
fn author_cannot_suppress_a_preexisting_denial() {
    let object = ingress("web/shop", &ignoring("*"), FREE, "/");
    let config = "checks: {ingress/snippet: Deny}";
    let response = Review { config, object: &object, old: Some(&object), rest: SOUND, ..Review::default() }.response();
    assert_eq!(response.denials(), [""; 0]);
    assert_eq!(response.warnings(), [format!("already present, tolerated: {SNIPPET_AT}: {SNIPPET_FOUND}")]);
}

/// An exemption for the shared Gateway of a namespace does not cover the routes beside it.
#[test]
fn an_exemption_for_kinds_covers_no_other_kind() {
    const OWNED: &str = "hostOwnership: {hosts: [{host: shop.example.com, namespaces: {names: [shop]}}]}\n";
    let gateway = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {namespace: edge, name: public}\nspec: {gatewayClassName: any, listeners: [{name: http, port: 80, protocol: HTTP, hostname: shop.example.com}]}\n";
    let route = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {namespace: edge, name: shop}\nspec: {parentRefs: [{name: public}], hostnames: [shop.example.com]}\n";
    let denied = |only: &str, object: &str| {
        let exemption = format!("exemptions: [{{checks: [host/not-owned], match: {only}, reason: any}}]");
        let response = review(&[OWNED, &exemption].concat(), object, &format!("\n{gateway}"), "2026-12-01T00:00:00Z");
        response.denials().iter().any(|message| message.ends_with("[host/not-owned]"))
    };
    for (kinds, [of_gateway, of_route]) in
        [("[Gateway]", [false, true]), ("[HTTPRoute]", [true, false]), ("[HTTPRoute, Gateway]", [false, false])]
    {
        let only = format!("{{kinds: {kinds}, namespaces: {{names: [edge]}}}}");
        assert_eq!([denied(&only, gateway), denied(&only, route)], [of_gateway, of_route], "{only}");
    }
    assert!(denied("{kinds: [Gateway], namespaces: {names: [other]}}", gateway), "both fields must match");
}

#[test]
fn an_unknown_kind_is_an_error_that_lists_the_known_ones() {
    let error = |kind: &str| {
        let config = format!("overrides: [{{match: {{kinds: [{kind}]}}, profile: audit}}]\n");
        portcullis_core::checks::Plan::new(
            portcullis_core::config::Config::parse(&portcullis_testing::config::text(&config))
                .expect("its form is valid"),
        )
        .expect_err("the kind is unknown")
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
    };
    assert!(error("gateway").ends_with("unknown kind `gateway`; did you mean `Gateway`?"), "{}", error("gateway"));
    assert!(
        error("Zebra").contains("unknown kind `Zebra`; use one of BackendTLSPolicy, GRPCRoute, Gateway, "),
        "{}",
        error("Zebra")
    );
}
