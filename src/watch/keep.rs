//! Starts a watch for each kind that the plan needs, and stops the watches of kinds that it no longer needs.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::api_server::ApiServer;
use super::contact::Reachability;
use super::freshness::KindFault;
use super::needs::{INTERVAL, Needs};
use super::object::{ServedVersion, WatchedObject};
use super::observer::ObjectObserver;
use super::reflector::KindReflector;
use super::served::{self, ServedKinds};
use crate::lease::Moment;
use crate::telemetry::LastFailure;
use futures::StreamExt;
use kube::Api;
use kube::core::Status;
use kube::runtime::utils::Backoff;
use kube::runtime::{WatchStreamExt, watcher};
use portcullis_core::cluster::{SharedCluster, SyncState};
use portcullis_core::kinds::{Kind, KindSet};
use tokio::task::JoinHandle;

/// The number of seconds after which the API server ends a watch, so that a connection that died silently is noticed.
const WATCH_SECONDS: u32 = 60;

/// The number of objects in one page of a list, which has fewer if they are large (`page_limit`).
const PAGE: u32 = 50;

/// The delay after a failure. It is constant, since a handful of watches does not burden an API server, and a server
/// that is available again should be noticed at once.
struct Pause;

impl Iterator for Pause {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        Some(Duration::from_secs(1))
    }
}

impl Backoff for Pause {
    fn reset(&mut self) {}
}

/// Where the objects go that the watches deliver.
#[derive(Clone)]
pub struct Watched {
    /// The view.
    pub cluster: Arc<SharedCluster>,
    /// The receiver of whole objects, if there is one.
    pub observer: Option<Arc<dyn ObjectObserver>>,
}

impl From<Arc<SharedCluster>> for Watched {
    fn from(cluster: Arc<SharedCluster>) -> Self {
        Self { cluster, observer: None }
    }
}

impl Watched {
    fn reflector(&self, kind: Kind) -> KindReflector {
        KindReflector::new(kind, Arc::clone(&self.cluster)).observed_by(self.observer.as_ref())
    }
}

/// Keeps `watched` in step with the API server for the kinds that are needed. Forgets a kind that the API server has
/// not confirmed for `stale_after`. Never returns.
pub async fn keep(server: ApiServer, needs: Needs, watched: impl Into<Watched>, stale_after: Duration) {
    let watched = watched.into();
    let (served_sender, mut served_kinds) = tokio::sync::watch::channel(None);
    let following = served::follow(server.client(), Arc::clone(&needs), Arc::clone(&watched.cluster), served_sender);
    let mut watches = Watches { server, watched, running: HashMap::new() };
    let keeping = async {
        let mut last = Moment::now();
        loop {
            let (is_new, served) = (served_kinds.has_changed().unwrap_or_default(), *served_kinds.borrow_and_update());
            if let (true, Some(observer), Some(served)) = (is_new, &watches.watched.observer, &served) {
                observer.served(served);
            }
            watches.keep(needs().kinds, served.as_ref()).await;
            tokio::time::sleep(INTERVAL).await;
            let now = Moment::now();
            watches.give_up_stale(now, now - last, stale_after).await;
            last = now;
        }
    };
    tokio::join!(following, keeping);
}

/// The running watches, each of one kind in one version.
struct Watches {
    server: ApiServer,
    watched: Watched,
    running: HashMap<Kind, (ServedVersion, JoinHandle<()>)>,
}

impl Watches {
    /// Stops the watches that are no longer needed or that read another version than the served one, and starts the
    /// missing ones. As long as it is unknown what the API server serves, no kind that is defined by a CRD is watched.
    async fn keep(&mut self, wanted: KindSet, served: Option<&ServedKinds>) {
        let version = |kind: Kind| match served {
            Some(served) => served.version(kind),
            None => (!kind.is_custom()).then(|| ServedVersion(kind.api().versions[0])),
        };
        // A watch never ends by itself, so a finished task has panicked; its watch is started again.
        let ended = |kind: &Kind, (served, watch): &(ServedVersion, JoinHandle<()>)| {
            !wanted.contains(*kind) || version(*kind) != Some(*served) || watch.is_finished()
        };
        for (kind, (_, watch)) in self.running.extract_if(|kind, running| ended(kind, running)).collect::<Vec<_>>() {
            let (is_wanted, version) = (wanted.contains(kind), version(kind));
            match is_wanted && watch.is_finished() {
                true => tracing::error!(%kind, "watch task panicked; restarting"),
                false => {
                    tracing::info!(%kind, "watch stopped: the kind is no longer needed, or served in another version")
                }
            }
            watch.abort();
            // Wait for the task, so that it cannot apply an event after the kind is forgotten.
            let _ = watch.await;
            if !is_wanted || version.is_none() {
                self.forget(kind, SyncState::NotSynced);
            }
        }
        for kind in wanted.iter().filter(|kind| !self.running.contains_key(kind)).collect::<Vec<_>>() {
            match version(kind) {
                Some(version) => {
                    tracing::info!(%kind, version = version.0, "watch started");
                    let watch = tokio::spawn(watch(kind, version, self.server.clone(), self.watched.clone()));
                    self.running.insert(kind, (version, watch));
                }
                None if served.is_some() => self.forget(kind, SyncState::NotServed),
                None => {}
            }
        }
    }

