//! `portcullis disarm`: sets `failurePolicy: Ignore`, whatever the state of the replicas.

use kube::Client;

use super::FIELD_MANAGER;
use super::policy::{PolicyChange, relax};
use crate::issuer::ConfigurationStore;
use crate::request::RequestError;

/// How often to try again because the configuration was changed meanwhile.
const ROUNDS: usize = 5;

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
        all.push(Disarmed { kind: store.kind(), changes: relax_all(&store).await.map_err(super::explain) });
    }
    all
}

async fn relax_all(store: &ConfigurationStore) -> Result<Option<Vec<PolicyChange>>, RequestError> {
    for _ in 0..ROUNDS {
        let Some(read) = store.read().await? else { return Ok(None) };
        let changes = relax(read.entries());
        let operations: Vec<_> = changes.iter().flat_map(PolicyChange::operations).collect();
        if operations.is_empty() {
            return Ok(Some(changes));
        }
        match store.patch(&read, operations, FIELD_MANAGER).await {
            Ok(()) => return Ok(Some(changes)),
            Err(RequestError::Conflict) => {}
            Err(error) => return Err(error),
        }
    }
    Err(RequestError::Conflict)
}
