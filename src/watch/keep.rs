//! Starts a watch for each kind that the plan needs, and ends those that it needs no more.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use futures::StreamExt;
use kube::runtime::utils::Backoff;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client};
use tokio::task::JoinHandle;

use super::relist::Relist;
use super::seen::{Seen, Served};
use crate::cluster::{Cluster, Knowledge};
use crate::kinds::{Kind, KindSet};

/// How often to ask which kinds are needed.
const INTERVAL: Duration = Duration::from_millis(500);

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

/// Tells which kinds are needed now.
pub type Needs = Arc<dyn Fn() -> KindSet + Send + Sync>;

/// Keeps `cluster` at what the API server says of the kinds that are needed, for ever.
pub async fn keep(client: Client, needs: Needs, cluster: Arc<RwLock<Cluster>>) {
    let mut running: HashMap<Kind, JoinHandle<()>> = HashMap::new();
    loop {
        let wanted = needs();
        // A watch never ends by itself; one that met a panic is begun anew.
        let ended = |kind: &Kind, watch: &JoinHandle<()>| !wanted.contains(*kind) || watch.is_finished();
        for (kind, watch) in running.extract_if(|kind, watch| ended(kind, watch)).collect::<Vec<_>>() {
            match wanted.contains(kind) {
                true => tracing::error!(%kind, "a watch met a panic and is begun anew"),
                false => tracing::info!(%kind, "a kind is watched no more"),
            }
            watch.abort();
            // Its last event must not come after it is forgotten.
            let _ = watch.await;
            Relist::new(kind, Arc::clone(&cluster)).forget(Knowledge::NotSynced);
        }
        for kind in wanted.iter().filter(|kind| !running.contains_key(kind)).collect::<Vec<_>>() {
            tracing::info!(%kind, "a kind is watched");
            running.insert(kind, start(kind, Served(kind.api().versions[0]), &client, &cluster));
        }
        tokio::time::sleep(INTERVAL).await;
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
