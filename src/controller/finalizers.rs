//! `portcullis remove-finalizers`: removes the finalizer of GatewayClasses in use, so that they can be deleted without Portcullis.
//!
//! The API server records who has set it (`managedFields`). So what another controller has set stays, and no configuration is needed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, ObjectMeta};
use kube::api::{ApiResource, DynamicObject, ListParams, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use serde_json::json;
use tokio::time::sleep;

use crate::request::{FIELD_MANAGER, RequestError, request_within};
use crate::watch::{ServedVersion, discover};
use portcullis_core::kinds::Kind;
use portcullis_core::status::finalizer::FINALIZER;

/// How long one request may take. A process without a Lease has time.
const DEADLINE: Duration = Duration::from_secs(30);
/// How often to try, whatever the reason of a failure.
const ATTEMPTS: usize = 5;
/// How long to wait after an attempt that has failed.
const PAUSE: Duration = Duration::from_secs(1);

/// What became of the finalizer of each GatewayClass that has, or had, it.
#[derive(Debug, Default)]
pub struct RemovedFinalizers {
    /// The classes without the finalizer now.
    pub removed: BTreeSet<String>,
    /// The classes whose finalizer another writer has set, which stays.
    pub foreign: BTreeSet<String>,
    /// The classes whose finalizer could not be removed, and why.
    pub failed: BTreeMap<String, String>,
}

/// Removes the finalizer from each GatewayClass on which Portcullis has set it. Does nothing in a cluster without GatewayClasses.
pub async fn remove_finalizers(client: &Client) -> Result<RemovedFinalizers, RequestError> {
    let mut removed = BTreeSet::new();
    for _ in 1..ATTEMPTS {
        match remove_once(client, removed.clone()).await {
            Ok(done) if done.failed.is_empty() => return Ok(done),
            Ok(done) => removed = done.removed,
            Err(_) => {}
        }
        sleep(PAUSE).await;
    }
    remove_once(client, removed).await
}

/// `removed` are the classes from which an earlier attempt has removed it.
async fn remove_once(client: &Client, removed: BTreeSet<String>) -> Result<RemovedFinalizers, RequestError> {
    let mut done = RemovedFinalizers { removed, ..RemovedFinalizers::default() };
    let Some(version) = request_within(DEADLINE, discover(client)).await?.version(Kind::GatewayClass) else {
        return Ok(done);
    };
    let classes = gateway_classes(client, version);
    for class in request_within(DEADLINE, classes.list_metadata(&ListParams::default())).await?.items {
        let Some(position) = position(&class.metadata) else { continue };
        let name = class.metadata.name.clone().unwrap_or_default();
        if !is_own(&class.metadata) {
            done.foreign.insert(name);
            continue;
        }
        match remove(&classes, &name, position).await {
            Ok(()) | Err(RequestError::NotFound(_)) => _ = done.removed.insert(name),
            Err(error) => _ = done.failed.insert(name, error.explain()),
        }
    }
    Ok(done)
}

fn gateway_classes(client: &Client, ServedVersion(version): ServedVersion) -> Api<DynamicObject> {
    let api = Kind::GatewayClass.api();
    let kind = GroupVersionKind::gvk(api.group, version, api.kind);
    Api::all_with(client.clone(), &ApiResource::from_gvk_with_plural(&kind, api.plural))
}

/// Where the finalizer is in the list of all.
fn position(metadata: &ObjectMeta) -> Option<usize> {
    metadata.finalizers.iter().flatten().position(|finalizer| finalizer == FINALIZER)
}

/// Whether Portcullis has set the finalizer.
fn is_own(metadata: &ObjectMeta) -> bool {
    let field = format!("v:{}", json!(FINALIZER));
    let has_set = |entry: &ManagedFieldsEntry| {
        let fields = entry.fields_v1.as_ref().map(|fields| &fields.0["f:metadata"]["f:finalizers"][&field]);
        entry.manager.as_deref() == Some(FIELD_MANAGER) && fields.is_some_and(|fields| !fields.is_null())
    };
    metadata.managed_fields.iter().flatten().any(has_set)
}

/// The patch fails if the finalizer is at another position by now.
async fn remove(classes: &Api<DynamicObject>, name: &str, position: usize) -> Result<(), RequestError> {
    let path = format!("/metadata/finalizers/{position}");
    let operations = json!([{"op": "test", "path": path, "value": FINALIZER}, {"op": "remove", "path": path}]);
    let patch = serde_json::from_value(operations).map_err(kube::Error::SerdeError)?;
    let params = PatchParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..PatchParams::default() };
    request_within(DEADLINE, classes.patch_metadata(name, &params, &Patch::Json::<()>(patch))).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_record_of_the_api_server_makes_a_finalizer_ours() {
        let is_own = |manager: &str, finalizer: &str| {
            let fields = json!({"f:metadata": {"f:finalizers": {".": {}, format!("v:\"{finalizer}\""): {}}}});
            let entries = json!([{"manager": manager, "fieldsV1": fields}, {"manager": "kubectl"}]);
            is_own(&serde_json::from_value(json!({"managedFields": entries})).expect("metadata"))
        };
        assert!(is_own(FIELD_MANAGER, FINALIZER));
        assert!(!is_own("other", FINALIZER) && !is_own(FIELD_MANAGER, "example.com/wait"));
        assert!(!super::is_own(&ObjectMeta::default()));
    }
}
