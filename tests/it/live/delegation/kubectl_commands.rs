//! The kubectl commands of Alice, and the objects that the admin creates before.

use portcullis_testing::pages::manifests;
use serde_json::{Value, json};

use super::super::fixture::ClusterFixture;
use crate::harness::KubectlOutput;

/// An edit that concerns no check.
pub fn edited(fixture: &ClusterFixture<'_>, what: &str, namespace: &str) -> KubectlOutput {
    fixture.kubectl(&format!("annotate {what} --namespace={namespace} example.com/note=seen")).run()
}

/// `kubectl apply`. Returns after the server has seen the object.
pub fn apply(fixture: &ClusterFixture<'_>, object: &Value) -> KubectlOutput {
    note(fixture, object);
    let output = fixture.kubectl("apply -f -").stdin(&object.to_string()).run();
    fixture.settle();
    output
}

/// `kubectl create` of several objects. Returns after the server has seen the admitted ones.
pub fn create(fixture: &ClusterFixture<'_>, objects: &[Value]) -> KubectlOutput {
    objects.iter().for_each(|object| note(fixture, object));
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    let output = fixture.kubectl("create -f -").stdin(&list.to_string()).run();
    fixture.settle();
    output
}

/// `kubectl replace`.
pub fn replace(fixture: &ClusterFixture<'_>, object: &Value) -> KubectlOutput {
    fixture.kubectl("replace -f -").stdin(&object.to_string()).run()
}

/// Records an object of Alice, so that it is deleted after the scenario.
fn note(fixture: &ClusterFixture<'_>, object: &Value) {
    let manifest = manifests(&object.to_string()).remove(0);
    fixture.track(&manifest.object_ref);
}

/// The stored object.
pub fn stored(fixture: &ClusterFixture<'_>, kind: &str, namespace: &str, name: &str) -> Value {
    fixture.kubectl(&format!("get {kind} {name} --namespace={namespace} -o json")).run().json()
}

/// An object of the kind.
pub fn document(kind: &str, namespace: &str, name: &str, spec: &Value) -> Value {
    let api_version = match kind {
        "HTTPProxy" => "projectcontour.io/v1",
        _ => "contour.heptio.com/v1beta1",
    };
    json!({"apiVersion": api_version, "kind": kind, "metadata": {"namespace": namespace, "name": name}, "spec": spec})
}

/// Services with port 80.
pub fn services(fixture: &ClusterFixture<'_>, namespace: &str, names: &[&str]) {
    for name in names {
        let spec = json!({"ports": [{"port": 80}]});
        let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"namespace": namespace, "name": name}, "spec": spec});
        fixture.set_text(&service.to_string());
    }
}
