//! Reports to the users of an object, as Events.

use std::time::{Duration, Instant};

use kube::Client;
use kube::runtime::events::Recorder;
use tokio::task::{JoinError, JoinSet};

use super::pace::TokenBucket;
use super::report::Report;
use super::report_queue::ReportQueue;
use crate::event::{recorder, reference, warning};
use crate::lease::Leadership;
use crate::request::request;
use crate::telemetry::StatusMetrics;
use crate::watch::{ServedKinds, ServedVersion};

/// The number of Events in a second. What exceeds it waits.
const RATE: u32 = 10;
/// The number of Events under way at once.
const IN_FLIGHT: usize = 4;

/// Sends reports as Events.
pub struct EventSink {
    recorder: Recorder,
    leadership: Leadership,
    metrics: StatusMetrics,
    pace: TokenBucket,
    waiting: ReportQueue,
    /// The Events under way, each of which returns whether it was created.
    sending: JoinSet<bool>,
}

impl EventSink {
    /// A sink that sends as long as this replica leads.
    pub fn new(client: Client, leadership: Leadership, metrics: StatusMetrics) -> Self {
        let (pace, recorder) = (TokenBucket::new(RATE, Instant::now()), recorder(client));
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
            let event = warning("UpdateStatus", &report.reason, &report.text());
            let reference = reference(&report.object_ref, Some(&report.uid), version);
            let created = leadership.write(request(recorder.publish(&event, &reference))).await;
            if let Ok(Err(error)) = &created {
                tracing::debug!(object = %report.object_ref, %error, "the Event could not be created");
            }
            matches!(created, Ok(Ok(_)))
        });
    }
}
