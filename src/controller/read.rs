//! Reads Secrets and ConfigMaps by their names. What is read is dropped where it is parsed: only facts without anything secret leave
//! this module.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use http::Request;
use kube::Client;
use serde_json::Value;
use tokio::task::JoinSet;

use super::pace::TokenBucket;
use super::references::References;
use crate::files::{config_map_facts, secret_facts};
use crate::request::{RequestError, request};
use crate::telemetry::{ReadKind, StatusMetrics};
use portcullis_core::cluster::{ConfigMapFacts, ReadFacts, ReadFailure, ReadKey, ReadObject};
use portcullis_core::names::is_subdomain;

/// The number of reads in a second.
const RATE: u32 = 100;
/// The number of reads under way at once, each of an object of at most 1 MiB.
const IN_FLIGHT: usize = 8;

/// An object, and what reading it has shown; `None` without an answer about it.
pub type Read = (Arc<ReadKey>, Option<ReadObject>);

/// The reads under way.
pub struct Reader {
    client: Client,
    metrics: StatusMetrics,
    pace: TokenBucket,
    reads: JoinSet<Read>,
}

impl Reader {
    /// No reads yet. `client` should not retry by itself.
    pub fn new(client: Client, metrics: StatusMetrics, now: Instant) -> Self {
        Self { client, metrics, pace: TokenBucket::new(RATE, now), reads: JoinSet::new() }
    }

    /// Starts the reads that are due. Returns how long to wait for the next one.
    pub fn start(&mut self, references: &mut References, now: Instant) -> Option<Duration> {
        while self.reads.len() < IN_FLIGHT {
            let due = references.next_due()?;
            if due > now {
                return Some(due - now);
            }
            if let Err(wait) = self.pace.take(now) {
                return Some(wait);
            }
            let (client, metrics, key) = (self.client.clone(), self.metrics.clone(), references.take()?);
            self.reads.spawn(async move {
                // The panic itself is in the log.
                let read = AssertUnwindSafe(read(client, &metrics, &key)).catch_unwind().await;
                (key, read.unwrap_or_default())
            });
        }
        None
    }

    /// The next read that ends; `None` if none is under way.
    pub async fn ended(&mut self) -> Option<Read> {
        self.reads.join_next().await?.ok()
    }

    /// A read that has ended.
    pub fn try_ended(&mut self) -> Option<Read> {
        self.reads.try_join_next()?.ok()
    }
}

async fn read(client: Client, metrics: &StatusMetrics, key: &Arc<ReadKey>) -> Option<ReadObject> {
    let (kind, resource, (namespace, name)) = match &**key {
        ReadKey::Secret(name) => (ReadKind::Secret, "secrets", name),
        ReadKey::ConfigMap(name) => (ReadKind::ConfigMap, "configmaps", name),
        _ => return Some(ReadObject::Absent),
    };
    // The schema of a reference allows names that no object can have, and that would lead to another path.
    if !is_subdomain(namespace) || !is_subdomain(name) {
        return Some(ReadObject::Absent);
    }
    let got = get(client, format!("/api/v1/namespaces/{namespace}/{resource}/{name}"), kind).await;
    metrics.read(kind, got.as_ref().is_err_and(|error| !matches!(error, RequestError::NotFound(_))));
    match got {
        Ok(read) => Some(read),
        Err(RequestError::NotFound(_)) => Some(ReadObject::Absent),
        Err(RequestError::Forbidden(error)) => {
            tracing::debug!(?key, error, "this object may not be read (RBAC)");
            Some(ReadObject::Unreadable(ReadFailure::Forbidden))
        }
        Err(error) => {
            tracing::debug!(?key, %error, "this object could not be read; retrying");
            None
        }
    }
}

async fn get(client: Client, path: String, kind: ReadKind) -> Result<ReadObject, RequestError> {
    let get =
        Request::get(path).body(Vec::new()).map_err(|error| RequestError::NoAnswer(kube::Error::HttpError(error)))?;
    let text = request(client.request_text(get)).await?;
    // A large key takes milliseconds to check.
    let facts = tokio::task::spawn_blocking(move || facts(kind, &text)).await;
    let facts = facts.map_err(|_| RequestError::Unavailable("internal error; see the panic in the log".to_owned()))?;
    facts.map(ReadObject::Found).map_err(|error| RequestError::NoAnswer(kube::Error::SerdeError(error)))
}

/// The facts of an object. No status depends on the names on a certificate, so they are not kept.
fn facts(kind: ReadKind, text: &str) -> serde_json::Result<ReadFacts> {
    let object: Value = serde_json::from_str(text)?;
    Ok(match kind {
        ReadKind::Secret => ReadFacts::Secret(secret_facts(&object).without_names()),
        ReadKind::ConfigMap => {
            ReadFacts::ConfigMap(ConfigMapFacts { settings: Box::default(), ..config_map_facts(&object) })
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use portcullis_core::cluster::DataEntry;

    #[test]
    fn secret_facts_keep_neither_content_nor_names() {
        let pair = rcgen::generate_simple_self_signed(["shop.example.com".to_owned()]).expect("a certificate");
        let (certificate, key) = (pair.cert.pem(), pair.signing_key.serialize_pem());
        let data = json!({"tls.crt": certificate, "tls.key": key});
        let secret = json!({"type": "kubernetes.io/tls", "stringData": data}).to_string();
        let ReadFacts::Secret(facts) = facts(ReadKind::Secret, &secret).expect("JSON") else {
            panic!("facts of a Secret")
        };
        assert!(facts.speaks_tls());
        assert_eq!((facts.certificate, facts.key), (DataEntry::Read(Box::default()), DataEntry::Read(())));
    }

    #[tokio::test]
    async fn a_name_that_no_object_can_have_is_not_asked_for() {
        let config = kube::Config::new(http::Uri::from_static("http://127.0.0.1:1"));
        let client = Client::try_from(config).expect("a client");
        let (metrics, key) =
            (StatusMetrics::default(), |name: &str| Arc::new(ReadKey::Secret(("web".into(), name.into()))));
        assert_eq!(read(client.clone(), &metrics, &key("../../../nodes/a")).await, Some(ReadObject::Absent));
        assert_eq!(metrics.reads(ReadKind::Secret), (0, 0));
        assert_eq!(read(client, &metrics, &key("cert")).await, None, "nothing answers");
        assert_eq!((metrics.reads(ReadKind::Secret), metrics.reads(ReadKind::ConfigMap)), ((1, 1), (0, 0)));
    }
}
