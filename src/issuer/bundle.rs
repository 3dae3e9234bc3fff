//! The caBundles of the webhook configurations.

use std::collections::BTreeSet;

use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::ServiceReference;
use serde::Deserialize;
use serde_json::{Value, json};

use super::authority::{certificate_pem, parse_bundle};
use super::rotation::{Authorities, Der};
use crate::request::{FIELD_MANAGER, RequestError};
use crate::webhook_configuration::{Configuration, FailurePolicy, WebhookConfigurationStore};

/// The part of an entry that matters here.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    client_config: ClientConfig,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientConfig {
    ca_bundle: Option<ByteString>,
    service: Option<ServiceReference>,
}

/// The caBundles of one of the two webhook configurations, as they were read.
#[derive(Debug, Clone)]
pub struct Bundles {
    configuration: Configuration,
    bundles: Vec<EntryBundle>,
}

/// The caBundle of an entry that calls the Service.
#[derive(Debug, Clone)]
pub struct EntryBundle {
    /// Where the entry is in the list.
    pub position: usize,
    /// The certificates that the API server accepts.
    pub certificates: BTreeSet<Der>,
    /// Whether writes are denied while this entry cannot be called.
    pub is_enforced: bool,
}

impl Bundles {
    /// The caBundle of each entry that calls the Service.
    pub fn entries(&self) -> &[EntryBundle] {
        &self.bundles
    }
}

/// A webhook configuration, of which the caBundles of entries that call one Service are kept.
pub struct BundleStore {
    configuration: WebhookConfigurationStore,
    service: String,
    namespace: String,
}

impl BundleStore {
    /// The validating and the mutating configuration `name`. Their entries that call `service` in the client's own namespace are
    /// kept, others are left alone.
    pub fn both(client: &kube::Client, name: &str, service: &str) -> [Self; 2] {
        WebhookConfigurationStore::both(client, name).map(|configuration| Self {
            configuration,
            service: service.to_owned(),
            namespace: client.default_namespace().to_owned(),
        })
    }

    /// The kind of the configuration.
    pub fn kind(&self) -> &'static str {
        self.configuration.kind()
    }

    /// The caBundles as they are now, if there is a configuration.
    pub async fn read(&self) -> Result<Option<Bundles>, RequestError> {
        let Some(configuration) = self.configuration.read().await? else { return Ok(None) };
        let bundle = |(position, entry): (usize, &Value)| {
            let is_enforced = FailurePolicy::Fail.is_of(entry);
            let config = Entry::deserialize(entry).ok()?.client_config;
            let ours = config.service.is_some_and(|it| it.name == self.service && it.namespace == self.namespace);
            let pem = config.ca_bundle.map(|bundle| bundle.0).unwrap_or_default();
            let certificates = parse_bundle(&pem).collect();
            ours.then_some(EntryBundle { position, certificates, is_enforced })
        };
        let bundles = configuration.entries().iter().enumerate().filter_map(bundle).collect();
        Ok(Some(Bundles { configuration, bundles }))
    }

    /// Writes the trusted authorities into the entries that have others. A conflict means that the configuration has
    /// changed since it was read. Returns whether there was anything to write.
    pub async fn publish(&self, read: &Bundles, authorities: &Authorities) -> Result<bool, RequestError> {
        let trusted: BTreeSet<Der> = authorities.trusted().map(|authority| authority.der.clone()).collect();
        let pem: String = authorities.trusted().map(|authority| certificate_pem(&authority.der)).collect();
        let pem = ByteString(pem.into_bytes());
        let wrong = read.bundles.iter().filter(|bundle| bundle.certificates != trusted);
        // `add` also replaces.
        let writes = wrong.map(|EntryBundle { position, .. }| {
            json!({"op": "add", "path": format!("/webhooks/{position}/clientConfig/caBundle"), "value": pem})
        });
        let writes: Vec<Value> = writes.collect();
        if writes.is_empty() {
            return Ok(false);
        }
        self.configuration.patch(&read.configuration, writes, FIELD_MANAGER).await?;
        Ok(true)
    }
}
