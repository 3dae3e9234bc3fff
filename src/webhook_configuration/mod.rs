//! The two webhook configurations: reading them, and changing entries of them.
//!
//! They are changed by a JSON patch that tests the resourceVersion, and only in entries that exist. A server-side apply would own
//! fields of the entries, and every later apply of an installer that drops or renames an entry would fail.

mod failure_policy;

pub use failure_policy::FailurePolicy;

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration};
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams};
use serde_json::{Value, json};

use crate::request::{DEADLINE, RequestError, request_within};

/// A webhook configuration, as it was read.
#[derive(Debug, Clone)]
pub struct Configuration {
    version: String,
    annotations: Option<BTreeMap<String, String>>,
    managers: Vec<String>,
    entries: Vec<Value>,
}

impl Configuration {
    /// The configuration in an object.
    pub fn of(mut object: DynamicObject) -> Self {
        let entries = object.data.get_mut("webhooks").map_or(Value::Null, Value::take);
        let managers = object.metadata.managed_fields.unwrap_or_default().into_iter();
        Self {
            version: object.metadata.resource_version.unwrap_or_default(),
            annotations: object.metadata.annotations,
            managers: managers.map(|fields| fields.manager.unwrap_or_default()).collect(),
            entries: serde_json::from_value(entries).unwrap_or_default(),
        }
    }

    /// The value of an annotation.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations.as_ref()?.get(key).map(String::as_str)
    }

    /// Whether there is a map of annotations, even an empty one.
    pub fn has_annotations(&self) -> bool {
        self.annotations.is_some()
    }

    /// The field manager of each entry of `managedFields`, in their order.
    pub fn managers(&self) -> impl Iterator<Item = &str> {
        self.managers.iter().map(String::as_str)
    }

    /// The entries, in their order.
    pub fn entries(&self) -> &[Value] {
        &self.entries
    }
}

/// A webhook configuration by kind and name.
pub struct WebhookConfigurationStore {
    api: Api<DynamicObject>,
    kind: &'static str,
    name: String,
    deadline: Duration,
}

impl WebhookConfigurationStore {
    /// The validating and the mutating configuration `name`.
    pub fn both(client: &kube::Client, name: &str) -> [Self; 2] {
        let resources = [
            ApiResource::erase::<ValidatingWebhookConfiguration>(&()),
            ApiResource::erase::<MutatingWebhookConfiguration>(&()),
        ];
        let kinds = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"];
        std::array::from_fn(|which| Self {
            api: Api::all_with(client.clone(), &resources[which]),
            kind: kinds[which],
            name: name.to_owned(),
            deadline: DEADLINE,
        })
    }

    /// The same with another deadline for each request, for a process that holds no Lease.
    pub fn within(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// The kind of the configuration.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The configuration as it is now, if there is one.
    pub async fn read(&self) -> Result<Option<Configuration>, RequestError> {
        Ok(self.request(self.api.get_opt(&self.name)).await?.map(Configuration::of))
    }

    /// Makes `operations`, of a JSON patch, as the field manager `manager`. A conflict means that the configuration has changed since
    /// it was read.
    pub async fn patch(&self, read: &Configuration, operations: Vec<Value>, manager: &str) -> Result<(), RequestError> {
        let test = json!({"op": "test", "path": "/metadata/resourceVersion", "value": read.version});
        let operations: Value = std::iter::once(test).chain(operations).collect();
        let patch = serde_json::from_value(operations).map_err(kube::Error::SerdeError)?;
        let params = PatchParams { field_manager: Some(manager.to_owned()), ..PatchParams::default() };
        match self.request(self.api.patch(&self.name, &params, &Patch::Json::<()>(patch))).await {
            Ok(_) => Ok(()),
            Err(error @ RequestError::Invalid(_)) => Err(self.cause(read, error).await),
            Err(error) => Err(error),
        }
    }

    async fn request<T>(&self, answer: impl Future<Output = Result<T, kube::Error>>) -> Result<T, RequestError> {
        request_within(self.deadline, answer).await
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
