//! The decision whether a review is a canary, and its answer.

use std::sync::Arc;

use portcullis_core::cluster::{Cluster, Event, SharedCluster, SyncState};
use portcullis_core::kinds::Kind;
use portcullis_core::review::{AdmissionVerdict, ReviewError, ReviewResponse, Reviewer, canary};
use portcullis_testing::config::plan;
use portcullis_testing::pages::today;
use serde_json::{Value, json};

const TOKEN: &str = "4f2a-9b";
const REPLICA: &str = "portcullis-7d9f-abc";

/// The request of a canary as the API server sends it.
fn request() -> Value {
    let metadata = json!({"namespace": "default", "name": "canary", "annotations": {canary::ANNOTATION: TOKEN}});
    let backend = json!({"service": {"name": "canary", "port": {"number": 80}}});
    let path = json!({"path": "/", "pathType": "Prefix", "backend": backend});
    let spec = json!({"ingressClassName": "canary", "rules": [{"host": "canary.invalid", "http": {"paths": [path]}}]});
    json!({
        "uid": "u-1", "kind": {"group": "networking.k8s.io", "version": "v1", "kind": "Ingress"}, "namespace": "default",
        "name": "canary", "operation": "CREATE", "userInfo": {"username": "alice"}, "dryRun": true,
        "object": {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata, "spec": spec},
    })
}

/// The answer of a replica, which has never listed `waiting`.
fn answer(request: &Value, config: &str, waiting: Option<Kind>) -> Result<ReviewResponse, ReviewError> {
    answer_while(request, config, waiting.map(|kind| (kind, SyncState::NotSynced)))
}

/// The answer of a replica that knows everything but what is said of one kind.
fn answer_while(
    request: &Value,
    config: &str,
    unknown: Option<(Kind, SyncState)>,
) -> Result<ReviewResponse, ReviewError> {
    let mut cluster = Cluster::with(SyncState::Complete);
    unknown.into_iter().for_each(|(kind, state)| cluster.apply(Event::SyncState(kind, state)));
    let reviewer = Reviewer::new(plan(config), Arc::new(SharedCluster::new(cluster))).named(REPLICA.to_owned());
    let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
    reviewer.validate(review.to_string().as_bytes(), today())
}

/// The verdict of a replica that knows everything.
fn verdict(request: &Value) -> AdmissionVerdict {
    answer(request, "", None).expect("everything is known").summary.verdict
}

fn with(pointer: &str, value: Value) -> Value {
    let mut request = request();
    *request.pointer_mut(pointer).expect("the request has this field") = value;
    request
}

#[test]
fn a_canary_is_denied_with_token_and_replica() {
    let answer = answer(&request(), "", None).expect("everything is known");
    assert_eq!(answer.summary.verdict, AdmissionVerdict::Canary);
    let body: Value = serde_json::from_slice(&answer.body).expect("an answer is JSON");
    let response = &body["response"];
    assert_eq!((&response["uid"], &response["allowed"]), (&json!("u-1"), &json!(false)));
    let message = response["status"]["message"].as_str().expect("a denial has a message");
    assert_eq!(message, "canary 4f2a-9b answered by replica portcullis-7d9f-abc");
    assert_eq!(canary::replica(message, TOKEN), Some(REPLICA));
    assert_eq!(canary::replica(message, "4f2a"), None, "another run");
}

#[test]
fn a_canary_is_denied_in_every_profile() {
    for profile in ["audit", "baseline", "restricted"] {
        let answer = answer(&request(), &format!("profile: {profile}"), None).expect("everything is known");
        assert_eq!(answer.summary.verdict, AdmissionVerdict::Canary, "{profile}");
    }
}

#[test]
fn a_write_that_is_stored_is_not_a_canary() {
    for stored in [json!(false), Value::Null] {
        assert_eq!(verdict(&with("/dryRun", stored)), AdmissionVerdict::Allowed);
    }
    let mut without = request();
    without.as_object_mut().expect("a request is a map").remove("dryRun");
    assert_eq!(verdict(&without), AdmissionVerdict::Allowed);
}

#[test]
fn only_creations_of_ingresses_are_canaries() {
    let mut update = with("/operation", json!("UPDATE"));
    update["oldObject"] = update["object"].clone();
    assert_eq!(verdict(&update), AdmissionVerdict::Allowed);
    let mut deletion = with("/operation", json!("DELETE"));
    deletion["oldObject"] = deletion["object"].take();
    assert_eq!(verdict(&deletion), AdmissionVerdict::Allowed);

    let mut class = with("/kind/kind", json!("IngressClass"));
    class["object"]["kind"] = json!("IngressClass");
    class["object"]["spec"] = json!({"controller": "example.com/canary"});
    assert_eq!(verdict(&class), AdmissionVerdict::Allowed);
    let mut status = request();
    status["subResource"] = json!("status");
    assert_eq!(verdict(&status), AdmissionVerdict::Allowed);
}

#[test]
fn a_token_must_be_short_and_plain() {
    let longest = "a".repeat(64);
    for (token, expected) in [
        (longest.as_str(), AdmissionVerdict::Canary),
        (&format!("{longest}a"), AdmissionVerdict::Allowed),
        ("", AdmissionVerdict::Allowed),
        ("a b", AdmissionVerdict::Allowed),
        ("a\nb", AdmissionVerdict::Allowed),
        ("é", AdmissionVerdict::Allowed),
    ] {
        let annotations = json!({canary::ANNOTATION: token});
        assert_eq!(verdict(&with("/object/metadata/annotations", annotations)), expected, "{token:?}");
    }
}

/// A kind that no check of an Ingress needs is waited for, too: the replica does not check everything yet.
#[test]
fn a_replica_that_is_not_synced_does_not_answer() {
    for kind in [Kind::Ingress, Kind::Gateway] {
        match answer(&request(), "", Some(kind)) {
            Err(ReviewError::NotSynced(kinds)) => assert_eq!(kinds.iter().collect::<Vec<_>>(), [kind]),
            other => panic!("{kind:?}: {other:?}"),
        }
    }
    let off = "checks: {'*': Off}";
    let answered = answer(&request(), off, Some(Kind::Gateway)).expect("no check needs this kind");
    assert_eq!(answered.summary.verdict, AdmissionVerdict::Canary);
}

/// Such a replica admits what it should deny, so it proves nothing. A kind that no check needs to deny does no harm.
#[test]
fn a_replica_that_cannot_read_a_kind_does_not_answer() {
    for state in [SyncState::Forbidden, SyncState::Stale] {
        match answer_while(&request(), "", Some((Kind::Ingress, state))) {
            Err(ReviewError::Unreadable(kinds)) => assert_eq!(kinds.iter().collect::<Vec<_>>(), [Kind::Ingress]),
            other => panic!("{state:?}: {other:?}"),
        }
        for config in ["profile: audit", "checks: {'*': Off}"] {
            let answered = answer_while(&request(), config, Some((Kind::Ingress, state))).expect("nothing is denied");
            assert_eq!(answered.summary.verdict, AdmissionVerdict::Canary, "{config}");
        }
    }
    let absent = answer_while(&request(), "", Some((Kind::Ingress, SyncState::NotServed)));
    assert_eq!(absent.expect("no such object exists").summary.verdict, AdmissionVerdict::Canary);
}
