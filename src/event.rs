//! What all Events have in common that Portcullis writes.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::Event as StoredEvent;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use kube::api::PostParams;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::{Api, Client};
use portcullis_core::config::CONTROLLER_NAME;
use portcullis_core::kinds::ObjectRef;

use crate::platform::host_name;
use crate::request::{RequestError, request};
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

/// Creates a warning about `regarding` under this name, unless the API server has one: replicas that find the same fault create one Event.
pub async fn create_once(
    client: Client,
    name: String,
    warning: Event,
    regarding: ObjectReference,
) -> Result<(), RequestError> {
    let namespace = regarding.namespace.clone().unwrap_or_default();
    let events = Api::<StoredEvent>::namespaced(client, &namespace);
    let event = StoredEvent {
        metadata: ObjectMeta { name: Some(name), namespace: Some(namespace), ..ObjectMeta::default() },
        type_: Some("Warning".to_owned()),
        reason: Some(warning.reason),
        note: warning.note,
        action: Some(warning.action),
        event_time: Some(MicroTime(Timestamp::now())),
        regarding: Some(regarding),
        reporting_controller: Some(CONTROLLER_NAME.to_owned()),
        reporting_instance: Some(host_name()),
        ..StoredEvent::default()
    };
    match request(events.create(&PostParams::default(), &event)).await {
        Ok(_) | Err(RequestError::Conflict) => Ok(()),
        Err(error) => Err(error),
    }
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
