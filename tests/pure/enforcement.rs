//! What `portcullis arm` and `portcullis disarm` decide: which entries change, which replicas must answer, and what the answer to a
//! canary shows.

use std::collections::BTreeSet;
use std::time::Duration;

use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::api::DynamicObject;
use portcullis::enforcement::{
    Attempt, Callee, DISARMED, FIELD_MANAGER, Gap, NextStep, NotProven, PolicyChange, Proof, Replicas, Unenforceable,
    disown, enforce, erase, is_denied_by_others, is_disarmed, missing, ready, record, relax,
};
use portcullis::manifests;
use portcullis::webhook_configuration::Configuration;
use serde_json::{Value, json};

const ENFORCED: [&str; 3] = ["ingresses.portcullis.dev", "gateways.portcullis.dev", "delegations.portcullis.dev"];

/// The entries of a generated configuration, with a caBundle.
fn entries(text: &str) -> Vec<Value> {
    let mut configuration: Value = serde_saphyr::from_str(text).expect("it is YAML");
    let mut entries: Vec<Value> = serde_json::from_value(configuration["webhooks"].take()).expect("it has entries");
    entries.iter_mut().for_each(|entry| entry["clientConfig"]["caBundle"] = "Y2E=".into());
    entries
}

fn shipped() -> Vec<Value> {
    entries(&manifests::validating())
}

/// An entry that Portcullis did not install.
fn foreign(policy: &str) -> Value {
    json!({"name": "other.example.com", "clientConfig": {"url": "https://example.com"}, "failurePolicy": policy})
}

/// The entries after the operations of these changes, as the API server would make them.
fn patched(entries: &[Value], changes: &[PolicyChange]) -> Result<Vec<Value>, json_patch::PatchError> {
    let mut object = json!({"webhooks": entries});
    let operations: Value = changes.iter().flat_map(PolicyChange::operations).collect();
    json_patch::patch(&mut object, &serde_json::from_value::<json_patch::Patch>(operations).expect("a patch"))?;
    Ok(serde_json::from_value(object["webhooks"].take()).expect("it has entries"))
}

fn with_policy(entries: &[Value], policy: &str) -> Vec<String> {
    let named = entries.iter().filter(|entry| entry["failurePolicy"] == policy);
    named.map(|entry| entry["name"].as_str().expect("an entry has a name").to_owned()).collect()
}

#[test]
fn exactly_the_enforced_entries_are_armed() {
    let shipped = shipped();
    let armed = patched(&shipped, &enforce(&shipped)).expect("the names are tested at their positions");
    assert_eq!(with_policy(&armed, "Fail"), ENFORCED);
    assert_eq!(armed.len(), shipped.len());
    let without_policy = |entries: &[Value]| -> Vec<Value> {
        let mut entries = entries.to_vec();
        entries.iter_mut().for_each(|entry| entry["failurePolicy"] = Value::Null);
        entries
    };
    assert_eq!(without_policy(&armed), without_policy(&shipped), "nothing else has changed");
    assert_eq!(enforce(&armed), [], "armed again, nothing is left to do");
    assert_eq!(enforce(&entries(&manifests::mutating())), []);
}

#[test]
fn order_missing_and_foreign_entries_do_not_matter() {
    let mut entries = shipped();
    entries.reverse();
    entries.retain(|entry| entry["name"] != ENFORCED[1]);
    entries.insert(1, foreign("Ignore"));
    let armed = patched(&entries, &enforce(&entries)).expect("the names are tested at their positions");
    assert_eq!(with_policy(&armed, "Fail"), [ENFORCED[2], ENFORCED[0]]);
    assert_eq!(armed[1], foreign("Ignore"));
    assert_eq!((missing(&armed), missing(&shipped())), (vec![ENFORCED[1].to_owned()], Vec::new()));
}

#[test]
fn a_patch_of_other_entries_fails() {
    let shipped = shipped();
    let changes = enforce(&shipped);
    let mut moved = shipped.clone();
    moved.insert(0, foreign("Ignore"));
    assert!(patched(&moved, &changes).is_err(), "an entry was added in front");
    assert!(patched(&moved[2..], &changes).is_err(), "the first entry was removed");
}

#[test]
fn every_entry_is_disarmed() {
    let mut entries = shipped();
    entries = patched(&entries, &enforce(&entries)).expect("the names are tested at their positions");
    entries.push(foreign("Fail"));
    let mut without_policy = foreign("Fail");
    without_policy.as_object_mut().expect("an entry is a map").remove("failurePolicy");
    entries.push(without_policy);
    let disarmed = patched(&entries, &relax(&entries)).expect("the names are tested at their positions");
    assert_eq!(with_policy(&disarmed, "Ignore").len(), entries.len());
    assert_eq!(relax(&disarmed), [], "disarmed again, nothing is left to do");
}

