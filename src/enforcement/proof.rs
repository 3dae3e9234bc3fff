//! What the canaries have shown so far, and what an operator does if that is not enough.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use thiserror::Error;

use super::callee::Callee;
use super::canary::{Attempt, ELSEWHERE};
use super::replicas::Replicas;

/// The replicas that have denied a canary, and how the last canary ended that was answered.
#[derive(Debug, Clone, Default)]
pub struct Proof {
    denied_by: BTreeSet<String>,
    last: Option<Attempt>,
}

/// What is missing in a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gap {
    /// There is no ready replica that could answer.
    NoReplica,
    /// The server behind the URL has not answered.
    Server,
    /// These replicas have not answered.
    Replicas(BTreeSet<String>),
}

impl Proof {
    /// Takes in how a canary ended. Returns whether a replica has answered for the first time.
    pub fn observe(&mut self, attempt: Attempt) -> bool {
        let is_new = matches!(&attempt, Attempt::Denied(replica) if self.denied_by.insert(replica.clone()));
        // The last canary is often cut off, and says less than the one before.
        if attempt != Attempt::Unanswered || self.last.is_none() {
            self.last = Some(attempt);
        }
        is_new
    }

    /// What is missing as long as these are the replicas.
    pub fn gap(&self, replicas: &Replicas) -> Option<Gap> {
        match replicas {
            Replicas::BehindUrl => self.denied_by.is_empty().then_some(Gap::Server),
            Replicas::Ready(ready) if ready.is_empty() => Some(Gap::NoReplica),
            Replicas::Ready(ready) => {
                let silent: BTreeSet<String> = ready.difference(&self.denied_by).cloned().collect();
                (!silent.is_empty()).then_some(Gap::Replicas(silent))
            }
        }
    }

    /// The replicas that have denied a canary and are not among `replicas`.
    pub fn strangers(&self, replicas: &Replicas) -> BTreeSet<String> {
        match replicas {
            Replicas::BehindUrl => BTreeSet::new(),
            Replicas::Ready(ready) => self.denied_by.difference(ready).cloned().collect(),
        }
    }

    /// The replicas that have denied a canary.
    pub fn replicas(&self) -> impl Iterator<Item = &str> {
        self.denied_by.iter().map(String::as_str)
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoReplica => f.write_str("no replica is ready"),
            Self::Server => f.write_str("no replica has denied a canary"),
            Self::Replicas(silent) => write!(f, "no canary was denied by {}", list(silent)),
        }
    }
}

fn list(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// A proof that was not complete in time.
#[derive(Debug, Clone, Error)]
#[error("{callee}: {gap} within {timeout:?}")]
pub struct NotProven {
    /// What was called.
    pub callee: Callee,
    /// Whether writes are denied while it does not answer.
    pub is_armed: bool,
    /// What is missing.
    pub gap: Gap,
    /// What was shown.
    pub proof: Proof,
    /// The replicas that have denied a canary although they need not.
    pub strangers: BTreeSet<String>,
    /// The namespace of the canaries.
    pub namespace: String,
    /// How long canaries were sent.
    pub timeout: Duration,
    /// The port of `/readyz` in each pod.
    pub health_port: u16,
}

impl NotProven {
    /// What is known of the cause, and what to look at.
    pub fn advice(&self) -> Vec<String> {
        self.cause().into_iter().chain(self.unnamed()).chain(self.look_at()).chain(self.way_out()).collect()
    }

    fn cause(&self) -> Option<String> {
        match self.proof.last.as_ref()? {
            Attempt::Denied(_) => None,
            Attempt::Unanswered => Some("the API server has not answered any canary".to_owned()),
            Attempt::Failed(message) if message.starts_with("admission webhook ") => {
                Some(format!("the last canary failed: {message}; {ELSEWHERE}"))
            }
            Attempt::Failed(message) => Some(format!("the last canary failed: {message}")),
            Attempt::Admitted => Some(format!(
                "the last canary was admitted: the API server could not call the webhook (its log says `failing open`), or the \
                 webhook exempts namespace {}; set --namespace to one that is checked",
                self.namespace
            )),
        }
    }

    fn way_out(&self) -> Option<String> {
        self.is_armed.then(|| "failurePolicy is already Fail; to stop enforcement: portcullis disarm".to_owned())
    }

    fn unnamed(&self) -> Option<String> {
        let Self { callee, strangers, .. } = self;
        let names = list(strangers);
        let why = "if it is one, set POD_NAME as in manifests/deployment.yaml";
        (!strangers.is_empty()).then(|| format!("{names} denied a canary, but is not a ready pod of {callee}; {why}"))
    }

    fn look_at(&self) -> Vec<String> {
        match (&self.gap, &self.callee) {
            (Gap::Replicas(silent), Callee::Service { namespace, .. }) => {
                let port = self.health_port;
                let path = |pod: &String| {
                    format!("/api/v1/namespaces/{namespace}/pods/http:{pod}:{port}/proxy/readyz?verbose")
                };
                silent.iter().map(|pod| format!("look at {pod}: kubectl get --raw '{}'", path(pod))).collect()
            }
            (_, Callee::Service { namespace, .. }) => {
                vec![format!("look at the pods: kubectl get pods --namespace {namespace}")]
            }
            (_, Callee::Url(_)) => vec!["look at /readyz?verbose of the server".to_owned()],
        }
    }
}
