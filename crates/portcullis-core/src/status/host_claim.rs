//! The status of a HostClaim: whether its host belongs to its namespace.

use super::{Condition, ConditionStatus, Conditions, DesiredStatus, StatusContext};
use crate::cluster::Lookup;
use crate::cluster::host_claims::HostClaimFacts;
use crate::cluster::ownership::Obstacle;
use crate::kinds::HostClaim;

/// The condition of HostClaims and HostRequests.
pub(super) const GRANTED: &str = "Granted";

/// The status of a claim.
pub fn of(claim: &HostClaim<'_>, context: &StatusContext<'_>) -> DesiredStatus {
    let facts = HostClaimFacts::of(claim);
    let (host, namespace) = (&claim.spec.host, &claim.spec.namespace);
    let condition = match context.ownership.obstacle_to(&facts, &context.cluster) {
        Lookup::Absent => {
            Condition::new(GRANTED, true, "Granted", format!("host {host} belongs to namespace {namespace}"))
        }
        Lookup::Unknown => {
            let message = "it is not known whether the host belongs to another namespace";
            Condition::new(GRANTED, ConditionStatus::Unknown, "Pending", message)
        }
        Lookup::Found(obstacle) => without_effect(&obstacle),
    };
    of_condition(claim.metadata.generation.0, condition)
}

/// The condition of a claim that has no effect. Only the platform reads HostClaims, so it names the owner.
fn without_effect(obstacle: &Obstacle<'_>) -> Condition {
    let (reason, message) = match obstacle {
        Obstacle::Ignored => {
            ("Pending", "the configuration ignores HostClaims for this host: set hostOwnership.claims".to_owned())
        }
        Obstacle::Entry { host, by, .. } => {
            ("Conflicted", format!("the entry {host} of hostOwnership gives the host to {by}"))
        }
        Obstacle::Claim(wider) => (
            "Conflicted",
            format!("the older HostClaim {} gives the host to namespace {}", wider.name, wider.namespace),
        ),
    };
    Condition::new(GRANTED, false, reason, message)
}

/// The status with just this condition.
pub(super) fn of_condition(generation: Option<i64>, condition: Condition) -> DesiredStatus {
    let mut conditions = Conditions::default();
    conditions.add(condition);
    DesiredStatus { generation, conditions, ..DesiredStatus::default() }
}
