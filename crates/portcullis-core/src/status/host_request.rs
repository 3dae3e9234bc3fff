//! The status of a HostRequest: whether objects of its namespace may serve the host, and why not.

use super::host_claim::{GRANTED, of_condition};
use super::{Condition, ConditionStatus, DesiredStatus, StatusContext};
use crate::cluster::host_requests::HostRequestFacts;
use crate::cluster::ownership::{Obstacle, RequestDecision};
use crate::kinds::HostRequest;

/// The status of a request. It is read by the tenants, so it names other namespaces only if the configuration reveals them.
pub fn of(request: &HostRequest<'_>, context: &StatusContext<'_>) -> DesiredStatus {
    let facts = HostRequestFacts::of(request);
    let (host, namespace, name) = (&request.spec.host, &facts.object_ref.namespace, &facts.object_ref.name);
    let pending = |message: String| Condition::new(GRANTED, false, "Pending", message);
    let condition = match context.ownership.decide_request(&facts, &context.cluster) {
        RequestDecision::Granted(Some(claim)) => {
            Condition::new(GRANTED, true, "Granted", format!("HostClaim {claim} gives host {host} to this namespace"))
        }
        RequestDecision::Granted(None) => {
            Condition::new(GRANTED, true, "Granted", format!("the configuration gives host {host} to this namespace"))
        }
        RequestDecision::Create => pending("the HostClaim is being created".to_owned()),
        RequestDecision::ByHand => pending(format!(
            "no rule of hostOwnership.grants grants host {host} to this namespace: ask the platform team to create HostClaim {name} with \
             namespace {namespace}"
        )),
        RequestDecision::LimitReached { count, limit } => pending(format!(
            "this namespace owns {count} HostClaims, and hostOwnership.grants allows {limit}: delete unused HostRequests, or ask the \
             platform team"
        )),
        RequestDecision::Served(object) => {
            let other = match context.config.reveal_other_namespaces {
                true => object.to_string(),
                false => "another namespace".to_owned(),
            };
            pending(format!("{other} serves host {host} already: ask the platform team to create HostClaim {name}"))
        }
        RequestDecision::OfOthers(obstacle) => {
            let owner = owner(&obstacle, context);
            let fix = "use another host, or ask the owner to list this namespace in alsoServedBy";
            Condition::new(GRANTED, false, "Conflicted", format!("host {host} belongs to {owner}: {fix}"))
        }
        RequestDecision::Ignored => pending("the configuration ignores HostClaims for this host".to_owned()),
        RequestDecision::Unknown => {
            let message = "it is not known yet whether the host belongs to another namespace";
            Condition::new(GRANTED, ConditionStatus::Unknown, "Pending", message)
        }
    };
    of_condition(request.metadata.generation.0, condition)
}

fn owner(obstacle: &Obstacle<'_>, context: &StatusContext<'_>) -> String {
    if !context.config.reveal_other_namespaces {
        return "another namespace".to_owned();
    }
    match obstacle {
        Obstacle::Claim(claim) => format!("namespace {} by HostClaim {}", claim.namespace, claim.name),
        Obstacle::Entry { host, by, .. } => format!("{by} by the entry {host} of hostOwnership"),
        Obstacle::Ignored => "another namespace".to_owned(),
    }
}
