//! What Alice does with kubectl, and what the admin has put there before.

use serde_json::{Value, json};

use super::super::stage::Stage;
use crate::harness::Said;
use crate::pages::manifests;

/// An unrelated edit.
pub fn edited(stage: &Stage<'_>, what: &str, namespace: &str) -> Said {
    stage.kubectl(&format!("annotate {what} --namespace={namespace} example.com/note=seen")).run()
}

/// `kubectl apply`, and the gate has seen it.
pub fn apply(stage: &Stage<'_>, object: &Value) -> Said {
    note(stage, object);
    let said = stage.kubectl("apply -f -").stdin(&object.to_string()).run();
    stage.settle();
    said
}

/// `kubectl create` of many in a row, and the gate has seen those that are let in.
pub fn create(stage: &Stage<'_>, objects: &[Value]) -> Said {
    objects.iter().for_each(|object| note(stage, object));
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    let said = stage.kubectl("create -f -").stdin(&list.to_string()).run();
    stage.settle();
    said
}

/// `kubectl replace`.
pub fn replace(stage: &Stage<'_>, object: &Value) -> Said {
    stage.kubectl("replace -f -").stdin(&object.to_string()).run()
}

/// Notes what Alice makes, to be taken away after the scene.
fn note(stage: &Stage<'_>, object: &Value) {
    let manifest = manifests(&object.to_string()).remove(0);
    stage.stands(&manifest.place);
}

/// What is stored.
pub fn stored(stage: &Stage<'_>, kind: &str, namespace: &str, name: &str) -> Value {
    let said = stage.kubectl(&format!("get {kind} {name} --namespace={namespace} -o json")).run().accepted();
    serde_json::from_str(&said.stdout).expect("kubectl prints JSON")
}

/// A document of the kind.
pub fn document(kind: &str, namespace: &str, name: &str, spec: &Value) -> Value {
    let api_version = match kind {
        "HTTPProxy" => "projectcontour.io/v1",
        _ => "contour.heptio.com/v1beta1",
    };
    json!({"apiVersion": api_version, "kind": kind, "metadata": {"namespace": namespace, "name": name}, "spec": spec})
}

/// Services with the port 80.
pub fn services(stage: &Stage<'_>, namespace: &str, names: &[&str]) {
    for name in names {
        let spec = json!({"ports": [{"port": 80}]});
        let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"namespace": namespace, "name": name}, "spec": spec});
        stage.set_text(&service.to_string());
    }
}
