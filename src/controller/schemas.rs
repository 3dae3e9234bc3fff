//! The schemas of the statuses, read from the CRDs.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::Request;
use kube::Client;
use serde::Deserialize;
use serde_json::Value;

use crate::request::{RequestError, request};
use crate::watch::{ServedKinds, ServedVersion};
use portcullis_core::bundle::InstalledSchema;
use portcullis_core::kinds::Kind;
use portcullis_core::status::{KINDS, StatusSchema};

/// The shortest time between two reads of a schema that may have changed.
const REFRESH: Duration = Duration::from_secs(60);

/// What identifies a schema: the served version, and the bundle of the CRD.
pub type SchemaKey = (ServedVersion, Option<InstalledSchema>);

/// The schemas of the statuses of kinds that are defined by CRDs.
#[derive(Debug, Default)]
pub struct Schemas {
    known: HashMap<Kind, KnownSchema>,
    /// The kinds whose stored status was not what was written.
    suspicious: HashSet<Kind>,
}

#[derive(Debug)]
struct KnownSchema {
    key: SchemaKey,
    schema: Arc<StatusSchema>,
    read: Instant,
}

impl Schemas {
    /// The schema of the status of `kind`; any value for a built-in kind.
    pub fn get(&self, kind: Kind) -> Arc<StatusSchema> {
        self.known.get(&kind).map(|known| Arc::clone(&known.schema)).unwrap_or_default()
    }

    /// Whether the schema of every served kind is known.
    pub fn are_known(&self, served: &ServedKinds) -> bool {
        keys(served).all(|(kind, _)| self.known.contains_key(&kind))
    }

    /// The kinds whose schema must be read.
    pub fn missing(&self, served: &ServedKinds, now: Instant) -> Vec<(Kind, SchemaKey)> {
        let is_known = |kind: Kind, key: SchemaKey| {
            self.known.get(&kind).is_some_and(|known| {
                known.key == key && !(self.suspicious.contains(&kind) && known.read + REFRESH < now)
            })
        };
        keys(served).filter(|(kind, key)| !is_known(*kind, *key)).collect()
    }

    /// Sets a schema. Returns whether it differs from the known one.
    pub fn set(&mut self, kind: Kind, key: SchemaKey, schema: StatusSchema, now: Instant) -> bool {
        self.suspicious.remove(&kind);
        let is_same = self.known.get(&kind).is_some_and(|known| *known.schema == schema);
        self.known.insert(kind, KnownSchema { key, schema: Arc::new(schema), read: now });
        !is_same
    }

    /// Records that the stored status of an object is not what was written.
    pub fn suspect(&mut self, kind: Kind) {
        if kind.is_custom() {
            self.suspicious.insert(kind);
        }
    }
}

fn keys(served: &ServedKinds) -> impl Iterator<Item = (Kind, SchemaKey)> {
    let kinds = KINDS.iter().filter(|kind| kind.is_custom());
    kinds.filter_map(|kind| Some((kind, (served.version(kind)?, served.schema(kind)))))
}

#[derive(Deserialize)]
struct Crd {
    spec: CrdSpec,
}

#[derive(Deserialize)]
struct CrdSpec {
    versions: Vec<CrdVersion>,
}

#[derive(Deserialize)]
struct CrdVersion {
    name: String,
    #[serde(default)]
    schema: CrdSchema,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CrdSchema {
    #[serde(rename = "openAPIV3Schema")]
    root: RootSchema,
}

/// The top of a schema, of which only the status is read into memory.
#[derive(Deserialize, Default)]
#[serde(default)]
struct RootSchema {
    properties: RootProperties,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RootProperties {
    status: Option<Value>,
}

/// Reads the schema of the status of `kind`. Where the CRD is not readable (RBAC), any value is taken to be stored as it is.
pub async fn read_or_any(client: &Client, kind: Kind, version: ServedVersion) -> Result<StatusSchema, RequestError> {
    match read(client, kind, version).await {
        Err(RequestError::Forbidden(message)) => {
            tracing::warn!(%kind, error = message, "the CRD is not readable; fields that its schema lacks are not left out of a status");
            Ok(StatusSchema::Any)
        }
        read => read,
    }
}

/// Reads the schema of the status of `kind`.
pub async fn read(client: &Client, kind: Kind, version: ServedVersion) -> Result<StatusSchema, RequestError> {
    let api = kind.api();
    let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{}.{}", api.plural, api.group);
    let get =
        Request::get(path).body(Vec::new()).map_err(|error| RequestError::NoAnswer(kube::Error::HttpError(error)))?;
    match request(client.request_text(get)).await {
        Ok(text) => of_crd(&text, version).map_err(|error| RequestError::NoAnswer(kube::Error::SerdeError(error))),
        Err(RequestError::NotFound(_)) => Ok(StatusSchema::Any),
        Err(error) => Err(error),
    }
}

fn of_crd(text: &str, ServedVersion(version): ServedVersion) -> serde_json::Result<StatusSchema> {
    let crd: Crd = serde_json::from_str(text)?;
    let of_version = crd.spec.versions.into_iter().find(|offered| offered.name == version);
    let status = of_version.and_then(|version| version.schema.root.properties.status);
    Ok(status.map_or(StatusSchema::Any, |status| StatusSchema::of(&status)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_schema_is_that_of_the_served_version() {
        let version = |name: &str, field: &str| {
            let status = json!({"type": "object", "properties": {field: {"type": "string"}}});
            json!({"name": name, "schema": {"openAPIV3Schema": {"properties": {"status": status, "spec": {}}}}})
        };
        let crd = json!({"spec": {"versions": [version("v1beta1", "old"), version("v1", "new")]}}).to_string();
        let mut status = json!({"old": "a", "new": "b"});
        of_crd(&crd, ServedVersion("v1")).expect("a CRD").project(&mut status);
        assert_eq!(status, json!({"new": "b"}));
        assert_eq!(of_crd(&crd, ServedVersion("v2")).expect("a CRD"), StatusSchema::Any);
    }
}
