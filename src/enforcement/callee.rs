//! How the API server calls the entries that may enforce.

use std::fmt;

use serde_json::Value;
use thiserror::Error;

use super::policy::{is_enforced, name};
use crate::manifests::ingress_entry;

/// What the API server calls for each entry that may enforce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Callee {
    /// A Service, whose endpoints are the replicas.
    Service {
        /// The namespace of the Service.
        namespace: String,
        /// The name of the Service.
        name: String,
    },
    /// A URL, with one server behind it.
    Url(String),
}

/// Why no canary can prove anything about the entries.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum Unenforceable {
    /// No entry receives the canary.
    #[error("entry {0} not found, which the canary needs; apply manifests/webhooks")]
    NoEntry(String),
    /// What the canary proves of the first entry would not hold for the second one.
    #[error("entries {0} and {1} have different clientConfigs, and a canary proves only one; apply manifests/webhooks")]
    DifferentCallees(String, String),
    /// The API server does not know what to call.
    #[error("entry {0} has neither a Service nor a URL; apply manifests/webhooks")]
    NoCallee(String),
    /// The API server trusts no certificate of the webhook.
    #[error("entry {0} has no caBundle; see `certificate` in /readyz?verbose of a replica")]
    NoBundle(String),
}

impl Callee {
    /// The callee of the entry that receives the canary, if all other entries that may enforce are called in the same way.
    pub fn of(entries: &[Value]) -> Result<Self, Unenforceable> {
        let canary = ingress_entry();
        let entry = entries.iter().find(|entry| name(entry) == canary);
        let config = &entry.ok_or_else(|| Unenforceable::NoEntry(canary.clone()))?["clientConfig"];
        let mut others = entries.iter().filter(|entry| is_enforced(name(entry)));
        if let Some(other) = others.find(|other| other["clientConfig"] != *config) {
            return Err(Unenforceable::DifferentCallees(canary, name(other).to_owned()));
        }
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let service = &config["service"];
        match (text(&service["namespace"]), text(&service["name"]), text(&config["url"])) {
            // A URL may have a certificate that the API server trusts anyway, but the name of a Service never does.
            (Some(_), Some(_), _) if !has_bundle(config) => Err(Unenforceable::NoBundle(canary)),
            (Some(namespace), Some(name), _) => Ok(Self::Service { namespace, name }),
            (_, _, Some(url)) => Ok(Self::Url(url)),
            _ => Err(Unenforceable::NoCallee(canary)),
        }
    }
}

fn has_bundle(config: &Value) -> bool {
    config["caBundle"].as_str().is_some_and(|bundle| !bundle.is_empty())
}

impl fmt::Display for Callee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Service { namespace, name } => write!(f, "Service {namespace}/{name}"),
            Self::Url(url) => f.write_str(url),
        }
    }
}
