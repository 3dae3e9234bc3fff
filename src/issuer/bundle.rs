//! The caBundles of the webhook configurations.
//!
//! They are written by a JSON patch that tests the resourceVersion, and only into entries that exist. A server-side apply
//! would own fields of the entries, and every later apply of an installer that drops or renames an entry would fail.

use std::collections::BTreeSet;

use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ServiceReference, ValidatingWebhookConfiguration,
};
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams};
use serde::Deserialize;
use serde_json::{Value, json};

use super::authority::{certificate_pem, parse_bundle};
use super::request::{RequestError, request};
use super::rotation::{Authorities, Der};

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

/// One of the two webhook configurations, as it was read.
#[derive(Debug, Clone)]
pub struct Configuration {
    version: String,
    /// By position in the list of entries.
    bundles: Vec<(usize, BTreeSet<Der>)>,
}

impl Configuration {
    /// The certificates in the caBundle of each entry that calls the Service.
    pub fn entries(&self) -> impl Iterator<Item = &BTreeSet<Der>> {
        self.bundles.iter().map(|(_, bundle)| bundle)
    }
}

/// A webhook configuration by kind and name, of which entries that call one Service are kept.
pub struct ConfigurationStore {
    api: Api<DynamicObject>,
    kind: &'static str,
    name: String,
    service: String,
    namespace: String,
}

impl ConfigurationStore {
    /// The validating and the mutating configuration `name`. Their entries that call `service` in the client's own namespace are
    /// kept, others are left alone.
    pub fn both(client: &kube::Client, name: &str, service: &str) -> [Self; 2] {
        let resources = [
            ApiResource::erase::<ValidatingWebhookConfiguration>(&()),
            ApiResource::erase::<MutatingWebhookConfiguration>(&()),
        ];
        let kinds = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"];
        std::array::from_fn(|which| Self {
            api: Api::all_with(client.clone(), &resources[which]),
            kind: kinds[which],
            name: name.to_owned(),
            service: service.to_owned(),
            namespace: client.default_namespace().to_owned(),
        })
    }

    /// The kind of the configuration.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The configuration as it is now, if there is one.
    pub async fn read(&self) -> Result<Option<Configuration>, RequestError> {
        let Some(mut object) = request(self.api.get_opt(&self.name)).await? else { return Ok(None) };
        let entries = object.data.get_mut("webhooks").map_or(Value::Null, Value::take);
        let entries: Vec<Value> = serde_json::from_value(entries).unwrap_or_default();
        let bundle = |(position, entry): (usize, Value)| {
            let config = serde_json::from_value::<Entry>(entry).ok()?.client_config;
            let ours = config.service.is_some_and(|it| it.name == self.service && it.namespace == self.namespace);
            let pem = config.ca_bundle.map(|bundle| bundle.0).unwrap_or_default();
            ours.then(|| (position, parse_bundle(&pem).collect()))
        };
        let bundles = entries.into_iter().enumerate().filter_map(bundle).collect();
        Ok(Some(Configuration { version: object.metadata.resource_version.unwrap_or_default(), bundles }))
    }

    /// Writes the trusted authorities into the entries that have others. A conflict means that the configuration has
    /// changed since it was read. Returns whether there was anything to write.
    pub async fn publish(&self, read: &Configuration, authorities: &Authorities) -> Result<bool, RequestError> {
        let trusted: BTreeSet<Der> = authorities.trusted().map(|authority| authority.der.clone()).collect();
        let pem: String = authorities.trusted().map(|authority| certificate_pem(&authority.der)).collect();
        let pem = ByteString(pem.into_bytes());
        let wrong = read.bundles.iter().filter(|(_, bundle)| *bundle != trusted);
        // `add` also replaces.
        let writes = wrong.map(|(position, _)| {
            json!({"op": "add", "path": format!("/webhooks/{position}/clientConfig/caBundle"), "value": pem})
        });
        let test = json!({"op": "test", "path": "/metadata/resourceVersion", "value": read.version});
        let operations: Vec<Value> = std::iter::once(test).chain(writes).collect();
        if operations.len() == 1 {
            return Ok(false);
        }
        let patch = serde_json::from_value(operations.into()).map_err(kube::Error::SerdeError)?;
        let params = PatchParams { field_manager: Some("portcullis".to_owned()), ..PatchParams::default() };
        match request(self.api.patch(&self.name, &params, &Patch::Json::<()>(patch))).await {
            Ok(_) => Ok(true),
            Err(error @ RequestError::Invalid(_)) => Err(self.cause(read, error).await),
            Err(error) => Err(error),
        }
    }

    /// Why a patch is invalid: the API server answers 422 both to a failed test and to a result that it rejects.
    async fn cause(&self, read: &Configuration, error: RequestError) -> RequestError {
        match self.read().await {
            Ok(Some(now)) if now.version == read.version => error,
            Ok(_) => RequestError::Conflict,
            Err(error) => error,
        }
    }
}
