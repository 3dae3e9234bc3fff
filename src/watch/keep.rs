//! Starts a watch for each kind that the plan needs, and ends those that it needs no more.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures::StreamExt;
use kube::runtime::utils::Backoff;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client};
use tokio::task::JoinHandle;

use super::relist::Relist;
use super::seen::{Seen, Served};
use super::served::{self, ServedKinds};
use crate::cluster::{Cluster, Knowledge};
use crate::kinds::{Kind, KindSet};

/// How often to ask what is wanted.
pub(super) const INTERVAL: Duration = Duration::from_millis(500);

/// After how many seconds the API server ends a watch, so that a connection that died silently is noticed.
const WATCH_SECONDS: u32 = 60;

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

/// What is wanted of a cluster.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The kinds whose objects are to be known.
    pub kinds: KindSet,
    /// Whether it matters which schemas there are of the kinds that come as CRDs.
    pub schemas: bool,
}

impl Wanted {
    /// Whether the API server must be asked what it serves.
    pub(super) fn is_discovered(&self) -> bool {
        self.schemas || self.kinds.iter().any(Kind::is_gateway_api)
    }
}

/// Tells what is wanted now.
pub type Needs = Arc<dyn Fn() -> Wanted + Send + Sync>;

/// Keeps `cluster` at what the API server says of the kinds that are needed, for ever.
pub async fn keep(client: Client, needs: Needs, cluster: Arc<RwLock<Cluster>>) {
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
    cluster: Arc<RwLock<Cluster>>,
    running: HashMap<Kind, (Served, JoinHandle<()>)>,
}

impl Watches {
    /// Ends what is wanted no more, or in another version, and starts what is lacking. Until it is known what is served, no kind that comes
    /// as a CRD is watched.
    async fn keep(&mut self, wanted: KindSet, served: Option<&ServedKinds>) {
        let version = |kind: Kind| match served {
            Some(served) => served.version(kind),
            None => (!kind.is_custom()).then(|| Served(kind.api().versions[0])),
        };
        // A watch never ends by itself; one that met a panic is begun anew.
        let ended = |kind: &Kind, (served, watch): &(Served, JoinHandle<()>)| {
            !wanted.contains(*kind) || version(*kind) != Some(*served) || watch.is_finished()
        };
        for (kind, (_, watch)) in self.running.extract_if(|kind, running| ended(kind, running)).collect::<Vec<_>>() {
            let (is_wanted, version) = (wanted.contains(kind), version(kind));
            match is_wanted && watch.is_finished() {
                true => tracing::error!(%kind, "a watch met a panic and is begun anew"),
                false => tracing::info!(%kind, "a watch ends: the kind is needed no more, or served otherwise"),
            }
            watch.abort();
            // Its last event must not come after it is forgotten.
            let _ = watch.await;
            if !is_wanted || version.is_none() {
                self.forget(kind, Knowledge::NotSynced);
            }
        }
        for kind in wanted.iter().filter(|kind| !self.running.contains_key(kind)).collect::<Vec<_>>() {
            match version(kind) {
                Some(version) => {
                    tracing::info!(%kind, version = version.0, "a kind is watched");
                    let watch = start(kind, version, &self.client, &self.cluster);
                    self.running.insert(kind, (version, watch));
                }
                None if served.is_some() => self.forget(kind, Knowledge::NotServed),
                None => {}
            }
        }
    }

    fn forget(&self, kind: Kind, knowledge: Knowledge) {
        let known = self.cluster.read().unwrap_or_else(PoisonError::into_inner).knowledge(kind);
        if known != knowledge {
            Relist::new(kind, Arc::clone(&self.cluster)).forget(knowledge);
        }
    }
}

