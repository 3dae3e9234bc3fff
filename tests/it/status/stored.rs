//! `portcullis status` of objects that have a status: what others wrote stays, as in the cluster.

use serde_json::{Value, json};

use super::{ORPHANED, by_place, ran, route, serve, vertex};

const CLASS: &str = "---\napiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: own}\n\
                     spec: {controllerName: portcullis.dev/controller}\n";
const GATEWAY: &str = "---\napiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {namespace: web, name: edge}\n\
     spec: {gatewayClassName: own, listeners: [{name: web, port: 80, protocol: HTTP}]}\n";

/// An HTTPRoute of generation 3 with this status.
fn http_route(status: &Value) -> String {
    let spec = json!({"parentRefs": [{"name": "edge"}]});
    let metadata = json!({"namespace": "web", "name": "shop", "generation": 3});
    let route = json!({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": metadata, "spec": spec,
        "status": status,
    });
    format!("---\n{route}\n")
}

/// The printed status of this route, and the notes on standard error.
fn status_and_notes_of(status: &Value) -> (Value, String) {
    let manifests = [CLASS.to_owned(), GATEWAY.to_owned(), http_route(status)];
    let (code, output, errors) = ran(&manifests, "", &["-o", "json"]);
    assert_eq!(code, Some(0), "{errors}");
    let all: Vec<Value> = serde_json::from_str(&output).expect("JSON");
    let route = all.into_iter().find(|entry| entry["ref"] == "HTTPRoute/web/shop").expect("it has a status");
    (route["status"].clone(), errors)
}

/// The printed status of this route, without a note.
fn status_of(status: &Value) -> Value {
    let (status, notes) = status_and_notes_of(status);
    assert_eq!(notes, "");
    status
}

fn entry(controller: &str, parent: &str, conditions: &Value) -> Value {
    json!({"parentRef": {"name": parent}, "controllerName": controller, "conditions": conditions})
}

fn accepted(status: &str, generation: u64) -> Value {
    json!({
        "type": "Accepted", "status": status, "reason": "Accepted", "message": "", "observedGeneration": generation,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    })
}

pub fn a_stored_status_is_merged() {
    let (own, other) = ("portcullis.dev/controller", "example.com/other");
    let audited =
        json!({"type": "example.com/Audited", "status": "True", "lastTransitionTime": "2026-01-02T00:00:00Z"});
    let theirs = entry(other, "edge", &json!([accepted("False", 1)]));
    let ours = entry(own, "edge", &json!([audited, accepted("True", 2)]));
    let stale = entry(own, "gone", &json!([]));
    let printed = status_of(&json!({"parents": [theirs, stale, ours], "other": 1}));
    assert_eq!(printed["other"], 1);
    let parents = printed["parents"].as_array().expect("a list");
    assert_eq!((parents.len(), &parents[0]), (2, &theirs));
    let conditions = &parents[1]["conditions"];
    assert_eq!(conditions[0], audited);
    let [same, new] = [1, 2].map(|number| conditions[number].clone());
    assert_eq!(
        (&same["type"], &same["status"], &same["observedGeneration"]),
        (&"Accepted".into(), &"True".into(), &3.into())
    );
    assert_eq!(same["lastTransitionTime"], "2026-01-01T00:00:00Z", "the status is the same");
    assert_eq!((&new["type"], &new["lastTransitionTime"]), (&"ResolvedRefs".into(), &Value::Null));

    let full: Vec<Value> = (0..32).map(|number| entry(other, &format!("theirs-{number}"), &json!([]))).collect();
    let (printed, notes) = status_and_notes_of(&json!({"parents": full}));
    assert_eq!(printed, json!({"parents": full}), "the list is full");
    assert_eq!(
        notes,
        "portcullis: HTTPRoute web/shop: the status has no room for the entries about edge: remove references, or the entries of \
         controllers that no longer run\n"
    );
    let others: Vec<Value> = (0..8).map(|number| json!({"type": format!("example.com/{number}")})).collect();
    let (printed, notes) = status_and_notes_of(&json!({"parents": [entry(own, "edge", &json!(others))]}));
    assert_eq!(printed["parents"][0]["conditions"], json!(others), "the list is full");
    assert!(notes.contains("no room for the condition Accepted, ResolvedRefs: remove"), "{notes}");
    let newer = json!({"parents": [entry(own, "edge", &json!([accepted("False", 4)]))]});
    assert_eq!(status_of(&newer), newer, "a newer generation has been evaluated");
}

pub fn a_status_of_another_manager_is_not_printed() {
    let managed = |name: &str, manager: &str| {
        let fields = json!([{"manager": manager, "fieldsV1": {"f:status": {"f:currentStatus": {}}}}]);
        let metadata = format!("generation: 7, managedFields: {fields}");
        route(&format!("team/{name}"), &vertex(&[serve("/")])).replace("generation: 7", &metadata)
    };
    let manifests = [managed("theirs", "contour"), managed("ours", "portcullis")];
    let (code, output, errors) = ran(&manifests, "", &["-o", "json"]);
    assert_eq!(
        errors,
        "portcullis: IngressRoute team/theirs: `contour` manages the status, so the controller does not write it\n"
    );
    let statuses = by_place(&output);
    assert_eq!((code, statuses.keys().collect::<Vec<_>>()), (Some(0), vec![&"team/ours".to_owned()]));
    assert!(statuses["team/ours"]["description"].as_str().is_some_and(|text| text.starts_with(ORPHANED)));
}
