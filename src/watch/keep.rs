//! Starts a watch for each kind that the plan needs, and ends those that it needs no more.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use kube::runtime::utils::Backoff;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client};
use tokio::task::JoinHandle;

use super::needs::{INTERVAL, Needs};
use super::object::{ServedVersion, WatchedObject};
use super::reflector::KindReflector;
use super::served::{self, ServedKinds};
use portcullis_core::cluster::{SharedCluster, SyncState};
use portcullis_core::kinds::{Kind, KindSet};

/// After how many seconds the API server ends a watch, so that a connection that died silently is noticed.
const WATCH_SECONDS: u32 = 60;

/// How many objects one page of a list holds: the largest objects have 1.5 MB, and a page is held twice while it is decoded.
const PAGE: u32 = 50;

/// How long to wait after a failure. Steady: a handful of watches burdens no API server, and one that is back is seen at once.
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

/// Keeps `cluster` at what the API server says of the kinds that are needed, for ever.
pub async fn keep(client: Client, needs: Needs, cluster: Arc<SharedCluster>) {
    let (tell, told) = tokio::sync::watch::channel(None);
    let following = served::follow(client.clone(), Arc::clone(&needs), Arc::clone(&cluster), tell);
    let mut watches = Watches { client, cluster, running: HashMap::new() };
    let keeping = async {
        loop {
            let served = *told.borrow();
            watches.keep(needs().kinds, served.as_ref()).await;
            tokio::time::sleep(INTERVAL).await;
        }
    };
    tokio::join!(following, keeping);
}

/// The watches that run, each in one version.
struct Watches {
    client: Client,
    cluster: Arc<SharedCluster>,
    running: HashMap<Kind, (ServedVersion, JoinHandle<()>)>,
}

impl Watches {
    /// Ends what is wanted no more, or in another version, and starts what is lacking. Until it is known what is served, no kind that comes
    /// as a CRD is watched.
    async fn keep(&mut self, wanted: KindSet, served: Option<&ServedKinds>) {
        let version = |kind: Kind| match served {
            Some(served) => served.version(kind),
            None => (!kind.is_custom()).then(|| ServedVersion(kind.api().versions[0])),
        };
        // A watch never ends by itself; one that panicked is started again.
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
            // Its last event must not come after it is forgotten.
            let _ = watch.await;
            if !is_wanted || version.is_none() {
                self.forget(kind, SyncState::NotSynced);
            }
        }
        for kind in wanted.iter().filter(|kind| !self.running.contains_key(kind)).collect::<Vec<_>>() {
            match version(kind) {
                Some(version) => {
                    tracing::info!(%kind, version = version.0, "watch started");
                    let watch = watch(kind, version, self.client.clone(), Arc::clone(&self.cluster));
                    let watch = tokio::spawn(watch);
                    self.running.insert(kind, (version, watch));
                }
                None if served.is_some() => self.forget(kind, SyncState::NotServed),
                None => {}
            }
        }
    }

    fn forget(&self, kind: Kind, knowledge: SyncState) {
        let known = self.cluster.read().knowledge(kind);
        if known != knowledge {
            KindReflector::new(kind, Arc::clone(&self.cluster)).forget(knowledge);
        }
    }
}

async fn watch(kind: Kind, served: ServedVersion, client: Client, cluster: Arc<SharedCluster>) {
    let mut reflector = KindReflector::new(kind, cluster);
    let config = watcher::Config::default().timeout(WATCH_SECONDS).page_size(PAGE);
    let events = watcher(Api::<WatchedObject>::all_with(client, &(kind, served)), config).backoff(Pause);
    let mut events = std::pin::pin!(events);
    let mut trouble = String::new();
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => {
                // To begin a list is no success yet.
                if !matches!(event, watcher::Event::Init) {
                    trouble.clear();
                }
                reflector.apply_event(event);
            }
            Err(error) => {
                fail(&reflector, &error);
                report(kind, &error, &mut trouble);
            }
        }
    }
}

/// Logs a failure, but not each time that it repeats itself.
fn report(kind: Kind, error: &watcher::Error, trouble: &mut String) {
    let words = error.to_string();
    if words != *trouble {
        tracing::warn!(%kind, error = words, "watch failed; retrying");
        *trouble = words;
    }
}

/// A kind that may not be read, or is not served, makes checks silent; any other trouble passes, and the view stays as it was.
fn fail(reflector: &KindReflector, error: &watcher::Error) {
    let code = match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status)) => status.code,
        _ => 0,
    };
    match code {
        403 => reflector.forget(SyncState::Forbidden),
        404 => reflector.forget(SyncState::NotServed),
        _ => {}
    }
}
