//! `portcullis disarm`: sets `failurePolicy: Ignore`, whatever the state of the replicas.

use std::time::Duration;

use kube::Client;
use tokio::time::sleep;

use super::policy::{PolicyChange, relax};
use super::{DEADLINE, FIELD_MANAGER};
use crate::issuer::ConfigurationStore;
use crate::request::RequestError;

/// How often to try, because the configuration was changed meanwhile, or the API server did not answer.
const ATTEMPTS: usize = 5;
/// How long to wait after an attempt without an answer.
const PAUSE: Duration = Duration::from_secs(1);

/// What became of one webhook configuration.
#[derive(Debug)]
pub struct Disarmed {
    /// Its kind.
    pub kind: &'static str,
    /// The entries that were changed; `None` if there is no such configuration. The error is a message.
    pub changes: Result<Option<Vec<PolicyChange>>, String>,
}

/// Sets `failurePolicy: Ignore` in every entry of the validating and the mutating configuration `name`. If one of them fails, the
/// other is changed all the same.
pub async fn disarm(client: &Client, name: &str) -> Vec<Disarmed> {
    let mut all = Vec::new();
    for store in ConfigurationStore::both(client, name) {
        let store = store.within(DEADLINE);
        all.push(Disarmed { kind: store.kind(), changes: relax_all(&store).await.map_err(super::explain) });
    }
    all
}

async fn relax_all(store: &ConfigurationStore) -> Result<Option<Vec<PolicyChange>>, RequestError> {
    let mut sent = Vec::new();
    for _ in 1..ATTEMPTS {
        match relax_once(store, &mut sent).await {
            Err(RequestError::Conflict) => {}
            Err(error) if error.is_transient() => sleep(PAUSE).await,
            done => return done,
        }
    }
    relax_once(store, &mut sent).await
}

/// `sent` keeps the changes of a patch whose answer was lost. If nothing is left to do afterwards, the API server has made them.
async fn relax_once(
    store: &ConfigurationStore,
    sent: &mut Vec<PolicyChange>,
) -> Result<Option<Vec<PolicyChange>>, RequestError> {
    let Some(read) = store.read().await? else { return Ok(None) };
    let changes = relax(read.entries());
    if changes.is_empty() {
        return Ok(Some(std::mem::take(sent)));
    }
    let operations = changes.iter().flat_map(PolicyChange::operations).collect();
    sent.clone_from(&changes);
    store.patch(&read, operations, FIELD_MANAGER).await?;
    Ok(Some(changes))
}