    /// Forgets each kind that the API server has not confirmed for `stale_after`; its watch starts with a new list.
    /// `elapsed` is the time since the last call, and does not count while the replica is cut off.
    async fn give_up_stale(&mut self, now: Moment, elapsed: Duration, stale_after: Duration) {
        if self.server.reachability() != Reachability::Connected {
            return;
        }
        let freshness = self.server.freshness();
        let given_up = self.running.keys().filter_map(|kind| {
            let knowledge = freshness.pass(*kind, now, elapsed, stale_after)?;
            Some((*kind, knowledge))
        });
        for (kind, knowledge) in given_up.collect::<Vec<_>>() {
            tracing::warn!(%kind, "not confirmed for {stale_after:?}; checks that need this kind report nothing");
            if let Some((_, watch)) = self.running.remove(&kind) {
                watch.abort();
                let _ = watch.await;
            }
            freshness.give_up(kind);
            self.unlearn(kind, knowledge);
        }
    }

    /// Forgets a kind that is not needed or not served.
    fn forget(&self, kind: Kind, knowledge: SyncState) {
        self.server.freshness().forget(kind);
        self.unlearn(kind, knowledge);
    }

    fn unlearn(&self, kind: Kind, knowledge: SyncState) {
        let known = self.watched.cluster.read().knowledge(kind);
        if known != knowledge {
            self.watched.reflector(kind).forget(knowledge);
        }
    }
}

async fn watch(kind: Kind, served: ServedVersion, server: ApiServer, watched: Watched) {
    let mut reflector = watched.reflector(kind);
    let config = watcher::Config::default().timeout(WATCH_SECONDS).page_size(PAGE);
    let api = Api::<WatchedObject>::all_with(server.client_of(kind), &(kind, served));
    let mut events = std::pin::pin!(watcher(api, config).backoff(Pause));
    let mut failure = LastFailure::default();
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => {
                // The beginning of a list is not a success yet.
                if !matches!(event, watcher::Event::Init) {
                    failure.clear();
                }
                let is_listed = matches!(event, watcher::Event::InitDone);
                reflector.apply_event(event);
                if is_listed {
                    server.freshness().listed(kind, Moment::now());
                }
            }
            Err(error) => {
                fail(&server, &reflector, kind, &error);
                report(kind, &error, &mut failure);
            }
        }
    }
}

/// Logs a failure, unless it is the same as the previous one.
fn report(kind: Kind, error: &watcher::Error, last: &mut LastFailure) {
    let message = answer(error).map_or_else(|| error.to_string(), |status| status.message.clone());
    if last.record(&message) {
        tracing::warn!(%kind, error = message, "watch failed; retrying");
    }
}

/// The answer of the API server to a list or a watch that it refused.
fn answer(error: &watcher::Error) -> Option<&Status> {
    match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status))
        | watcher::Error::WatchStartFailed(kube::Error::Api(status)) => Some(status),
        _ => None,
    }
}

/// Records why a list or a watch failed. Known objects stay known for a while, since most watches recover. A kind
/// without known objects that is not readable (RBAC) or not served is marked as such at once, so that checks that need
/// it report nothing.
fn fail(server: &ApiServer, reflector: &KindReflector, kind: Kind, error: &watcher::Error) {
    let (fault, knowledge) = match answer(error).map_or(0, |status| status.code) {
        403 => (KindFault::Forbidden, Some(SyncState::Forbidden)),
        404 => (KindFault::NotServed, Some(SyncState::NotServed)),
        _ => (KindFault::Failing, None),
    };
    let is_known = server.freshness().failed(kind, fault);
    if let Some(knowledge) = knowledge
        && !is_known
    {
        reflector.forget(knowledge);
    }
}
