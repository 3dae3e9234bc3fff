//! The watch of the one ConfigMap that holds the configuration.

use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client};
use tokio::sync::watch::Sender;

use super::ConfigMapContent;
use crate::telemetry::LastFailure;

/// After how many seconds the API server ends a watch, so that a connection that died silently is noticed.
const WATCH_SECONDS: u32 = 60;

/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// Watches the ConfigMap `name` in the namespace of `client` without end, and sends each new content to `sender`.
pub async fn follow(client: Client, name: String, sender: Sender<Option<ConfigMapContent>>) {
    let maps = Api::<ConfigMap>::default_namespaced(client);
    let mut failures = Failures::default();
    loop {
        watch(&maps, &name, &sender, &mut failures).await;
        tokio::time::sleep(PAUSE).await;
    }
}

/// Lists and watches until the ConfigMap may not be read. A watch that is resumed says nothing about an object that has not changed,
/// so only a new list shows that it may be read again.
async fn watch(maps: &Api<ConfigMap>, name: &str, sender: &Sender<Option<ConfigMapContent>>, failures: &mut Failures) {
    // The name as a field selector: a Role can then limit the watch to this name.
    let config = watcher::Config::default().fields(&format!("metadata.name={name}")).timeout(WATCH_SECONDS);
    let mut events = std::pin::pin!(watcher(maps.clone(), config));
    let mut listed = None;
    while let Some(event) = events.next().await {
        let found = match event {
            Ok(Event::Init) => {
                listed = None;
                continue;
            }
            Ok(Event::InitApply(map)) => {
                listed = Some(map);
                continue;
            }
            Ok(Event::InitDone) => {
                failures.list.clear();
                set(sender, ConfigMapContent::of(listed.take()));
                continue;
            }
            Ok(Event::Apply(map)) => ConfigMapContent::of(Some(map)),
            Ok(Event::Delete(_)) => ConfigMapContent::Absent,
            Err(watcher::Error::InitialListFailed(error)) => {
                report(name, "list", &error.to_string(), &mut failures.list);
                if is_forbidden(&error) {
                    return set(sender, ConfigMapContent::Forbidden);
                }
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            Err(error) => {
                report(name, "watch", &error.to_string(), &mut failures.watch);
                // What was listed stays known, and a new list shows what has changed.
                if matches!(&error, watcher::Error::WatchStartFailed(error) if is_forbidden(error)) {
                    return;
                }
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        failures.watch.clear();
        set(sender, found);
    }
}

fn set(sender: &Sender<Option<ConfigMapContent>>, content: ConfigMapContent) {
    sender.send_if_modified(|known| {
        let is_new = known.as_ref() != Some(&content);
        *known = Some(content);
        is_new
    });
}

/// The last failures, each of which is logged once.
#[derive(Default)]
struct Failures {
    list: LastFailure,
    watch: LastFailure,
}

/// Logs a failure, unless it is the same as the previous one.
fn report(name: &str, verb: &str, error: &str, last: &mut LastFailure) {
    if last.record(error) {
        tracing::warn!(config_map = name, verb, error, "the configuration cannot be followed; retrying");
    }
}

fn is_forbidden(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 403)
}
