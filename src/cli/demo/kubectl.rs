//! What an API server does with a write that webhooks review, and what kubectl prints about it.

use anyhow::Context;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::server::DemoServer;
use crate::files::Manifest;

/// The output of `kubectl apply` for a new object.
pub(super) fn apply(server: &DemoServer, manifest: &Manifest) -> anyhow::Result<String> {
    let mut object: Value = serde_json::from_str(&manifest.json)?;
    let mutation = server.review("/mutate", &review(manifest, &object))?;
    let edits = patch(&mutation)?;
    json_patch::patch(&mut object, &edits)?;
    let validation = server.review("/validate", &review(manifest, &object))?;
    let warnings = [&mutation, &validation].into_iter().flat_map(|response| response["warnings"].as_array());
    let warnings = warnings.flatten().filter_map(Value::as_str).map(|warning| format!("Warning: {warning}\n"));
    let edits = edits.iter().map(|edit| format!("# The webhook changed it first: {edit}\n"));
    Ok(warnings.chain([result(manifest, &validation)]).chain(edits).collect())
}

/// The AdmissionReview of the creation of `object`.
fn review(manifest: &Manifest, object: &Value) -> Value {
    let object_ref = &manifest.object_ref;
    let api = object_ref.kind.api();
    let version = object["apiVersion"].as_str().and_then(|version| version.rsplit('/').next());
    let kind = json!({"group": api.group, "version": version, "kind": api.kind});
    let resource = json!({"group": api.group, "version": version, "resource": api.plural});
    json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "6a1a5f26-0d9e-4a08-9d4c-5b2a57d0f001",
            "kind": kind,
            "resource": resource,
            "requestKind": kind,
            "requestResource": resource,
            "name": &*object_ref.name,
            "namespace": &*object_ref.namespace,
            "operation": "CREATE",
            "userInfo": {"username": "demo", "groups": ["system:authenticated"]},
            "object": object,
            "oldObject": null,
            "dryRun": false,
            "options": {"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions"},
        },
    })
}

/// The JSON patch in the response of a mutating webhook; empty if it changes nothing.
fn patch(response: &Value) -> anyhow::Result<json_patch::Patch> {
    let Some(patch) = response["patch"].as_str() else { return Ok(json_patch::Patch::default()) };
    let patch = BASE64_STANDARD.decode(patch).context("the patch is not in Base64")?;
    serde_json::from_slice(&patch).context("the patch is not a JSON patch")
}

/// The last lines: that the object was created, or why not.
fn result(manifest: &Manifest, response: &Value) -> String {
    let object_ref = &manifest.object_ref;
    let api = object_ref.kind.api();
    if response["allowed"] == true {
        return format!("{}.{}/{} created\n", api.kind.to_lowercase(), api.group, object_ref.name);
    }
    let causes = response["status"]["details"]["causes"].as_array();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let causes = causes.into_iter().flatten();
    let causes: Vec<String> =
        causes.map(|cause| format!("{}: {}", text(&cause["field"]), text(&cause["message"]))).collect();
    let causes = match &*causes {
        [cause] => cause.clone(),
        causes => causes.iter().map(|cause| format!("\n* {cause}")).collect(),
    };
    format!("The {} \"{}\" is invalid: {causes}\n", api.kind, object_ref.name)
}
