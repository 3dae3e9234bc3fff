//! `portcullis disarm`: sets `failurePolicy: Ignore`, whatever the state of the replicas, and records that no replica may set `Fail` by
//! itself. It can unbind exported policies, too.

use std::time::Duration;

use k8s_openapi::api::admissionregistration::v1::ValidatingAdmissionPolicyBinding;
use kube::api::DeleteParams;
use kube::{Api, Client};
use tokio::time::sleep;

use super::disarmed::record;
use super::policy::{PolicyChange, relax};
use super::{DEADLINE, FIELD_MANAGER};
use crate::manifests::policy_names;
use crate::request::{RequestError, request};
use crate::webhook_configuration::WebhookConfigurationStore;

/// How often to try, because the configuration was changed meanwhile, or the API server did not answer.
const ATTEMPTS: usize = 5;
/// How long to wait after an attempt without an answer.
const PAUSE: Duration = Duration::from_secs(1);

/// What became of one webhook configuration.
#[derive(Debug)]
pub struct Disarmed {
    /// Its kind.
    pub kind: &'static str,
    /// Whether it has the record that no replica may set `Fail` by itself.
    pub is_recorded: bool,
    /// The entries that were changed; `None` if there is no such configuration. The error is a message.
    pub changes: Result<Option<Vec<PolicyChange>>, String>,
}

/// Sets `failurePolicy: Ignore` in every entry of the validating and the mutating configuration `name`, and records it in the
/// validating one, the only one that ever enforces. If one of them fails, the other is changed all the same.
pub async fn disarm(client: &Client, name: &str) -> [Disarmed; 2] {
    let [validating, mutating] = WebhookConfigurationStore::both(client, name).map(|store| store.within(DEADLINE));
    [relax_all(&validating, true).await, relax_all(&mutating, false).await]
}

/// Deletes the bindings of exported policies, so that these deny nothing any more. Returns each binding that was deleted, or why it could
/// not be.
pub async fn unbind(client: &Client) -> Vec<(String, Result<(), String>)> {
    let bindings: Api<ValidatingAdmissionPolicyBinding> = Api::all(client.clone());
    let mut all = Vec::new();
    for name in policy_names() {
        match request(bindings.delete(&name, &DeleteParams::default())).await {
            Ok(_) => all.push((name, Ok(()))),
            Err(RequestError::NotFound(_)) => {}
            Err(error) => all.push((name, Err(error.explain()))),
        }
    }
    all
}

async fn relax_all(store: &WebhookConfigurationStore, is_recorded: bool) -> Disarmed {
    let (mut sent, mut attempts) = (Vec::new(), 0);
    let changes = loop {
        attempts += 1;
        match relax_once(store, is_recorded, &mut sent).await {
            Err(RequestError::Conflict) if attempts < ATTEMPTS => {}
            Err(error) if error.is_transient() && attempts < ATTEMPTS => sleep(PAUSE).await,
            done => break done,
        }
    };
    Disarmed { kind: store.kind(), is_recorded, changes: changes.map_err(RequestError::explain) }
}

/// `sent` keeps the changes of a patch whose answer was lost. If nothing is left to do afterwards, the API server has made them.
async fn relax_once(
    store: &WebhookConfigurationStore,
    is_recorded: bool,
    sent: &mut Vec<PolicyChange>,
) -> Result<Option<Vec<PolicyChange>>, RequestError> {
    let Some(read) = store.read().await? else { return Ok(None) };
    let changes = relax(read.entries());
    let policies = changes.iter().flat_map(PolicyChange::operations);
    let operations: Vec<_> = policies.chain(is_recorded.then(|| record(&read)).into_iter().flatten()).collect();
    if operations.is_empty() {
        return Ok(Some(std::mem::take(sent)));
    }
    sent.clone_from(&changes);
    store.patch(&read, operations, FIELD_MANAGER).await?;
    Ok(Some(changes))
}
