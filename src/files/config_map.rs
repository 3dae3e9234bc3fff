//! Extracts the facts about a ConfigMap: whether its certificate authority is usable, and the settings of an
//! ingress-nginx.

use k8s_openapi::api::core::v1::ConfigMap;
use serde::Deserialize;
use serde_json::Value;

use super::certificate::dns_names;
use portcullis_core::cluster::{ConfigMapFacts, DataEntry, NGINX_CONTROLLER};

/// The key of the certificate authority.
const AUTHORITY: &str = "ca.crt";

/// The facts about the ConfigMap in `document`. The authority of one that cannot be decoded is not readable.
pub fn config_map_facts(document: &Value) -> ConfigMapFacts {
    let Ok(ConfigMap { data, binary_data, metadata, .. }) = ConfigMap::deserialize(document) else {
        return ConfigMapFacts { authority: DataEntry::Unreadable, settings: Box::default() };
    };
    let mut data = data.unwrap_or_default();
    let text = data.remove(AUTHORITY).map(String::into_bytes);
    let bytes = text.or_else(|| binary_data.unwrap_or_default().remove(AUTHORITY).map(|bytes| bytes.0));
    let authority = match bytes.map(|bytes| dns_names(&bytes)) {
        None => DataEntry::Missing,
        Some(None) => DataEntry::Unreadable,
        Some(Some(_)) => DataEntry::Read(()),
    };
    let is_of_controller = metadata.name.as_deref() == Some(NGINX_CONTROLLER);
    let settings = data.into_iter().filter(|_| is_of_controller).map(|(key, value)| (key.into(), value.into()));
    ConfigMapFacts { authority, settings: settings.collect() }
}
