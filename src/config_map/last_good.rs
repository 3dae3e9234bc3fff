//! The last good version of the configuration: a copy, in a ConfigMap of its own, of what was in effect for a while.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams};
use kube::{Api, Client};
use serde_json::json;
use tokio::sync::watch::Receiver;
use tokio::time::sleep;

use super::{ConfigMapContent, ConfigTexts};
use crate::lease::{Leadership, Moment, NotLeader};
use crate::request::{FIELD_MANAGER, RequestError, request};
use crate::telemetry::LastFailure;

/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_secs(2);

/// How often the copy is compared with what it should be, in case it was changed or deleted.
const COMPARISON: Duration = Duration::from_secs(60);

/// A valid version of the configuration that is in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoodVersion {
    /// Its texts.
    pub texts: ConfigTexts,
    /// Since when it is in effect in this process.
    pub since: Moment,
}

/// The copy of the last good version.
#[derive(Clone)]
pub struct LastGood {
    maps: Api<ConfigMap>,
    name: String,
}

impl LastGood {
    /// The copy for the configuration in the ConfigMap `of`, in the namespace of `client`.
    pub fn new(client: Client, of: &str) -> Self {
        Self { maps: Api::default_namespaced(client), name: format!("{of}-last-good") }
    }

    /// The name of its ConfigMap.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads it once. An error passes.
    pub async fn read(&self) -> Result<ConfigMapContent, String> {
        request(super::read(&self.maps, &self.name)).await.map_err(|error| error.to_string())
    }

    /// Keeps the copy at each version that was in effect for `settle`, as long as this replica leads; without end.
    pub async fn keep(self, mut good: Receiver<Option<GoodVersion>>, mut leadership: Leadership, settle: Duration) {
        let mut failure = LastFailure::default();
        loop {
            let version = good.borrow_and_update().clone();
            let wait = match next(version.as_ref(), leadership.is_leader(), settle, Moment::now()) {
                Next::Nothing => None,
                Next::Wait(wait) => Some(wait),
                Next::Keep(texts) => match self.store(texts, &leadership).await.map_err(|error| error.to_string()) {
                    Ok(()) => {
                        failure.clear();
                        Some(COMPARISON)
                    }
                    Err(error) => {
                        if failure.record(&error) {
                            tracing::warn!(
                                config_map = self.name,
                                error,
                                "the last good configuration was not kept; retrying"
                            );
                        }
                        Some(PAUSE)
                    }
                },
            };
            tokio::select! {
                () = sleep(wait.unwrap_or(Duration::MAX)) => {}
                () = leadership.changed() => {}
                changed = good.changed() => if changed.is_err() { return },
            }
        }
    }

    /// Writes the copy if it differs.
    async fn store(&self, texts: &ConfigTexts, leadership: &Leadership) -> Result<(), RequestError> {
        let stored = request(self.maps.get_opt(&self.name)).await?;
        let version = stored.as_ref().and_then(|map| map.metadata.resource_version.clone());
        if ConfigMapContent::of(stored) == ConfigMapContent::Texts(texts.clone()) {
            return Ok(());
        }
        // With the resource version that was read, if there was one: a write that comes late changes nothing.
        let copy = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": self.name, "resourceVersion": version},
            "data": texts,
        });
        let (by, copy) = (PatchParams::apply(FIELD_MANAGER).force(), Patch::Apply(copy));
        match leadership.write(request(self.maps.patch(&self.name, &by, &copy))).await {
            Ok(written) => {
                written?;
                tracing::info!(config_map = self.name, "kept the configuration in effect as the last good one");
                Ok(())
            }
            // The replica that leads now keeps it.
            Err(NotLeader) => Ok(()),
        }
    }
}

/// What to do about the copy.
#[derive(Debug, PartialEq)]
enum Next<'a> {
    /// Nothing, before something changes.
    Nothing,
    /// Nothing yet.
    Wait(Duration),
    /// The copy must have these texts.
    Keep(&'a ConfigTexts),
}

fn next(version: Option<&GoodVersion>, leads: bool, settle: Duration, now: Moment) -> Next<'_> {
    match version.filter(|_| leads) {
        None => Next::Nothing,
        Some(GoodVersion { texts, since }) => match settle.saturating_sub(now - *since) {
            Duration::ZERO => Next::Keep(texts),
            left => Next::Wait(left),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_leader_keeps_what_was_in_effect_long_enough() {
        let (minute, at) = (Duration::from_secs(60), |seconds| Moment::since_start(Duration::from_secs(seconds)));
        let texts = ConfigTexts::from([("config.yaml".to_owned(), "text".to_owned())]);
        let version = GoodVersion { texts: texts.clone(), since: at(100) };
        assert_eq!(next(None, true, minute, at(500)), Next::Nothing);
        assert_eq!(next(Some(&version), false, minute, at(500)), Next::Nothing);
        assert_eq!(next(Some(&version), true, minute, at(101)), Next::Wait(Duration::from_secs(59)));
        assert_eq!(next(Some(&version), true, minute, at(160)), Next::Keep(&texts));
    }
}
