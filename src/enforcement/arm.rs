//! `portcullis arm`: proves that every replica answers, and only then sets `failurePolicy: Fail`.

use std::time::Duration;

use kube::Client;
use thiserror::Error;
use tokio::time::{Instant, sleep, timeout_at};

use super::FIELD_MANAGER;
use super::callee::{Callee, Unenforceable};
use super::canary::{Attempt, Canary, ELSEWHERE, is_denied_by_others};
use super::disarmed::{erase, is_disarmed};
use super::ownership::give_up;
use super::policy::{PolicyChange, enforce, is_armed};
use super::proof::{Gap, NotProven, Proof};
use super::replicas::Replicas;
use crate::request::RequestError;
use crate::webhook_configuration::{Configuration, WebhookConfigurationStore};

/// How long to wait after a canary that has shown nothing new.
const PAUSE: Duration = Duration::from_millis(100);
/// How often to begin again because the configuration was changed during the proof, or the API server did not answer the patch.
const ROUNDS: usize = 3;

/// What an operator chooses.
#[derive(Debug, Clone)]
pub struct ArmOptions {
    /// The name of the ValidatingWebhookConfiguration.
    pub configuration: String,
    /// The namespace of the canaries.
    pub namespace: String,
    /// How long canaries are sent.
    pub timeout: Duration,
    /// How long one request may take.
    pub request_deadline: Duration,
    /// The port of `/readyz` in each pod, for advice.
    pub health_port: u16,
    /// Whether nothing is changed if an operator has stopped enforcement. Otherwise the record of that is removed.
    pub honors_disarm: bool,
    /// Whether only to prove it, and to change nothing.
    pub is_dry_run: bool,
}

/// What was proven and set.
#[derive(Debug)]
pub struct Armed {
    /// The replicas that have denied a canary.
    pub proof: Proof,
    /// The entries that were changed, or would be.
    pub changes: Vec<PolicyChange>,
}

/// Why nothing was set.
#[derive(Debug, Error)]
pub enum ArmError {
    /// There is nothing to enforce.
    #[error("ValidatingWebhookConfiguration {0} not found; install Portcullis first")]
    NotInstalled(String),
    /// No canary can prove anything.
    #[error("ValidatingWebhookConfiguration {0}: {1}")]
    Unenforceable(String, #[source] Unenforceable),
    /// An operator has stopped enforcement.
    #[error("`portcullis disarm` has stopped enforcement; run `portcullis arm`")]
    Disarmed,
    /// A replica did not answer.
    #[error(transparent)]
    NotProven(Box<NotProven>),
    /// Something other than a webhook denies every canary.
    #[error(
        "the canary in namespace {namespace} is not denied by Portcullis but by something else: {message}; {ELSEWHERE}"
    )]
    DeniedByOthers {
        /// The namespace of the canaries.
        namespace: String,
        /// What the API server says.
        message: String,
    },
    /// The configuration was changed during each proof.
    #[error(
        "ValidatingWebhookConfiguration {0} was changed by another writer during the proof; run `portcullis arm` again"
    )]
    Changed(String),
    /// A request failed.
    #[error("{0}: {1}")]
    Request(&'static str, String),
}

impl ArmError {
    /// Whether the cluster was examined and is not ready to enforce. Otherwise it could not be examined.
    pub fn is_refusal(&self) -> bool {
        !matches!(self, Self::Request(..))
    }

    /// The error and what is known of its cause, in one line.
    pub fn details(&self) -> String {
        let advice = match self {
            Self::NotProven(missing) => missing.advice(),
            _ => Vec::new(),
        };
        std::iter::once(self.to_string()).chain(advice).collect::<Vec<_>>().join("; ")
    }
}

