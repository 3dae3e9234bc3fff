//! Reports to the users of an object, as Events.

use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use tokio::task::{JoinError, JoinSet};

use super::pace::Pace;
use super::report::Report;
use super::report_queue::ReportQueue;
use crate::lease::Leadership;
use crate::platform::host_name;
use crate::request::request;
use crate::telemetry::StatusMetrics;
use crate::watch::{ServedKinds, ServedVersion};
use portcullis_core::config::CONTROLLER_NAME;

/// The number of Events in a second. What exceeds it waits.
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
    metrics: StatusMetrics,
    pace: Pace,
    waiting: ReportQueue,
    /// The Events under way, each of which returns whether it was created.
    sending: JoinSet<bool>,
}

impl EventSink {
    /// A sink that sends as long as this replica leads.
    pub fn new(client: Client, leadership: Leadership, metrics: StatusMetrics) -> Self {
        let reporter = Reporter { controller: CONTROLLER_NAME.to_owned(), instance: Some(host_name()) };
        let (pace, recorder) = (Pace::new(RATE, Instant::now()), Recorder::new(client, reporter));
        Self { recorder, leadership, metrics, pace, waiting: ReportQueue::default(), sending: JoinSet::new() }
    }

    /// Adds a report, which is sent in its turn.
    pub fn add(&mut self, report: Report) {
        self.metrics.events_dropped(usize::from(self.waiting.add(report)));
    }

    /// Drops the reports that wait, since this replica does not lead any more.
    pub fn clear(&mut self) {
        self.metrics.events_dropped(self.waiting.clear());
    }

    /// Sends the reports that are due, without waiting for the answers. Returns how long to wait for the next one; `None` if there is
    /// none, or until one that is under way has ended.
    pub fn send_due(&mut self, served: &ServedKinds, now: Instant) -> Option<Duration> {
        while let Some(sent) = self.sending.try_join_next() {
            self.count(sent);
        }
        while self.sending.len() < IN_FLIGHT && !self.waiting.is_empty() {
            if let Err(wait) = self.pace.take(now) {
                return Some(wait);
            }
            let report = self.waiting.take()?;
            match served.version(report.object_ref.kind) {
                Some(version) => self.send(report, version),
                None => self.metrics.events_dropped(1),
            }
        }
        None
    }

    /// Waits until an Event that is under way has been created or refused; `None` if none is under way.
    pub async fn ended(&mut self) -> Option<()> {
        let sent = self.sending.join_next().await?;
        self.count(sent);
        Some(())
    }

    /// Takes in how an Event ended.
    fn count(&self, sent: Result<bool, JoinError>) {
        self.metrics.events_dropped(usize::from(!sent.unwrap_or_default()));
    }

    fn send(&mut self, report: Report, version: ServedVersion) {
        let (recorder, leadership) = (self.recorder.clone(), self.leadership.clone());
        self.sending.spawn(async move {
            let (event, reference) = (event(&report), reference(&report, version));
            let created = leadership.write(request(recorder.publish(&event, &reference))).await;
            if let Ok(Err(error)) = &created {
                tracing::debug!(object = %report.object_ref, %error, "the Event could not be created");
            }
            matches!(created, Ok(Ok(_)))
        });
    }
}

fn event(report: &Report) -> Event {
    Event {
        type_: EventType::Warning,
        reason: cut(&report.reason, MAX_REASON),
        note: Some(cut(&report.text(), MAX_NOTE)),
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
