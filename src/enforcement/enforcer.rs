//! `serve --enforce`: the replica that holds the Lease does what `portcullis arm` does, and does it again when an installer has set
//! `Ignore`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kube::Client;
use tokio::time::sleep;

use super::arm::{ArmError, ArmOptions, arm};
use super::disarmed::is_disarmed;
use super::ownership::disown;
use super::policy::{enforce, is_enforced, missing, name};
use super::{ENFORCER_TIMEOUT, FIELD_MANAGER};
use crate::lease::{Leadership, LeaseStatus};
use crate::request::{DEADLINE, RequestError};
use crate::telemetry::{EnforcementMetrics, LastFailure};
use crate::webhook_configuration::{Configuration, WebhookConfigurationStore};

/// How often the configuration is read.
const INTERVAL: Duration = Duration::from_secs(5);
/// How often the interval is doubled at most while enforcement is not possible.
const DOUBLINGS: u32 = 3;

/// What is known of enforcement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum EnforcementState {
    /// The configuration was not read yet, or the first proof is under way.
    #[default]
    Unknown,
    /// Every entry that may enforce has `Fail`.
    Enforced,
    /// Every entry that may enforce has `Fail`, except for these, which are missing.
    Incomplete(Vec<String>),
    /// It has `Ignore`, because of `portcullis disarm`.
    Disarmed,
    /// It has `Ignore`, and another replica is to set `Fail`: the one of this name, if there is one.
    Awaiting(Option<String>),
    /// It has `Ignore`, for this reason.
    NotEnforced(String),
}

/// What a replica has to do about a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// Nothing: it enforces.
    Keep,
    /// Nothing: an operator has stopped enforcement.
    Honor,
    /// Nothing: another replica sets `Fail`.
    Await,
    /// To prove that every replica answers, and to set `Fail`.
    Arm,
}

impl NextStep {
    /// What a replica that holds the Lease or not has to do about a configuration.
    pub fn of(read: &Configuration, leads: bool) -> Self {
        let has_entries = read.entries().iter().any(|entry| is_enforced(name(entry)));
        let is_owner = !disown(read, FIELD_MANAGER).is_empty();
        match enforce(read.entries()).is_empty() && has_entries {
            true if !leads || !is_owner || is_disarmed(read) => Self::Keep,
            _ if is_disarmed(read) => Self::Honor,
            _ if leads => Self::Arm,
            _ => Self::Await,
        }
    }
}

/// What an operator sees of enforcement. Clones show the same.
#[derive(Debug, Clone, Default)]
pub struct EnforcementStatus(Arc<Mutex<EnforcementState>>);

impl EnforcementStatus {
    /// What is known now.
    pub fn state(&self) -> EnforcementState {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn replace(&self, state: EnforcementState) -> EnforcementState {
        std::mem::replace(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner), state)
    }
}

/// What an operator chooses.
#[derive(Debug, Clone)]
pub struct EnforcerOptions {
    /// The name of the ValidatingWebhookConfiguration.
    pub configuration: String,
    /// The namespace of the canaries.
    pub namespace: String,
    /// The port of `/readyz` in each pod.
    pub health_port: u16,
}

/// Keeps a configuration at `Fail`.
pub struct Enforcer {
    client: Client,
    validating: WebhookConfigurationStore,
    options: ArmOptions,
    leadership: Leadership,
    status: EnforcementStatus,
    metrics: EnforcementMetrics,
    failure: LastFailure,
}

impl Enforcer {
    /// An enforcer that has not read anything yet, and what it will show. `client` must not repeat requests by itself.
    pub fn new(
        client: Client,
        options: EnforcerOptions,
        leadership: Leadership,
        metrics: EnforcementMetrics,
    ) -> (Self, EnforcementStatus) {
        let EnforcerOptions { configuration, namespace, health_port } = options;
        let [validating, _] = WebhookConfigurationStore::both(&client, &configuration);
        let options = ArmOptions {
            configuration,
            namespace,
            health_port,
            timeout: ENFORCER_TIMEOUT,
            request_deadline: DEADLINE,
            honors_disarm: true,
            is_dry_run: false,
        };
        let (status, failure) = (EnforcementStatus::default(), LastFailure::default());
        (Self { client, validating, options, leadership, status: status.clone(), metrics, failure }, status)
    }

    /// Proves and enforces, without end.
    pub async fn run(mut self) {
        let mut failures = 0;
        loop {
            let state = self.look().await;
            failures = if matches!(state, EnforcementState::NotEnforced(_)) { failures + 1 } else { 0 };
            self.show(state);
            tokio::select! {
                () = sleep(INTERVAL * 2_u32.pow(failures.min(DOUBLINGS))) => {}
                () = self.leadership.changed() => {}
            }
        }
    }

    /// Reads the configuration and does what is due.
    async fn look(&self) -> EnforcementState {
        let name = &self.options.configuration;
        let read = match self.validating.read().await {
            Ok(Some(read)) => read,
            Ok(None) => {
                return EnforcementState::NotEnforced(format!("ValidatingWebhookConfiguration {name} not found"));
            }
            Err(error) => return EnforcementState::NotEnforced(unreadable(name, error)),
        };
        match NextStep::of(&read, self.leadership.is_leader()) {
            NextStep::Keep => match missing(read.entries()) {
                names if names.is_empty() => EnforcementState::Enforced,
                names => EnforcementState::Incomplete(names),
            },
            NextStep::Honor => EnforcementState::Disarmed,
            NextStep::Await => self.awaiting(),
            NextStep::Arm => self.arm().await,
        }
    }

    fn awaiting(&self) -> EnforcementState {
        EnforcementState::Awaiting(match self.leadership.status() {
            LeaseStatus::LedBy(name) => Some(name),
            _ => None,
        })
    }

    /// Proves that every replica answers, and sets `Fail`, as long as this replica holds the Lease.
    async fn arm(&self) -> EnforcementState {
        match self.leadership.write(arm(&self.client, &self.options)).await {
            Ok(Ok(armed)) => {
                let replicas = armed.proof.replicas().collect::<Vec<_>>().join(", ");
                tracing::info!(replicas, "failurePolicy set to Fail, after each replica denied a dry run");
                EnforcementState::Enforced
            }
            Ok(Err(ArmError::Disarmed)) => EnforcementState::Disarmed,
            Ok(Err(error)) => EnforcementState::NotEnforced(error.details()),
            Err(_) => self.awaiting(),
        }
    }

    /// Shows the state, and logs it if it is new.
    fn show(&mut self, state: EnforcementState) {
        self.metrics.enforced(state == EnforcementState::Enforced);
        match &state {
            EnforcementState::NotEnforced(reason) => {
                if self.failure.record(reason) {
                    tracing::warn!(reason, "enforcement is not possible; retrying");
                }
            }
            _ => _ = self.failure.clear(),
        }
        let disarmed = state == EnforcementState::Disarmed;
        if self.status.replace(state) != EnforcementState::Disarmed && disarmed {
            tracing::warn!("not enforced because of `portcullis disarm`; `portcullis arm` ends that");
        }
    }
}

fn unreadable(name: &str, error: RequestError) -> String {
    let right = matches!(error, RequestError::Forbidden(_));
    let remedy = if right { "; apply the component `enforce`, or set the chart value `enforce`" } else { "" };
    format!("ValidatingWebhookConfiguration {name} cannot be read: {}{remedy}", error.explain())
}