#[test]
fn one_callee_is_proven_for_all_enforced_entries() {
    let shipped = shipped();
    let service = Callee::Service { namespace: "portcullis".to_owned(), name: "portcullis".to_owned() };
    assert_eq!(Callee::of(&shipped), Ok(service.clone()));
    let position = |name: &str| shipped.iter().position(|entry| entry["name"] == name).expect("it is shipped");
    let changed = |name: &str, pointer: &str, value: Value| {
        let mut entries = shipped.clone();
        *entries[position(name)].pointer_mut(pointer).expect("a shipped entry has it") = value;
        Callee::of(&entries)
    };
    let different = || Unenforceable::DifferentCallees(ENFORCED[0].to_owned(), ENFORCED[1].to_owned());
    for (pointer, value) in [
        ("/clientConfig/service/name", json!("other")),
        ("/clientConfig/service/path", json!("/other")),
        ("/clientConfig/caBundle", json!("b3RoZXI=")),
    ] {
        assert_eq!(changed(ENFORCED[1], pointer, value), Err(different()), "{pointer}");
    }
    let unenforced = changed("deletions.portcullis.dev", "/clientConfig/service/name", json!("other"));
    assert_eq!(unenforced, Ok(service), "an entry that is never enforced may call another Service");
    let none = Callee::of(&shipped[1..]);
    assert_eq!(none, Err(Unenforceable::NoEntry(ENFORCED[0].to_owned())));
}

#[test]
fn a_service_needs_a_bundle_and_a_url_may_do_without() {
    let entry = |config: Value| [json!({"name": ENFORCED[0], "clientConfig": config})];
    let service = json!({"namespace": "a", "name": "b", "path": "/validate"});
    for bundle in [Value::Null, json!("")] {
        let without = Callee::of(&entry(json!({"service": service, "caBundle": bundle})));
        assert_eq!(without, Err(Unenforceable::NoBundle(ENFORCED[0].to_owned())));
    }
    let url = "https://gate.example.com/validate";
    assert_eq!(Callee::of(&entry(json!({"url": url}))), Ok(Callee::Url(url.to_owned())));
    assert_eq!(Callee::of(&entry(json!({}))), Err(Unenforceable::NoCallee(ENFORCED[0].to_owned())));
}

