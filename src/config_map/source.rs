//! The watch of the one ConfigMap that holds the configuration.

use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client};
use tokio::sync::watch::Sender;

use super::Content;

/// After how many seconds the API server ends a watch, so that a connection that died silently is noticed.
const WATCH_SECONDS: u32 = 60;

/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// Watches the ConfigMap `name` in the namespace of `client` without end, and passes each new content to `tell`.
pub async fn follow(client: Client, name: String, tell: Sender<Option<Content>>) {
    let maps = Api::<ConfigMap>::default_namespaced(client);
    let mut trouble = String::new();
    loop {
        watch(&maps, &name, &tell, &mut trouble).await;
        tokio::time::sleep(PAUSE).await;
    }
}

/// Lists and watches until the ConfigMap may not be read. A watch that is resumed says nothing about an object that has not changed,
/// so only a new list tells that it may be read again.
async fn watch(maps: &Api<ConfigMap>, name: &str, tell: &Sender<Option<Content>>, trouble: &mut String) {
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
            Ok(Event::InitDone) => Content::of(listed.take()),
            Ok(Event::Apply(map)) => Content::of(Some(map)),
            Ok(Event::Delete(_)) => Content::Absent,
            Err(error) => {
                report(name, &error, trouble);
                if code(&error) == 403 {
                    return set(tell, Content::Forbidden);
                }
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        trouble.clear();
        set(tell, found);
    }
}

fn set(tell: &Sender<Option<Content>>, content: Content) {
    tell.send_if_modified(|known| {
        let is_new = known.as_ref() != Some(&content);
        *known = Some(content);
        is_new
    });
}

/// Logs a failure, but not each time that it repeats itself.
fn report(name: &str, error: &watcher::Error, trouble: &mut String) {
    let message = error.to_string();
    if message != *trouble {
        tracing::warn!(config_map = name, error = message, "watch of the configuration failed; retrying");
        *trouble = message;
    }
}

fn code(error: &watcher::Error) -> u16 {
    match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status))
        | watcher::Error::WatchStartFailed(kube::Error::Api(status))
        | watcher::Error::WatchError(status) => status.code,
        _ => 0,
    }
}
