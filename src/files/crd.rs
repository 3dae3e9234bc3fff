//! Extracts from a CRD in a file which schema of the Gateway API it installs.

use serde_json::Value;

use portcullis_core::bundle::{CHANNEL_ANNOTATION, InstalledSchema, VERSION_ANNOTATION};
use portcullis_core::kinds::Kind;

/// The kind that the CRD in `document` defines, with its schema; `None` unless it is a kind of the Gateway API.
pub(super) fn schema(document: &Value) -> Option<(Kind, InstalledSchema)> {
    let name = document["metadata"]["name"].as_str()?;
    let is_named = |kind: &Kind| {
        name.strip_prefix(kind.api().plural).and_then(|rest| rest.strip_prefix('.')) == Some(kind.api().group)
    };
    let kind = Kind::ALL.into_iter().filter(|kind| kind.is_gateway_api()).find(is_named)?;
    let annotation = |key: &str| document["metadata"]["annotations"][key].as_str().unwrap_or_default();
    Some((kind, InstalledSchema::of_crd(annotation(VERSION_ANNOTATION), annotation(CHANNEL_ANNOTATION))))
}