#[test]
fn ready_endpoints_are_replicas() {
    let endpoint = |name: &str, ready: Value| {
        let target = json!({"kind": "Pod", "name": name});
        json!({"addresses": ["10.0.0.1"], "conditions": {"ready": ready}, "targetRef": target})
    };
    let slice = |endpoints: Value| -> EndpointSlice {
        serde_json::from_value(json!({"addressType": "IPv4", "endpoints": endpoints})).expect("a slice")
    };
    let slices = [
        slice(json!([endpoint("a", true.into()), endpoint("b", false.into()), endpoint("c", Value::Null)])),
        slice(json!([endpoint("a", true.into()), {"addresses": ["10.0.0.9"]}])),
        slice(Value::Null),
    ];
    assert_eq!(ready(&slices), names(&["a", "c", "10.0.0.9"]));
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn denied(replica: &str) -> Attempt {
    Attempt::Denied(replica.to_owned())
}

#[test]
fn every_ready_replica_must_answer() {
    let mut proof = Proof::default();
    let both = Replicas::Ready(names(&["a", "b"]));
    assert_eq!(proof.gap(&Replicas::Ready(names(&[]))), Some(Gap::NoReplica));
    assert!(!proof.observe(Attempt::Admitted));
    assert!(proof.observe(denied("a")));
    assert!(!proof.observe(denied("a")), "it has answered before");
    assert_eq!(proof.gap(&both), Some(Gap::Replicas(names(&["b"]))));
    assert!(proof.observe(denied("b")));
    assert_eq!(proof.gap(&both), None);
    let grown = Replicas::Ready(names(&["a", "b", "c"]));
    assert_eq!(proof.gap(&grown), Some(Gap::Replicas(names(&["c"]))), "a replica has appeared meanwhile");
    assert_eq!(proof.gap(&Replicas::Ready(names(&["b"]))), None, "a replica has gone meanwhile");
    assert_eq!(proof.gap(&Replicas::Ready(names(&[]))), Some(Gap::NoReplica), "all have gone");
}

#[test]
fn behind_a_url_the_first_answer_suffices() {
    let mut proof = Proof::default();
    proof.observe(Attempt::Failed("down".to_owned()));
    assert_eq!(proof.gap(&Replicas::BehindUrl), Some(Gap::Server));
    proof.observe(denied("a"));
    assert_eq!(proof.gap(&Replicas::BehindUrl), None);
}

#[test]
fn only_own_denials_with_the_token_prove_a_canary() {
    let ours = r#"admission webhook "ingresses.portcullis.dev" denied the request: canary T answered by replica a"#;
    assert_eq!(Attempt::of_error(422, ours, "T"), Some(denied("a")));
    let failed = |code, message: &str| {
        assert_eq!(Attempt::of_error(code, message, "T"), Some(Attempt::Failed(message.to_owned())), "{message}");
    };
    failed(422, &ours.replace("canary T", "canary S"));
    failed(422, &ours.replace("ingresses.portcullis.dev", "copy.example.com"));
    failed(403, r#"admission webhook "other.example.com" denied the request: no"#);
    failed(500, r#"Internal error occurred: failed calling webhook "ingresses.portcullis.dev": connection refused"#);
    failed(429, "too many requests");
    for (code, message) in
        [(403, "User \"a\" cannot create resource \"ingresses\""), (404, "namespaces \"a\" not found")]
    {
        assert_eq!(Attempt::of_error(code, message, "T"), None, "{message}");
    }
}

#[test]
fn denials_of_others_are_distinguished_from_missing_rights() {
    let policy = "ingresses.networking.k8s.io \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no";
    let quota = "ingresses.networking.k8s.io \"a\" is forbidden: exceeded quota: few, requested: count/ingresses=1";
    assert!(is_denied_by_others(422, policy) && is_denied_by_others(401, policy) && is_denied_by_others(403, quota));
    let right =
        "ingresses.networking.k8s.io is forbidden: User \"a\" cannot create resource \"ingresses\" in API group";
    assert!(!is_denied_by_others(403, right) && !is_denied_by_others(404, "namespaces \"a\" not found"));
}

#[test]
fn a_refusal_says_what_to_look_at() {
    let callee = Callee::Service { namespace: "edge".to_owned(), name: "gate".to_owned() };
    let missing = |gap: Gap, last: &[Attempt]| {
        let mut proof = Proof::default();
        last.iter().for_each(|attempt| _ = proof.observe(attempt.clone()));
        let (namespace, timeout) = ("default".to_owned(), Duration::from_secs(60));
        let strangers = proof.strangers(&Replicas::Ready(names(&["a", "b"])));
        NotProven {
            callee: callee.clone(),
            is_armed: false,
            gap,
            proof,
            strangers,
            namespace,
            timeout,
            health_port: 10251,
        }
    };
    let silent = missing(Gap::Replicas(names(&["b"])), &[denied("a"), Attempt::Admitted]);
    assert_eq!(silent.to_string(), "Service edge/gate: no canary was denied by b within 60s");
    let advice = silent.advice().join("\n");
    assert!(advice.contains("the last canary was admitted"), "{advice}");
    assert!(
        advice.contains("kubectl get --raw '/api/v1/namespaces/edge/pods/http:b:10251/proxy/readyz?verbose'"),
        "{advice}"
    );

    let cut_off = missing(Gap::Replicas(names(&["b"])), &[Attempt::Unanswered]);
    assert_eq!(cut_off.advice()[0], "the API server has not answered any canary");
    let admitted = missing(Gap::Replicas(names(&["b"])), &[Attempt::Admitted, Attempt::Unanswered]);
    assert_eq!(admitted.advice(), silent.advice());
    let failed = missing(Gap::Replicas(names(&["b"])), &[Attempt::Failed("connection refused".to_owned())]);
    assert_eq!(failed.advice()[0], "the last canary failed: connection refused");
    let other = r#"admission webhook "other.example.com" denied the request: no"#;
    let denied_elsewhere = missing(Gap::Replicas(names(&["b"])), &[Attempt::Failed(other.to_owned())]);
    let expected = format!("the last canary failed: {other}; set --namespace (of `serve`: --enforce-namespace) ");
    assert!(denied_elsewhere.advice()[0].starts_with(&expected), "{:?}", denied_elsewhere.advice());
    let armed = NotProven { is_armed: true, ..cut_off.clone() };
    let way_out = "failurePolicy is already Fail; to stop enforcement: portcullis disarm";
    assert!(armed.advice().ends_with(&[way_out.to_owned()]) && !cut_off.advice().contains(&way_out.to_owned()));
    let unnamed = missing(Gap::Replicas(names(&["b"])), &[denied("a"), denied("node-1")]);
    let expected = "node-1 denied a canary, but is not a ready pod of Service edge/gate; if it is one, set POD_NAME";
    assert!(unnamed.advice()[0].starts_with(expected), "{:?}", unnamed.advice());
    assert_eq!(missing(Gap::Replicas(names(&["b"])), &[denied("a")]).advice().len(), 1, "no cause is known");
    let none = missing(Gap::NoReplica, &[]);
    assert_eq!(none.to_string(), "Service edge/gate: no replica is ready within 60s");
    assert_eq!(none.advice(), ["look at the pods: kubectl get pods --namespace edge"]);
}

/// An object with these entries, and these metadata beside its name.
fn object(entries: &[Value], metadata: &Value) -> Value {
    let mut object = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "portcullis"}, "webhooks": entries,
    });
    let metadata = metadata.as_object().expect("metadata are a map").clone();
    object["metadata"].as_object_mut().expect("metadata are a map").extend(metadata);
    object
}

