//! The watch of the one ConfigMap that holds the configuration.
//!
//! A connection that died silently delivers no event and no error, so the version of the object is also asked for every second.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt};
use tokio::sync::watch::Sender;

use super::ConfigMapContent;
use crate::lease::Moment;
use crate::telemetry::LastFailure;

/// After how many seconds the API server ends a watch, so that a connection that died silently is noticed.
const WATCH_SECONDS: u32 = 60;

/// The time between two questions for the version of the object.
const CONFIRMATION: Duration = Duration::from_secs(1);

/// The deadline of such a question. Its connection may have died as well; it is then asked again on another one.
const ANSWER: Duration = Duration::from_millis(700);

/// How much later than the answer to a question the watch may deliver the same version.
const DELIVERY: Duration = Duration::from_millis(200);

/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// A failure that lasts is repeated sooner than this: after the pause and the deadline of a request.
const ENDED: Duration = Duration::from_secs(120);

/// Watches the ConfigMap `name` in the namespace of `client` without end, and sends each new content to `sender`.
pub async fn follow(client: Client, name: String, sender: Sender<Option<ConfigMapContent>>) {
    let maps = Api::<ConfigMap>::default_namespaced(client);
    let mut failures = Failures::default();
    loop {
        let delivered = DeliveredVersion::default();
        tokio::select! {
            () = watch(&maps, &name, &sender, &delivered, &mut failures) => tokio::time::sleep(PAUSE).await,
            () = missed(&maps, &name, &delivered) => {
                tracing::warn!(config_map = name, "the watch has not delivered a change; listing again");
            }
        }
    }
}

/// The version of the object that the watch delivered last: empty if there is no object, `None` before the first list.
#[derive(Default)]
struct DeliveredVersion(Mutex<Option<String>>);

impl DeliveredVersion {
    fn set(&self, map: Option<&ConfigMap>) {
        let version = map.map(|map| map.resource_version().unwrap_or_default());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(version.unwrap_or_default());
    }

    fn get(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Returns as soon as the watch has missed a change.
async fn missed(maps: &Api<ConfigMap>, name: &str, delivered: &DeliveredVersion) {
    loop {
        tokio::time::sleep(CONFIRMATION).await;
        let before = delivered.get();
        let version = match version(maps, name).await {
            Some(version) => Some(version),
            None => self::version(maps, name).await,
        };
        // What was delivered while the answer was under way may be newer than the answer.
        let is_compared = before.is_some() && version.is_some() && delivered.get() == before;
        if !is_compared || version == before {
            continue;
        }
        tokio::time::sleep(DELIVERY).await;
        // A watch that has delivered another version in between is alive.
        if delivered.get() == before {
            return;
        }
    }
}

/// The version of the object, empty if there is none; `None` if the API server does not say.
async fn version(maps: &Api<ConfigMap>, name: &str) -> Option<String> {
    let answer = tokio::time::timeout(ANSWER, maps.get_metadata_opt(name)).await.ok()?.ok()?;
    Some(answer.and_then(|object| object.resource_version()).unwrap_or_default())
}

/// Lists and watches until the ConfigMap may not be read. A watch that is resumed says nothing about an object that has not changed,
/// so only a new list shows that it may be read again.
async fn watch(
    maps: &Api<ConfigMap>,
    name: &str,
    sender: &Sender<Option<ConfigMapContent>>,
    delivered: &DeliveredVersion,
    failures: &mut Failures,
) {
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
                failures.watch.clear();
                delivered.set(listed.as_ref());
                set(sender, ConfigMapContent::of(listed.take()));
                continue;
            }
            Ok(Event::Apply(map)) => {
                delivered.set(Some(&map));
                ConfigMapContent::of(Some(map))
            }
            Ok(Event::Delete(_)) => {
                delivered.set(None);
                ConfigMapContent::Absent
            }
            Err(watcher::Error::InitialListFailed(error)) => {
                failures.list.report(name, "list", &error.to_string());
                if is_forbidden(&error) {
                    return set(sender, ConfigMapContent::Forbidden);
                }
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            Err(error) => {
                failures.watch.report(name, "watch", &error.to_string());
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
    list: Repeated,
    watch: Repeated,
}

/// A failure that is logged again only if it ended in between.
#[derive(Default)]
struct Repeated {
    last: LastFailure,
    at: Option<Moment>,
}

impl Repeated {
    /// Logs a failure, unless it still lasts.
    fn report(&mut self, name: &str, verb: &str, error: &str) {
        if self.is_new(error, Moment::now()) {
            tracing::warn!(config_map = name, verb, error, "the configuration cannot be followed; retrying");
        }
    }

    /// Takes in a failure. A watch that is resumed says nothing as long as the object does not change, so a failure that was not
    /// repeated for a while has ended.
    fn is_new(&mut self, error: &str, now: Moment) -> bool {
        if self.at.replace(now).is_some_and(|before| now - before > ENDED) {
            self.clear();
        }
        self.last.record(error)
    }

    fn clear(&mut self) {
        self.last.clear();
    }
}

fn is_forbidden(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 403)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_new_again_after_a_while_without_it() {
        let (mut failure, at) =
            (Repeated::default(), |minutes: u64| Moment::since_start(Duration::from_secs(60 * minutes)));
        let is_new = [0, 1, 2, 3, 6, 7].map(|minute| failure.is_new("refused", at(minute)));
        assert_eq!(is_new, [true, false, false, false, true, false]);
        failure.clear();
        assert!(failure.is_new("refused", at(7)), "a list has succeeded");
    }
}
