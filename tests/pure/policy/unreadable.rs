//! Objects that are only partially readable: what is admitted with such parts, and how later updates are handled.

use super::review_fixture::{Response, Review};

const OWNED: &str = "
hostOwnership:
  unlisted: Deny
  hosts: [{host: shop.example.com, namespaces: {names: [web]}}, {host: b.example.com, namespaces: {names: [team-b]}}]
";

/// The objects without which the cases would have further findings.
const REST: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {namespace: team-b, name: edge}
spec: {gatewayClassName: any, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: v1
kind: Service
metadata: {namespace: team-b, name: cart}
spec: {ports: [{port: 80}]}
";

/// A route of `team-b` for `host`, with an additional field in its only rule, and additional metadata.
fn route(host: &str, field: &str, metadata: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {{namespace: team-b, name: a{metadata}}}\nspec:\n  parentRefs: [{{name: edge}}]\n  hostnames: [{host}]\n  rules: [{{backendRefs: [{{name: cart, port: 80}}], {field}}}]\n"
    )
}

fn review(config: &str, object: &str, old: Option<&str>) -> Response {
    Review { config, object, old, rest: REST, ..Review::default() }.response()
}

/// The ids of the checks that deny.
fn refused(response: &Response) -> Vec<String> {
    let denials = response.denials();
    denials.iter().filter_map(|message| Some(message.rsplit_once('[')?.1.trim_end_matches(']').to_owned())).collect()
}

const DRIFTED: [&str; 3] = ["timeouts: 5s", "filters: {type: New}", "retry: [{attempts: many}]"];

#[test]
fn a_drifted_field_warns_and_hides_nothing() {
    for profile in ["baseline", "restricted", "kep-758"] {
        for field in DRIFTED {
            let config = format!("profile: {profile}\n{OWNED}");
            let own = review(&config, &route("b.example.com", field, ""), None);
            assert_eq!(refused(&own), [""; 0], "{profile}, {field}");
            assert!(
                own.warnings().iter().any(|message| message.ends_with("[object/unreadable]")),
                "{profile}, {field}: {own:?}"
            );
            let conflicting = review(&config, &route("shop.example.com", field, ""), None);
            assert_eq!(refused(&conflicting), ["host/not-owned"], "{profile}, {field}");
        }
    }
}

/// The content of an unreadable field is unknown and not absent, so no check reports it as missing.
#[test]
fn nothing_is_missed_at_a_drifted_field() {
    for port in ["port: [80]", "port: {name: http}"] {
        let object = route("b.example.com", "name: a", "").replace("port: 80", port);
        let response = review(OWNED, &object, None);
        assert_eq!(refused(&response), [""; 0], "{port}");
    }
}

#[test]
fn a_decisive_field_of_another_type_is_refused() {
    let good = route("b.example.com", "name: a", "");
    let cases = [
        good.replace("[b.example.com]", "[[b.example.com]]"),
        good.replace("[b.example.com]", "b.example.com"),
        good.replace("[{name: edge}]", "[{name: edge, port: eighty}]"),
        good.replace("name: a}]", "matches: [{path: /}]}]"),
        good.replace("{namespace: team-b, name: a", "{namespace: team-b, name: a, annotations: {a: [b]}"),
    ];
    for profile in ["baseline", "restricted", "kep-758"] {
        for object in &cases {
            let response = review(&format!("profile: {profile}\n"), object, None);
            assert!(refused(&response).contains(&"object/unreadable".to_owned()), "{profile}: {response:?}\n{object}");
        }
    }
    for object in &cases {
        assert_eq!(review("profile: audit\n", object, None).denials(), [""; 0]);
    }
}

/// A stored object that is only partially readable excuses no fault of an update.
#[test]
fn an_update_of_the_unreadable_passes_only_if_nothing_is_changed() {
    let unreadable = ["[[b.example.com]]", "[shop.example.com]"];
    for (hosts, field) in unreadable.into_iter().zip(["name: a", DRIFTED[0]]) {
        let object = |metadata: &str| route("HOST", field, metadata).replace("[HOST]", hosts);
        let old = object(", labels: {a: b}");
        for same in [object(", labels: {a: b}"), object(", labels: {a: b}, finalizers: [x], generation: 7")] {
            let response = review(OWNED, &same, Some(&old));
            assert_eq!(refused(&response), [""; 0], "{same}");
            assert!(!response.warnings().is_empty(), "{same}");
        }
        let changed = [
            object(""),
            object(", labels: {a: c}"),
            object(", labels: {a: b}, annotations: {c: d}"),
            object(", labels: {a: b}").replace("port: 80", "port: 81"),
            route("shop.example.com", "name: a", ", labels: {a: b}"),
        ];
        for object in changed {
            assert_ne!(refused(&review(OWNED, &object, Some(&old))), [""; 0], "{object}");
        }
        let mended = route("b.example.com", "name: a", "");
        assert_eq!(refused(&review(OWNED, &mended, Some(&old))), [""; 0]);
    }
}

/// An Ingress that no API server would store, so that `object/unreadable` denies it.
fn unreadable_ingress(class: &str) -> String {
    format!(
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{namespace: team-b, name: a, annotations: {{kubernetes.io/ingress.class: lab}}}}\nspec:\n  ingressClassName: {class}\n  defaultBackend: {{service: {{name: cart, port: {{number: eighty}}}}}}\n"
    )
}

#[test]
fn settings_for_a_class_apply_to_unreadable_objects_of_that_class() {
    let exempt = "exemptions: [{checks: [object/unreadable], match: {ingressClasses: [lab]}, reason: any}]\n";
    let milder = "overrides: [{match: {ingressClasses: [lab]}, checks: {object/unreadable: Warn}}]\n";
    let stricter = "checks: {object/unreadable: Warn}\noverrides: [{match: {ingressClasses: [lab]}, checks: {object/unreadable: Deny}}]\n";
    let denies = |config: &str, class: &str| {
        refused(&review(config, &unreadable_ingress(class), None)).contains(&"object/unreadable".to_owned())
    };
    for (config, in_lab) in [(exempt, false), (milder, false), (stricter, true)] {
        assert_eq!(denies(config, "lab"), in_lab, "{config}");
    }
    // The second class is another one, or may be.
    for class in ["public", "[lab]"] {
        assert!(denies(exempt, class) && denies(milder, class), "{class}");
    }
    assert!(denies(stricter, "public") && !denies(stricter, "[lab]"));
}
