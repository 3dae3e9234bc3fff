//! What all Events have in common that Portcullis writes.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use portcullis_core::config::CONTROLLER_NAME;
use portcullis_core::kinds::ObjectRef;

use crate::platform::host_name;
use crate::watch::ServedVersion;

/// The longest reason that the API accepts.
const MAX_REASON: usize = 128;
/// The longest note that the API accepts.
const MAX_NOTE: usize = 1024;

/// Writes Events of this replica. The library counts repetitions of an Event in its series.
pub fn recorder(client: Client) -> Recorder {
    let reporter = Reporter { controller: CONTROLLER_NAME.to_owned(), instance: Some(host_name()) };
    Recorder::new(client, reporter)
}

/// A warning, cut to what the API accepts.
pub fn warning(action: &str, reason: &str, note: &str) -> Event {
    let cut = |text: &str, limit: usize| text[..text.floor_char_boundary(limit)].to_owned();
    let (reason, note) = (cut(reason, MAX_REASON), Some(cut(note, MAX_NOTE)));
    Event { type_: EventType::Warning, reason, note, action: action.to_owned(), secondary: None }
}

/// The object that an Event is about.
pub fn reference(object_ref: &ObjectRef, uid: Option<&str>, ServedVersion(version): ServedVersion) -> ObjectReference {
    let api = object_ref.kind.api();
    ObjectReference {
        api_version: Some(format!("{}/{version}", api.group)),
        kind: Some(api.kind.to_owned()),
        namespace: Some(object_ref.namespace.clone()).filter(|namespace| !namespace.is_empty()),
        name: Some(object_ref.name.clone()),
        uid: uid.map(str::to_owned),
        ..ObjectReference::default()
    }
}
