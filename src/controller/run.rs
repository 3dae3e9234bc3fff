//! The loop of the controller: evaluates, writes, and waits until something changes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kube::Client;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::events::EventSink;
use super::inbox::Inbox;
use super::pace::TokenBucket;
use super::read::{Read, Reader};
use super::reconciler::{Reconciler, Sources, Step};
use super::schemas::{self, SchemaKey};
use super::write::{self, Outcome, Write};
use crate::lease::Leadership;
use crate::request::RequestError;
use crate::runtime::VerdictCache;
use crate::telemetry::StatusMetrics;
use portcullis_core::cluster::{Cluster, SharedCluster};
use portcullis_core::kinds::Kind;
use portcullis_core::review::Reviewer;
use portcullis_core::status::StatusSchema;

/// The number of writes in a second. It is twice the number of changes in a second that statuses must follow, since a queue whose
/// objects come as fast as they are written never becomes empty.
const RATE: u32 = 200;
/// The number of writes under way at once.
const IN_FLIGHT: usize = 16;
/// How long to wait for a notification. What is not notified, such as a schema that can be read again, is found by then.
const IDLE: Duration = Duration::from_secs(1);
/// How long to wait for knowledge that is about to come.
const WAITING: Duration = Duration::from_millis(20);
/// The delay after a panic or after schemas that could not be read.
const RETRY: Duration = Duration::from_secs(5);

/// The schemas that were read together.
type ReadSchemas = Vec<(Kind, SchemaKey, Result<StatusSchema, RequestError>)>;

/// The controller of a serving process.
pub struct Controller {
    sources: Sources,
    reconciler: Arc<Mutex<Reconciler>>,
    wake: Arc<Notify>,
    client: Client,
    leadership: Leadership,
    events: EventSink,
    pace: TokenBucket,
    writes: JoinSet<(Write, Outcome)>,
    reader: Reader,
    schemas: JoinSet<ReadSchemas>,
    /// When schemas may be read again.
    next_schemas: Instant,
}

impl Controller {
    /// A controller of the objects in `inbox`, which notifies `wake`. `client` should not retry by itself.
    pub fn new(
        (client, leadership): (Client, Leadership),
        (inbox, wake): (Arc<Inbox>, Arc<Notify>),
        cluster: Arc<SharedCluster>,
        verdicts: Arc<VerdictCache>,
        reviewer: Arc<Reviewer>,
        metrics: StatusMetrics,
    ) -> Self {
        cluster.change(Cluster::track_changes);
        verdicts.track(Arc::clone(&wake));
        let (view_changed, waking) = (Arc::clone(&verdicts), Arc::clone(&wake));
        cluster.set_listener(move || {
            view_changed.view_changed();
            waking.notify_one();
        });
        Self {
            sources: Sources { cluster, verdicts, reviewer, inbox },
            events: EventSink::new(client.clone(), leadership.clone(), metrics.clone()),
            reader: Reader::new(client.clone(), metrics.clone(), Instant::now()),
            reconciler: Arc::new(Mutex::new(Reconciler::new(metrics))),
            wake,
            client,
            leadership,
            pace: TokenBucket::new(RATE, Instant::now()),
            writes: JoinSet::new(),
            schemas: JoinSet::new(),
            next_schemas: Instant::now(),
        }
    }

    /// Runs the loop. Never returns.
    pub async fn run(mut self) {
        loop {
            let is_leader = self.leadership.is_leader();
            if is_leader {
                self.read_schemas();
            }
            let step = self.step(is_leader).await;
            let now = Instant::now();
            while let Some(ended) = self.writes.try_join_next() {
                if let Ok((write, outcome)) = ended {
                    self.lock().finish(write, outcome, now);
                }
            }
            while let Some(ended) = self.reader.try_ended() {
                self.learn(ended);
            }
            let (next, next_read) = if is_leader { (self.start_writes(), self.start_reads()) } else { (None, None) };
            let next_event = self.report(is_leader);
            if step == Step::More {
                continue;
            }
            let idle = if step == Step::Waiting { WAITING } else { IDLE };
            let idle = [next, next_read, next_event].into_iter().flatten().fold(idle, Duration::min);
            tokio::select! {
                () = self.wake.notified() => {}
                () = tokio::time::sleep(idle) => {}
                () = self.leadership.changed() => {}
                Some(Ok((write, outcome))) = self.writes.join_next() => self.lock().finish(write, outcome, Instant::now()),
                Some(()) = self.events.ended() => {}
                Some(ended) = self.reader.ended() => self.learn(ended),
                Some(Ok(read)) = self.schemas.join_next() => self.learn_schemas(read),
            }
        }
    }