/// Sends canaries until every replica has denied one, and then sets `failurePolicy: Fail` in the entries that may enforce. What was
/// proven is the configuration that is patched: if it changes meanwhile, everything is proven again. A dry run ends with the proof.
pub async fn arm(client: &Client, options: &ArmOptions) -> Result<Armed, ArmError> {
    let [validating, _] = WebhookConfigurationStore::both(client, &options.configuration);
    let validating = validating.within(options.request_deadline);
    let deadline = Instant::now() + options.timeout;
    let mut failure = ArmError::Changed(options.configuration.clone());
    for _ in 0..ROUNDS {
        let (read, callee) = read(&validating, options, deadline).await?;
        if options.honors_disarm && is_disarmed(&read) {
            return Err(ArmError::Disarmed);
        }
        let proof = prove(client, options, (callee, is_armed(read.entries())), deadline).await?;
        let changes = enforce(read.entries());
        if options.is_dry_run {
            return Ok(Armed { proof, changes });
        }
        let operations: Vec<_> = changes.iter().flat_map(PolicyChange::operations).chain(erase(&read)).collect();
        let patched = match operations.is_empty() {
            true => Ok(()),
            false => validating.patch(&read, operations, FIELD_MANAGER).await,
        };
        match patched {
            Ok(()) => {
                let given_up = give_up(&validating, FIELD_MANAGER).await;
                given_up.map_err(|error| failed("failurePolicy is set, but its ownership was not given up", error))?;
                return Ok(Armed { proof, changes });
            }
            Err(RequestError::Conflict) => failure = ArmError::Changed(options.configuration.clone()),
            Err(error) if error.is_transient() => failure = failed("failurePolicy cannot be set", error),
            Err(error) => return Err(failed("failurePolicy cannot be set", error)),
        }
    }
    Err(failure)
}

/// Reads the configuration. In a fresh installation, its caBundle comes a moment later.
async fn read(
    store: &WebhookConfigurationStore,
    options: &ArmOptions,
    deadline: Instant,
) -> Result<(Configuration, Callee), ArmError> {
    let name = || options.configuration.clone();
    loop {
        let read = match store.read().await {
            Ok(read) => read.ok_or_else(|| ArmError::NotInstalled(name()))?,
            Err(error) if error.is_transient() && Instant::now() < deadline => {
                sleep(PAUSE).await;
                continue;
            }
            Err(error) => return Err(failed("the webhooks cannot be read", error)),
        };
        match Callee::of(read.entries()) {
            Ok(callee) => return Ok((read, callee)),
            Err(Unenforceable::NoBundle(_)) if Instant::now() < deadline => sleep(PAUSE).await,
            Err(why) => return Err(ArmError::Unenforceable(name(), why)),
        }
    }
}

/// Sends canaries until every replica that is ready then has denied one.
async fn prove(
    client: &Client,
    options: &ArmOptions,
    (callee, is_armed): (Callee, bool),
    deadline: Instant,
) -> Result<Proof, ArmError> {
    let canary = Canary::new(client, &options.namespace);
    let canary = canary.map_err(|error| ArmError::Request("no canary can be sent", error.to_string()))?;
    let mut proof = Proof::default();
    loop {
        let replicas = match Replicas::of(client, &callee).await {
            Ok(replicas) => replicas,
            Err(error) if error.is_transient() && Instant::now() < deadline => {
                sleep(PAUSE).await;
                continue;
            }
            Err(error) => return Err(failed("the EndpointSlices cannot be read", error)),
        };
        let Some(gap) = proof.gap(&replicas) else { return Ok(proof) };
        if Instant::now() >= deadline {
            let ArmOptions { namespace, timeout, health_port, .. } = options.clone();
            let strangers = proof.strangers(&replicas);
            let missing = NotProven { callee, is_armed, gap, proof, strangers, namespace, timeout, health_port };
            return Err(ArmError::NotProven(Box::new(missing)));
        }
        let is_new = gap != Gap::NoReplica && proof.observe(send(&canary, &options.namespace, deadline).await?);
        if !is_new {
            sleep(PAUSE).await;
        }
    }
}

async fn send(canary: &Canary, namespace: &str, deadline: Instant) -> Result<Attempt, ArmError> {
    match timeout_at(deadline, canary.send()).await {
        Ok(Ok(attempt)) => Ok(attempt),
        Ok(Err(kube::Error::Api(status))) if is_denied_by_others(status.code, &status.message) => {
            Err(ArmError::DeniedByOthers { namespace: namespace.to_owned(), message: status.message.clone() })
        }
        Ok(Err(error)) => Err(ArmError::Request("no canary can be sent", error.to_string())),
        Err(_) => Ok(Attempt::Unanswered),
    }
}

fn failed(what: &'static str, error: RequestError) -> ArmError {
    ArmError::Request(what, error.explain())
}
