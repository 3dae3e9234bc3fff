//! An Event about each version of the configuration that cannot be used, so that `kubectl describe` of its ConfigMap shows what is wrong.
//!
//! Each replica finds the same fault, so the name of the Event follows from the content.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, ObjectReference};
use kube::{Api, Client};
use serde_json::json;
use tokio::sync::watch::Receiver;
use tokio::time::sleep;

use super::config_state::short_hash;
use crate::config_map::ConfigMapContent;
use crate::event::{create_once, warning};
use crate::request::{RequestError, request};
use crate::telemetry::LastFailure;

/// How long to wait after a failure that may pass.
const PAUSE: Duration = Duration::from_secs(2);

/// A version of the configuration that cannot be used.
#[derive(Debug, Clone)]
pub struct UnusableVersion {
    /// What was found.
    pub content: ConfigMapContent,
    /// What is wrong with it.
    pub error: String,
}

/// Creates an Event about each version of the ConfigMap `name` in the namespace of `client` that cannot be used, without end.
pub async fn report_unusable(client: Client, name: String, mut versions: Receiver<Option<UnusableVersion>>) {
    let mut failure = LastFailure::default();
    loop {
        let version = versions.borrow_and_update().clone();
        let reported = match &version {
            Some(version) => report(&client, &name, version).await,
            None => Ok(()),
        };
        let wait = match reported {
            Ok(()) => {
                failure.clear();
                Duration::MAX
            }
            Err(error) => {
                let (wait, error) = (if error.is_transient() { PAUSE } else { Duration::MAX }, error.to_string());
                if failure.record(&error) {
                    tracing::warn!(config_map = name, error, "the Event about the configuration cannot be created");
                }
                wait
            }
        };
        tokio::select! {
            () = sleep(wait) => {}
            changed = versions.changed() => if changed.is_err() { return },
        }
    }
}

async fn report(client: &Client, name: &str, version: &UnusableVersion) -> Result<(), RequestError> {
    let maps = Api::<ConfigMap>::default_namespaced(client.clone());
    // `kubectl describe` shows the Events with the UID of the object.
    let uid = request(maps.get_metadata_opt(name)).await?.and_then(|map| map.metadata.uid);
    let event_name = event_name(name, uid.as_deref(), &version.content);
    let note = format!("the configuration cannot be used; another version is in effect: {}", version.error);
    let regarding = ObjectReference {
        api_version: Some("v1".to_owned()),
        kind: Some("ConfigMap".to_owned()),
        namespace: Some(client.default_namespace().to_owned()),
        name: Some(name.to_owned()),
        uid,
        ..ObjectReference::default()
    };
    create_once(client.clone(), event_name, warning("Load", "ConfigurationUnusable", &note), regarding).await
}

/// The name of the Event about this content, the same in each replica.
fn event_name(config_map: &str, uid: Option<&str>, content: &ConfigMapContent) -> String {
    format!("{config_map}.{}", short_hash(&json!([uid, content.texts(config_map).ok()]).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_map::ConfigTexts;

    #[test]
    fn name_of_the_event_follows_from_content_and_uid() {
        let texts =
            |text: &str| ConfigMapContent::Texts(ConfigTexts::from([("config.yaml".to_owned(), text.to_owned())]));
        let name = |uid, content: &ConfigMapContent| event_name("portcullis", uid, content);
        let broken = name(Some("1"), &texts("broken"));
        assert_eq!(broken, name(Some("1"), &texts("broken")));
        assert!(broken.starts_with("portcullis."), "{broken}");
        for other in [
            name(Some("2"), &texts("broken")),
            name(Some("1"), &texts("other")),
            name(Some("1"), &ConfigMapContent::NoKey),
            name(None, &ConfigMapContent::Absent),
        ] {
            assert_ne!(other, broken);
        }
    }
}
