//! The record that an operator has stopped enforcement: an annotation of the configuration, which replicas honor that enforce by
//! themselves.

use serde_json::{Value, json};

use crate::webhook_configuration::Configuration;

/// The annotation. With the value `true`, no replica sets `Fail` by itself; `portcullis arm` removes it.
pub const DISARMED: &str = "portcullis.dev/disarmed";

/// Its address in a JSON patch.
const PATH: &str = "/metadata/annotations/portcullis.dev~1disarmed";

/// Whether an operator has stopped enforcement.
pub fn is_disarmed(read: &Configuration) -> bool {
    read.annotation(DISARMED) == Some("true")
}

/// The operations of a JSON patch that record it; none if it is recorded.
pub fn record(read: &Configuration) -> Vec<Value> {
    if is_disarmed(read) {
        return Vec::new();
    }
    // An operation adds to a map that exists.
    let map = json!({"op": "add", "path": "/metadata/annotations", "value": {}});
    let map = (!read.has_annotations()).then_some(map);
    map.into_iter().chain([json!({"op": "add", "path": PATH, "value": "true"})]).collect()
}

/// The operations of a JSON patch that remove the record; none if there is nothing to remove.
pub fn erase(read: &Configuration) -> Vec<Value> {
    let remove = json!({"op": "remove", "path": PATH});
    read.annotation(DISARMED).map(|_| remove).into_iter().collect()
}
