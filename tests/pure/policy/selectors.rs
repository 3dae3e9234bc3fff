//! Which writes a check or an exemption selects.

use portcullis_core::cluster::SyncState;
use portcullis_testing::config::plan;
use serde_json::{Value, json};

use super::review_fixture::{Review, SOUND, ingress};

const SNIPPET: &str = "annotations: {nginx.ingress.kubernetes.io/server-snippet: any}";

/// Whether a check with the match `narrowed` reports a snippet. The author is `alice` with groups `dev` and `ops-1`,
/// node `n-1` and projects `a` and `b`; the namespace is `web` with label `team: shop`, and the class is `nginx`.
fn is_validated(narrowed: &str, namespaces: SyncState, rest: &str) -> bool {
    let extra = json!({"authentication.kubernetes.io/node-name": ["n-1"], "example.com/project": ["a", "b"]});
    is_evaluated_for(extra, narrowed, namespaces, rest)
}

fn is_evaluated_for(extra: Value, narrowed: &str, namespaces: SyncState, rest: &str) -> bool {
    let config = format!("checks: {{ingress/snippet: {{action: Deny, match: {narrowed}}}}}");
    let object = ingress("web/shop", SNIPPET, "shop.example.com", "/");
    let groups = &["dev", "ops-1"];
    let review = Review { config: &config, object: &object, rest, namespaces, groups, extra, ..Review::default() };
    let response = review.response();
    let expected = "nginx.ingress.kubernetes.io/server-snippet adds its text to the proxy's own configuration: remove it [ingress/snippet]";
    match response.denials()[..] {
        [] => false,
        [one] if one == expected => true,
        _ => panic!("{response:?}"),
    }
}

#[test]
fn a_match_narrows_a_check() {
    let cases = [
        ("{}", true),
        ("{ingressClasses: [nginx]}", true),
        ("{ingressClasses: [other, nginx]}", true),
        ("{ingressClasses: [other]}", false),
        ("{ingressClasses: ['ng*']}", false),
        ("{namespaces: {names: [web]}}", true),
        ("{namespaces: {names: [we*]}}", true),
        ("{namespaces: {names: ['*']}}", true),
        ("{namespaces: {names: [we]}}", false),
        ("{namespaces: {names: ['b*']}}", false),
        ("{namespaces: {labels: {team: shop}}}", true),
        ("{namespaces: {labels: {team: bank}}}", false),
        ("{namespaces: {labels: {team: shop, tier: gold}}}", false),
        ("{namespaces: {names: [other], labels: {team: shop}}}", true),
        ("{namespaces: {names: [web], labels: {team: bank}}}", true),
        ("{users: [alice]}", true),
        ("{users: ['ali*']}", true),
        ("{users: [bob]}", false),
        ("{groups: [dev]}", true),
        ("{groups: ['ops-*']}", true),
        ("{groups: [admins]}", false),
        ("{extra: {example.com/project: [b]}}", true),
        ("{extra: {example.com/project: [c, b]}}", true),
        ("{extra: {example.com/project: [c]}}", false),
        ("{extra: {example.com/Project: [b]}}", false),
        ("{extra: {authentication.kubernetes.io/node-name: ['n-*']}}", true),
        ("{extra: {authentication.kubernetes.io/node-name: ['*'], example.com/project: [a]}}", true),
        ("{extra: {authentication.kubernetes.io/node-name: ['*'], example.com/project: [c]}}", false),
        ("{extra: {authentication.kubernetes.io/pod-name: ['*']}}", false),
        ("{users: [alice], extra: {example.com/project: [a]}}", true),
        ("{users: [bob], extra: {example.com/project: [a]}}", false),
        ("{users: [alice], groups: [dev], ingressClasses: [nginx], namespaces: {names: [web]}}", true),
        ("{users: [alice], groups: [admins], ingressClasses: [nginx], namespaces: {names: [web]}}", false),
        ("{users: [alice], ingressClasses: [nginx], namespaces: {names: [bank]}}", false),
    ];
    for (narrowed, expected) in cases {
        assert_eq!(is_validated(narrowed, SyncState::Complete, SOUND), expected, "{narrowed}");
    }
}

/// The labels of a Namespace may be unreadable, or the Namespace may be missing in the manifests.
#[test]
fn unknown_labels_give_no_finding() {
    let without =
        SOUND.split("---\n").filter(|document| !document.contains("kind: Namespace")).collect::<Vec<_>>().join("---\n");
    for unknown in [SyncState::Forbidden, SyncState::NotServed, SyncState::Partial] {
        assert!(!is_validated("{namespaces: {labels: {team: shop}}}", unknown, &without), "{unknown:?}");
        assert!(
            is_validated("{namespaces: {names: [web], labels: {team: bank}}}", unknown, &without),
            "a name suffices"
        );
        let exempted =
            "exemptions: [{checks: [ingress/snippet], match: {namespaces: {labels: {team: bank}}}, reason: any}]";
        let config = format!("profile: restricted\nchecks: {{ingress/tls-missing: Off}}\n{exempted}");
        let object = ingress("web/shop", SNIPPET, "shop.example.com", "/");
        let review =
            Review { config: &config, object: &object, rest: &without, namespaces: unknown, ..Review::default() };
        assert_eq!(
            review.response().0,
            serde_json::json!({"uid": "1", "allowed": true}),
            "{unknown:?}: it may be exempted"
        );
    }
}

/// The authenticator fills `extra`, which may contain anything. Content of another type matches nothing.
#[test]
fn extra_of_another_type_matches_nothing() {
    for extra in [Value::Null, json!("a"), json!(7), json!([["a"]]), json!({"example.com/project": "a"}), json!({})] {
        let evaluated = |narrowed: &str| is_evaluated_for(extra.clone(), narrowed, SyncState::Complete, SOUND);
        assert!(!evaluated("{extra: {example.com/project: ['*']}}"), "{extra}");
        assert!(evaluated("{users: [alice]}"), "{extra}");
    }
}

#[test]
fn extra_is_needed_only_if_a_match_uses_it() {
    let asks = |config: &str| plan(config).needs_extra();
    assert!(!asks("") && !asks("checks: {ingress/snippet: {action: Deny, match: {users: [alice], groups: [dev]}}}"));
    assert!(asks("checks: {ingress/snippet: {action: Deny, match: {extra: {a: [b]}}}}"));
    assert!(asks("exemptions: [{checks: ['*'], match: {extra: {a: [b]}}, reason: any}]"));
}

#[test]
fn groups_are_needed_only_if_a_match_uses_them() {
    let asks = |config: &str| plan(config).needs_groups();
    assert!(!asks("") && !asks("checks: {ingress/snippet: {action: Deny, match: {users: [alice]}}}"));
    assert!(asks("checks: {ingress/snippet: {action: Deny, match: {groups: [dev]}}}"));
    assert!(asks("exemptions: [{checks: ['*'], match: {groups: [dev]}, reason: any}]"));
}
