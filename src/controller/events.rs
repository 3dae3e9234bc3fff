//! Reports to the users of an object, as Events.

use std::sync::Arc;
use std::time::Instant;

use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use tokio::sync::Semaphore;

use super::pace::Pace;
use super::report::Report;
use crate::lease::Leadership;
use crate::request::request;
use crate::watch::ServedVersion;
use portcullis_core::config::CONTROLLER_NAME;

/// The number of Events in a second. What exceeds it is left out, since the status itself says the same.
const RATE: u32 = 10;
/// The number of Events under way at once.
const IN_FLIGHT: usize = 4;
/// The longest reason that the API accepts.
const MAX_REASON: usize = 128;
/// The longest note that the API accepts.
const MAX_NOTE: usize = 1024;

/// Sends reports as Events. The library counts repetitions of an Event in its series.
pub struct EventSink {
    recorder: Recorder,
    leadership: Leadership,
    pace: Pace,
    slots: Arc<Semaphore>,
}

impl EventSink {
    /// A sink that sends as long as this replica leads.
    pub fn new(client: Client, leadership: Leadership) -> Self {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let reporter = Reporter { controller: CONTROLLER_NAME.to_owned(), instance: Some(host) };
        let pace = Pace::new(RATE, Instant::now());
        Self { recorder: Recorder::new(client, reporter), leadership, pace, slots: Arc::new(Semaphore::new(IN_FLIGHT)) }
    }

    /// Sends a report without waiting for the answer.
    pub fn send(&mut self, report: Report, version: ServedVersion) {
        let slot = Arc::clone(&self.slots).try_acquire_owned();
        let (Ok(slot), Ok(())) = (slot, self.pace.take(Instant::now())) else {
            tracing::debug!(object = %report.object_ref, reason = report.reason, "too many Events; left out");
            return;
        };
        let (recorder, leadership) = (self.recorder.clone(), self.leadership.clone());
        tokio::spawn(async move {
            let _slot = slot;
            let (event, reference) = (event(&report), reference(&report, version));
            if let Ok(Err(error)) = leadership.write(request(recorder.publish(&event, &reference))).await {
                tracing::debug!(object = %report.object_ref, %error, "the Event could not be created");
            }
        });
    }
}

fn event(report: &Report) -> Event {
    Event {
        type_: EventType::Warning,
        reason: cut(&report.reason, MAX_REASON),
        note: Some(cut(&report.note, MAX_NOTE)),
        action: "UpdateStatus".to_owned(),
        secondary: None,
    }
}

fn reference(report: &Report, ServedVersion(version): ServedVersion) -> ObjectReference {
    let (api, object_ref) = (report.object_ref.kind.api(), &report.object_ref);
    ObjectReference {
        api_version: Some(format!("{}/{version}", api.group)),
        kind: Some(api.kind.to_owned()),
        namespace: Some(object_ref.namespace.clone()).filter(|namespace| !namespace.is_empty()),
        name: Some(object_ref.name.clone()),
        uid: Some(report.uid.to_string()),
        ..ObjectReference::default()
    }
}

fn cut(text: &str, limit: usize) -> String {
    text[..text.floor_char_boundary(limit)].to_owned()
}
