//! Which entries get which `failurePolicy`, as operations of a JSON patch.

use serde_json::{Value, json};

use crate::manifests::{enforced_entries, validating_entries};
use crate::webhook_configuration::FailurePolicy;

/// A new policy of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyChange {
    /// The position in the list of entries.
    pub position: usize,
    /// The name of the entry.
    pub entry: String,
    /// The new policy.
    pub policy: FailurePolicy,
}

impl PolicyChange {
    /// The operations of a JSON patch. The first one fails if another entry is at this position.
    pub fn operations(&self) -> [Value; 2] {
        let Self { position, entry, policy } = self;
        [
            json!({"op": "test", "path": format!("/webhooks/{position}/name"), "value": entry}),
            json!({"op": "add", "path": format!("/webhooks/{position}/failurePolicy"), "value": policy.name()}),
        ]
    }
}

/// Sets `Fail` in the entries that have it in an installation that enforces, and leaves all others alone.
pub fn enforce(entries: &[Value]) -> Vec<PolicyChange> {
    changes(entries, FailurePolicy::Fail, is_enforced)
}

/// Sets `Ignore` in all entries.
pub fn relax(entries: &[Value]) -> Vec<PolicyChange> {
    changes(entries, FailurePolicy::Ignore, |_| true)
}

/// The names of the entries that every installation has and this configuration lacks, so that nothing checks what they are about.
pub fn missing(entries: &[Value]) -> Vec<String> {
    let is_absent = |shipped: &String| !entries.iter().any(|entry| name(entry) == shipped);
    validating_entries().filter(is_absent).collect()
}

/// Whether an installation that enforces has `Fail` in the entry with this name.
pub(super) fn is_enforced(name: &str) -> bool {
    enforced_entries().any(|enforced| enforced == name)
}

/// Whether any entry has `Fail`, so that writes are denied while no replica answers.
pub fn is_armed(entries: &[Value]) -> bool {
    entries.iter().any(|entry| FailurePolicy::Fail.is_of(entry))
}

/// The name of an entry.
pub(super) fn name(entry: &Value) -> &str {
    entry["name"].as_str().unwrap_or_default()
}

fn changes(entries: &[Value], policy: FailurePolicy, applies: impl Fn(&str) -> bool) -> Vec<PolicyChange> {
    let has_other = |entry: &Value| !policy.is_of(entry);
    let entries = entries.iter().enumerate().filter(|(_, entry)| applies(name(entry)) && has_other(entry));
    entries.map(|(position, entry)| PolicyChange { position, entry: name(entry).to_owned(), policy }).collect()
}
