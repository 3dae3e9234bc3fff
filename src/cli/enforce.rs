//! Enforcement by `portcullis serve`: its options, and what `/readyz` shows of it.

use clap::Args;

use super::ClusterArgs;
use crate::enforcement::{EnforcementState, EnforcementStatus, Enforcer, EnforcerOptions};
use crate::lease::Leadership;
use crate::runtime::Supervisor;
use crate::server::{HealthCondition, Level};
use crate::telemetry::EnforcementMetrics;

/// The options of enforcement.
#[derive(Debug, Args)]
pub struct EnforceArgs {
    /// Deny writes while no replica answers: set `failurePolicy: Fail` as `portcullis arm` does, once every replica has denied a dry
    /// run, and again after an installer has set `Ignore`; but not after `portcullis disarm`.
    #[arg(long, group = "webhook_writer")]
    enforce: bool,
    /// With --enforce: the namespace of the dry runs, which the webhooks must not exempt.
    #[arg(long, value_name = "NAMESPACE", default_value = "default", requires = "enforce")]
    enforce_namespace: String,
}

impl EnforceArgs {
    /// Whether this process enforces, which needs an election.
    pub fn is_given(&self) -> bool {
        self.enforce
    }

    /// Keeps the webhook configuration of this name at `Fail` while this replica leads. Returns what `/readyz` shows of it.
    pub async fn start(
        &self,
        (configuration, health_port): (&str, u16),
        cluster: &ClusterArgs,
        leadership: Leadership,
        metrics: EnforcementMetrics,
        supervisor: &mut Supervisor,
    ) -> anyhow::Result<impl Fn() -> Vec<HealthCondition> + use<>> {
        let options = EnforcerOptions {
            configuration: configuration.to_owned(),
            namespace: self.enforce_namespace.clone(),
            health_port,
        };
        let (enforcer, status) = Enforcer::new(cluster.watching_client().await?, options, leadership, metrics);
        supervisor.spawn("enforcement", async move { enforcer.run().await });
        Ok(move || vec![condition(&status)])
    }
}

/// Reviews are answered whether or not it is enforced that they are made.
fn condition(status: &EnforcementStatus) -> HealthCondition {
    let (level, message) = match status.state() {
        EnforcementState::Unknown => (Level::Ok, "not known yet".to_owned()),
        EnforcementState::Enforced => (Level::Ok, "failurePolicy is Fail".to_owned()),
        EnforcementState::Incomplete(entries) => {
            let (noun, verb) = if entries.len() == 1 { ("entry", "is") } else { ("entries", "are") };
            let which = entries.join(", ");
            (
                Level::Degraded,
                format!("failurePolicy is Fail, but {noun} {which} {verb} missing: apply the installation again"),
            )
        }
        EnforcementState::Disarmed => (
            Level::Degraded,
            "failurePolicy is Ignore since `portcullis disarm`; `portcullis arm` enforces again".to_owned(),
        ),
        EnforcementState::Awaiting(leader) => {
            let leader = leader.map_or_else(
                || "no replica is known to lead".to_owned(),
                |name| format!("see this line of {name}, which leads"),
            );
            (Level::Degraded, format!("failurePolicy is Ignore; {leader}"))
        }
        EnforcementState::NotEnforced(reason) => {
            (Level::Degraded, format!("failurePolicy is not set to Fail: {reason}"))
        }
    };
    HealthCondition { name: "enforcement".to_owned(), level, message }
}