fn configuration(object: &Value) -> Configuration {
    Configuration::of(serde_json::from_value::<DynamicObject>(object.clone()).expect("it is an object"))
}

/// The object after these operations.
fn after(object: &Value, operations: Vec<Value>) -> Value {
    let mut object = object.clone();
    let patch = serde_json::from_value::<json_patch::Patch>(operations.into()).expect("a patch");
    json_patch::patch(&mut object, &patch).expect("the patch fits");
    object
}

#[test]
fn disarming_is_recorded_once_and_erased() {
    for (annotations, others) in [
        (json!({}), json!({})),
        (json!({"annotations": {}}), json!({})),
        (json!({"annotations": {"example.com/a": "b"}}), json!({"example.com/a": "b"})),
        (json!({"annotations": {"example.com/a": "b", DISARMED: "false"}}), json!({"example.com/a": "b"})),
    ] {
        let before = object(&shipped(), &annotations);
        assert!(!is_disarmed(&configuration(&before)), "{annotations}");
        let recorded = after(&before, record(&configuration(&before)));
        assert!(is_disarmed(&configuration(&recorded)), "{annotations}");
        assert_eq!(record(&configuration(&recorded)), [Value::Null; 0], "nothing is left to do");
        let erased = after(&recorded, erase(&configuration(&recorded)));
        assert_eq!(erased["metadata"]["annotations"], others);
        assert_eq!(erase(&configuration(&erased)), [Value::Null; 0], "nothing is left to do");
    }
}

#[test]
fn ownership_of_our_writes_is_given_up() {
    let managed = |names: &[&str]| -> Value { names.iter().map(|name| json!({"manager": name})).collect() };
    let before = object(&[], &json!({"managedFields": managed(&["helm", FIELD_MANAGER, "portcullis", FIELD_MANAGER])}));
    let given_up = after(&before, disown(&configuration(&before), FIELD_MANAGER));
    assert_eq!(given_up["metadata"]["managedFields"], managed(&["helm", "portcullis"]));
    assert_eq!(disown(&configuration(&given_up), FIELD_MANAGER), [Value::Null; 0]);
}

#[test]
fn only_the_leader_enforces_and_never_what_was_disarmed() {
    let armed = patched(&shipped(), &enforce(&shipped())).expect("the names are tested at their positions");
    let disarmed = json!({"annotations": {DISARMED: "true"}});
    let owned = json!({"managedFields": [{"manager": FIELD_MANAGER}]});
    let disarmed_and_owned = json!({"annotations": disarmed["annotations"], "managedFields": owned["managedFields"]});
    let none = json!({});
    for (entries, metadata, leading, following) in [
        (&shipped(), &none, NextStep::Arm, NextStep::Await),
        (&shipped(), &disarmed, NextStep::Honor, NextStep::Honor),
        (&armed, &none, NextStep::Keep, NextStep::Keep),
        (&armed, &disarmed, NextStep::Keep, NextStep::Keep),
        // Another replica has ended after it had set `Fail`.
        (&armed, &owned, NextStep::Arm, NextStep::Keep),
        // A record that an operator has made by hand.
        (&armed, &disarmed_and_owned, NextStep::Keep, NextStep::Keep),
        (&Vec::new(), &none, NextStep::Arm, NextStep::Await),
    ] {
        let read = configuration(&object(entries, metadata));
        assert_eq!([NextStep::of(&read, true), NextStep::of(&read, false)], [leading, following], "{metadata}");
    }
}
