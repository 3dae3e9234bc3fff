//! A review waits for an initial list only if its result depends on that list.

use portcullis_core::cluster::SyncState;
use portcullis_core::review::ReviewError;
use portcullis_testing::config::plan;

use super::review_fixture::{Review, SOUND, ingress};

/// The kinds that the creation of an Ingress in namespace `web` with class `nginx` by `alice` waits for, if no Ingress
/// is known yet; `None` if the review is answered.
fn awaited(config: &str, namespaces: SyncState) -> Option<String> {
    let object = ingress("web/shop", "", "shop.example.com", "/");
    // As long as Namespaces are not synced, the view contains none.
    let rest =
        SOUND.split("---\n").filter(|document| !document.contains("kind: Namespace")).collect::<Vec<_>>().join("---\n");
    let (rest, ingresses) = (rest.as_str(), SyncState::NotSynced);
    let review = Review { config, object: &object, rest, namespaces, ingresses, ..Review::default() };
    match review.try_response() {
        Ok(response) => {
            assert_eq!(response.0, serde_json::json!({"uid": "1", "allowed": true}), "{config}");
            None
        }
        Err(ReviewError::NotSynced(kinds)) => {
            Some(kinds.iter().map(|kind| kind.api().kind).collect::<Vec<_>>().join(", "))
        }
        Err(other) => panic!("{other}"),
    }
}

/// Whether the review waits for Ingresses if a check that looks them up has the match `only`.
fn waits(only: &str) -> bool {
    let config = format!("checks: {{'*': Off, host/path-conflict: {{action: Deny, match: {only}}}}}");
    awaited(&config, SyncState::Complete).is_some_and(|kinds| kinds == "Ingress")
}

#[test]
fn review_waits_only_for_checks_that_apply() {
    assert!(waits("{}"));
    for applying in ["{namespaces: {names: [web]}}", "{ingressClasses: [nginx]}", "{users: [alice]}"] {
        assert!(waits(applying), "{applying}");
    }
    for not_applying in [
        "{namespaces: {names: [bank]}}",
        "{namespaces: {labels: {team: bank}}}",
        "{ingressClasses: [internal]}",
        "{users: [bob]}",
        "{groups: [admins]}",
        "{namespaces: {names: [web]}, ingressClasses: [internal]}",
    ] {
        assert!(!waits(not_applying), "{not_applying}");
    }
}

#[test]
fn review_does_not_wait_for_exempted_checks() {
    let exempted = |checks: &str, only: &str, expires: &str| {
        let exemption = format!("{{checks: ['{checks}'], match: {only}, reason: any{expires}}}");
        let config = format!("checks: {{'*': Off, host/path-conflict: Deny}}\nexemptions: [{exemption}]");
        awaited(&config, SyncState::Complete).is_none()
    };
    assert!(exempted("host/path-conflict", "{namespaces: {names: [web]}}", ""));
    assert!(exempted("host/*", "{ingressClasses: [nginx]}", ", expires: 2027-06-01"));
    assert!(!exempted("host/path-conflict", "{namespaces: {names: [bank]}}", ""), "the match names another namespace");
    assert!(!exempted("ingress/*", "{namespaces: {names: [web]}}", ""), "the exemption names another check");
    assert!(!exempted("host/*", "{namespaces: {names: [web]}}", ", expires: 2026-06-01"), "it is over");
}

#[test]
fn review_waits_for_deciding_labels() {
    let by_labels = "{namespaces: {labels: {team: shop}}}";
    let narrowed = format!("checks: {{'*': Off, host/path-conflict: {{action: Deny, match: {by_labels}}}}}");
    assert_eq!(awaited(&narrowed, SyncState::NotSynced).as_deref(), Some("Namespace"), "the match may apply");
    assert_eq!(awaited(&narrowed, SyncState::Forbidden), None, "the labels stay unknown");
    let elsewhere = narrowed.replace("match: {", "match: {ingressClasses: [internal], ");
    assert_eq!(awaited(&elsewhere, SyncState::NotSynced), None, "the match names another class, whatever the labels");
    let exempted = format!(
        "checks: {{'*': Off, host/path-conflict: Deny}}\nexemptions: [{{checks: ['*'], match: {by_labels}, reason: any}}]"
    );
    assert_eq!(awaited(&exempted, SyncState::NotSynced).as_deref(), Some("Namespace"), "the namespace may be exempted");
}

#[test]
fn schemas_matter_to_checks_about_their_kinds() {
    for (config, expected) in [
        ("", true),
        ("profile: audit", true),
        ("checks: {'*': Off, route/parent-refs-too-many: Deny}", true),
        ("checks: {'*': Off, gateway-class/*: Warn}", true),
        ("checks: {'*': Off}", false),
        ("checks: {'*': Off, ingress/*: Warn, object/unreadable: Warn}", false),
    ] {
        assert_eq!(plan(config).needs_schemas(), expected, "{config}");
    }
}
