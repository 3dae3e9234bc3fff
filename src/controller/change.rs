//! The difference between an object as it is stored and as it should be, as a patch.

use std::hash::{DefaultHasher, Hash, Hasher};

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use portcullis_core::kinds::null_is_default;
use portcullis_core::status::finalizer::FINALIZER;
use portcullis_core::status::merge::{Merged, merge, patch};
use portcullis_core::status::{DesiredStatus, StatusSchema, Transition, bad_transitions};

/// What an object should be like.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Desired {
    /// The status; `None` to leave it as it is.
    pub status: Option<DesiredStatus>,
    /// Whether a GatewayClass must have the finalizer; `None` to leave its finalizers as they are.
    pub finalizer: Option<bool>,
}

/// A patch of one object.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The subresource that is patched; `None` for the object itself.
    pub subresource: Option<&'static str>,
    /// The merge patch, which names the resource version that it is for.
    pub patch: Value,
    /// The conditions that become bad.
    pub transitions: Vec<Transition>,
}

/// An object compared with what it should be like.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// The change that makes the object what it should be, the status first; `None` if it is.
    pub change: Option<Change>,
    /// The references of own entries for which a list of the status has no room.
    pub dropped: Vec<Map<String, Value>>,
    /// The types of conditions for which a list of the status has no room.
    pub omitted: Vec<&'static str>,
}

impl Comparison {
    /// A number that is the same for equal values of `desired` of which the same parts have room. What had no room is not taken for
    /// overwritten as soon as there is some, and what has room is although other parts have none.
    pub fn fingerprint(&self, desired: &Desired) -> u64 {
        let mut hasher = DefaultHasher::new();
        desired.finalizer.hash(&mut hasher);
        // The debug format has every part of a value.
        let status = desired.status.as_ref().map(|status| format!("{status:?}"));
        (status, format!("{:?}", self.dropped), &self.omitted).hash(&mut hasher);
        hasher.finish()
    }

    /// Whether there is room for everything.
    pub fn is_whole(&self) -> bool {
        self.dropped.is_empty() && self.omitted.is_empty()
    }
}

/// The parts of an object that a change needs.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Stored {
    #[serde(deserialize_with = "null_is_default")]
    metadata: StoredMetadata,
    status: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct StoredMetadata {
    #[serde(deserialize_with = "null_is_default")]
    resource_version: String,
    #[serde(deserialize_with = "null_is_default")]
    finalizers: Vec<String>,
    deletion_timestamp: Option<String>,
}

impl Stored {
    /// Reads the object from its JSON.
    pub fn read(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// Compares the object with what it should be like.
    pub fn compare(&self, desired: &Desired, schema: &StatusSchema, controller: &str, now: Timestamp) -> Comparison {
        let mut compared = Comparison::default();
        let desired_status = desired.status.as_ref();
        if let Some(Merged { mut status, dropped, omitted }) =
            desired_status.and_then(|desired| merge(desired, &self.status, now))
        {
            schema.project(&mut status);
            let change = self.status_change(&status, controller);
            compared = Comparison { change, dropped, omitted };
        }
        compared.change = compared.change.or_else(|| self.finalizers_change(desired.finalizer?));
        compared
    }

    fn status_change(&self, merged: &Value, controller: &str) -> Option<Change> {
        let status = patch(&self.status, merged)?;
        let patch = json!({"metadata": {"resourceVersion": self.metadata.resource_version}, "status": status});
        let transitions = bad_transitions(&self.status, merged, controller);
        Some(Change { subresource: Some("status"), patch, transitions })
    }

    /// An object that is being deleted gets no finalizer.
    fn finalizers_change(&self, is_wanted: bool) -> Option<Change> {
        let StoredMetadata { resource_version, finalizers, deletion_timestamp } = &self.metadata;
        let has = finalizers.iter().any(|finalizer| finalizer == FINALIZER);
        if has == is_wanted || (is_wanted && deletion_timestamp.is_some()) {
            return None;
        }
        let others = finalizers.iter().map(String::as_str).filter(|finalizer| *finalizer != FINALIZER);
        let finalizers: Vec<&str> = others.chain(is_wanted.then_some(FINALIZER)).collect();
        let patch = json!({"metadata": {"resourceVersion": resource_version, "finalizers": finalizers}});
        Some(Change { subresource: None, patch, transitions: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finalizers(metadata: Value, is_wanted: bool) -> Option<Value> {
        let stored = Stored::read(&json!({"metadata": metadata}).to_string());
        let desired = Desired { status: None, finalizer: Some(is_wanted) };
        let change = stored.compare(&desired, &StatusSchema::Any, "own", Timestamp::UNIX_EPOCH).change?;
        assert_eq!(change.subresource, None);
        Some(change.patch["metadata"]["finalizers"].clone())
    }

    #[test]
    fn the_finalizer_is_added_and_removed_beside_others() {
        assert_eq!(finalizers(json!({"finalizers": ["a"]}), true), Some(json!(["a", FINALIZER])));
        assert_eq!(finalizers(json!({"finalizers": [FINALIZER, "a"]}), false), Some(json!(["a"])));
        assert_eq!(finalizers(json!({"finalizers": [FINALIZER]}), true), None);
        assert_eq!(finalizers(json!({}), false), None);
        assert_eq!(finalizers(json!({"deletionTimestamp": "2026-01-01T00:00:00Z"}), true), None);
    }
}