    /// Evaluates a batch on a thread that may block.
    async fn step(&self, is_leader: bool) -> Step {
        let (reconciler, sources) = (Arc::clone(&self.reconciler), self.sources.clone());
        let step = move || locked(&reconciler).step(&sources, is_leader, Instant::now());
        match tokio::task::spawn_blocking(step).await {
            Ok(step) => step,
            // The panic is in the log. The object that was being evaluated is left out until it changes.
            Err(_) => {
                tokio::time::sleep(RETRY).await;
                Step::More
            }
        }
    }

    /// Starts the writes that are due. Returns how long to wait for the next one.
    fn start_writes(&mut self) -> Option<Duration> {
        let served = self.sources.inbox.served()?;
        while self.writes.len() < IN_FLIGHT {
            let now = Instant::now();
            let due = self.lock().next_due(now)?;
            if due > now {
                return Some(due - now);
            }
            if let Err(wait) = self.pace.take(now) {
                return Some(wait);
            }
            let Some(write) = self.lock().next_write(&served, now) else { continue };
            let (client, leadership) = (self.client.clone(), self.leadership.clone());
            self.writes.spawn(async move {
                let outcome = write::send(client, leadership, &write).await;
                (write, outcome)
            });
        }
        None
    }

    /// Starts the reads that are due. Returns how long to wait for the next one.
    fn start_reads(&mut self) -> Option<Duration> {
        let mut reconciler = locked(&self.reconciler);
        self.reader.start(&mut reconciler.references, Instant::now())
    }

    /// Brings what a read has shown into the view.
    fn learn(&self, (key, read): Read) {
        let event = self.lock().references.end(&key, read, Instant::now());
        if let Some(event) = event {
            self.sources.cluster.apply(vec![event]);
        }
    }

    /// Sends the Events of what has become bad. Returns how long to wait for the next one.
    fn report(&mut self, is_leader: bool) -> Option<Duration> {
        let reports = std::mem::take(&mut self.lock().reports);
        reports.into_iter().for_each(|report| self.events.add(report));
        if !is_leader {
            self.events.clear();
        }
        self.events.send_due(&self.sources.inbox.served()?, Instant::now())
    }

    /// Starts to read the schemas that are missing.
    fn read_schemas(&mut self) {
        let (now, Some(served)) = (Instant::now(), self.sources.inbox.served()) else { return };
        if !self.schemas.is_empty() || now < self.next_schemas {
            return;
        }
        let missing = self.lock().schemas.missing(&served, now);
        if missing.is_empty() {
            return;
        }
        let client = self.client.clone();
        self.schemas.spawn(async move {
            let mut all = Vec::new();
            for (kind, key) in missing {
                all.push((kind, key, schemas::read_or_any(&client, kind, key.0).await));
            }
            all
        });
    }

    fn learn_schemas(&mut self, read: ReadSchemas) {
        let now = Instant::now();
        for (kind, key, schema) in read {
            match schema {
                Ok(schema) => {
                    let mut reconciler = self.lock();
                    if reconciler.schemas.set(kind, key, schema, now) {
                        reconciler.store.state.touch_everything();
                    }
                }
                Err(error) => {
                    tracing::warn!(%kind, %error, "the CRD cannot be read; retrying");
                    self.next_schemas = now + RETRY;
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Reconciler> {
        locked(&self.reconciler)
    }
}

/// After a panic, the state is at worst that of one object behind, so poisoning is ignored.
fn locked(reconciler: &Mutex<Reconciler>) -> MutexGuard<'_, Reconciler> {
    reconciler.lock().unwrap_or_else(PoisonError::into_inner)
}
