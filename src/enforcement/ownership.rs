//! Which field manager owns `failurePolicy`.
//!
//! A patch makes its field manager the owner of what it changes, and a server-side apply of an installer that says otherwise then fails
//! with a conflict. Every manifest says `Ignore`, so every upgrade would fail while Portcullis enforces. The ownership is therefore
//! given up after each patch: the next apply sets `Ignore`, and a replica with `--enforce` proves and sets `Fail` again.

use serde_json::{Value, json};

use crate::request::RequestError;
use crate::webhook_configuration::{Configuration, WebhookConfigurationStore};

/// How often to try again because the configuration was changed meanwhile.
const ROUNDS: usize = 3;

/// The operations of a JSON patch that give up what `manager` owns; none if it owns nothing.
pub fn disown(read: &Configuration, manager: &str) -> Vec<Value> {
    // From the end, so that no position changes before it is used.
    let positions = read.managers().enumerate().filter(|(_, name)| *name == manager).map(|(position, _)| position);
    let positions: Vec<usize> = positions.collect();
    let path = |position: &usize| format!("/metadata/managedFields/{position}");
    positions.iter().rev().map(|position| json!({"op": "remove", "path": path(position)})).collect()
}

/// Gives up what `manager` owns of the configuration.
pub async fn give_up(store: &WebhookConfigurationStore, manager: &str) -> Result<(), RequestError> {
    for _ in 0..ROUNDS {
        let Some(read) = store.read().await? else { return Ok(()) };
        let operations = disown(&read, manager);
        if operations.is_empty() {
            return Ok(());
        }
        match store.patch(&read, operations, manager).await {
            Err(RequestError::Conflict) => {}
            done => return done,
        }
    }
    Err(RequestError::Conflict)
}