fn start(kind: Kind, served: Served, client: &Client, cluster: &Arc<RwLock<Cluster>>) -> JoinHandle<()> {
    let (client, cluster) = (client.clone(), Arc::clone(cluster));
    match kind {
        Kind::Ingress => tokio::spawn(watch::<{ Kind::Ingress as usize }>(client, cluster, served)),
        Kind::IngressClass => tokio::spawn(watch::<{ Kind::IngressClass as usize }>(client, cluster, served)),
        Kind::Service => tokio::spawn(watch::<{ Kind::Service as usize }>(client, cluster, served)),
        Kind::Namespace => tokio::spawn(watch::<{ Kind::Namespace as usize }>(client, cluster, served)),
        Kind::GatewayClass => tokio::spawn(watch::<{ Kind::GatewayClass as usize }>(client, cluster, served)),
        Kind::Gateway => tokio::spawn(watch::<{ Kind::Gateway as usize }>(client, cluster, served)),
        Kind::ListenerSet => tokio::spawn(watch::<{ Kind::ListenerSet as usize }>(client, cluster, served)),
        Kind::HttpRoute => tokio::spawn(watch::<{ Kind::HttpRoute as usize }>(client, cluster, served)),
        Kind::GrpcRoute => tokio::spawn(watch::<{ Kind::GrpcRoute as usize }>(client, cluster, served)),
        Kind::TlsRoute => tokio::spawn(watch::<{ Kind::TlsRoute as usize }>(client, cluster, served)),
        Kind::TcpRoute => tokio::spawn(watch::<{ Kind::TcpRoute as usize }>(client, cluster, served)),
        Kind::UdpRoute => tokio::spawn(watch::<{ Kind::UdpRoute as usize }>(client, cluster, served)),
        Kind::ReferenceGrant => tokio::spawn(watch::<{ Kind::ReferenceGrant as usize }>(client, cluster, served)),
        Kind::BackendTlsPolicy => tokio::spawn(watch::<{ Kind::BackendTlsPolicy as usize }>(client, cluster, served)),
        Kind::IngressRoute => tokio::spawn(watch::<{ Kind::IngressRoute as usize }>(client, cluster, served)),
        Kind::TlsCertificateDelegation => {
            tokio::spawn(watch::<{ Kind::TlsCertificateDelegation as usize }>(client, cluster, served))
        }
        Kind::HttpProxy => tokio::spawn(watch::<{ Kind::HttpProxy as usize }>(client, cluster, served)),
        Kind::ProxyCertificateDelegation => {
            tokio::spawn(watch::<{ Kind::ProxyCertificateDelegation as usize }>(client, cluster, served))
        }
    }
}

async fn watch<const KIND: usize>(client: Client, cluster: Arc<RwLock<Cluster>>, served: Served) {
    let kind = Seen::<KIND>::KIND;
    let mut relist = Relist::new(kind, cluster);
    let config = watcher::Config::default().timeout(WATCH_SECONDS);
    let events = watcher(Api::<Seen<KIND>>::all_with(client, &served), config).backoff(Pause);
    let mut events = std::pin::pin!(events);
    let mut trouble = String::new();
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => {
                // To begin a list is no success yet.
                if !matches!(event, watcher::Event::Init) {
                    trouble.clear();
                }
                relist.take(event);
            }
            Err(error) => {
                fail(&relist, &error);
                report(kind, &error, &mut trouble);
            }
        }
    }
}

/// Logs a failure, but not each time that it repeats itself.
fn report(kind: Kind, error: &watcher::Error, trouble: &mut String) {
    let words = error.to_string();
    if words != *trouble {
        tracing::warn!(%kind, error = words, "a watch failed; it is tried again");
        *trouble = words;
    }
}

/// A kind that may not be read, or is not served, makes checks silent; any other trouble passes, and the view stays as it was.
fn fail(relist: &Relist, error: &watcher::Error) {
    let code = match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status)) => status.code,
        _ => 0,
    };
    match code {
        403 => relist.forget(Knowledge::Forbidden),
        404 => relist.forget(Knowledge::NotServed),
        _ => {}
    }
}
