//! The status of a BackendTLSPolicy: one entry for each Gateway of this controller through which a route reaches a
//! Service that the policy targets.

mod ancestors;
mod authorities;

use ancestors::{Ancestor, Ancestors};
use authorities::Authorities;

use super::{Condition, ConditionStatus, DesiredStatus, Entries, OwnEntries, ParentEntry, StatusContext};
use crate::checks::content;
use crate::finding::Finding;
use crate::kinds::reference::TargetRef;
use crate::kinds::{BackendTlsPolicy, Object};
use crate::message::render_list;
use crate::routing::policy_conflict;
use crate::routing::policy_target::{self, MissingTarget};

/// The type of the condition.
const ACCEPTED: &str = "Accepted";

/// The status of `policy`, which `object` is.
pub fn of(object: &Object<'_>, policy: &BackendTlsPolicy<'_>, context: &StatusContext<'_>) -> DesiredStatus {
    let Ancestors { all, is_complete } = Ancestors::of(policy, context);
    let mut entries = Vec::with_capacity(all.len());
    if !all.is_empty() {
        let faults = content::faults(object, &context.cluster, context.config);
        let authorities = Authorities::of(policy, context);
        for ancestor in &all {
            let accepted = accepted(policy, ancestor, &faults, &authorities, context);
            let conditions = vec![accepted, authorities.resolved_refs()].into();
            entries.push(ParentEntry { reference: ancestor.reference(), conditions });
        }
    }
    let controller = context.settings().controller_name.value.clone();
    let entries = Some(Entries::Ancestors(OwnEntries { controller, entries, is_complete }));
    DesiredStatus { generation: policy.metadata.generation.0, entries, ..DesiredStatus::default() }
}

/// Whether the policy applies to the backends behind `ancestor`.
fn accepted(
    policy: &BackendTlsPolicy<'_>,
    ancestor: &Ancestor,
    faults: &[Finding],
    authorities: &Authorities,
    context: &StatusContext<'_>,
) -> Condition {
    if !faults.is_empty() {
        let faults: Vec<&Finding> = faults.iter().collect();
        return Condition::new(ACCEPTED, false, "Invalid", render_list(&faults));
    }
    if let Some(message) = authorities.unsupported_set() {
        return match context.is_specification() {
            true => Condition::new(ACCEPTED, ConditionStatus::Unknown, "Pending", message),
            false => Condition::new(ACCEPTED, false, "Invalid", message),
        };
    }
    let targets = policy.spec.target_refs.iter().filter(|target| ancestor.services.contains(&*target.name));
    let missing: Option<Vec<String>> = targets.clone().map(|target| missing(target, context)).collect();
    if let Some(messages) = missing {
        return Condition::new(ACCEPTED, false, "TargetNotFound", messages.join("; "));
    }
    let mut older =
        targets.filter_map(|target| Some((target, policy_conflict::older(policy, target, &context.cluster)?)));
    if let Some((target, older)) = older.next() {
        let message = format!(
            "{} also targets Service `{}` and takes precedence: remove the target from one of them",
            older.object_ref, target.name
        );
        return Condition::new(ACCEPTED, false, "Conflicted", message);
    }
    match authorities.is_any_valid() {
        Some(true) => Condition::new(ACCEPTED, true, ACCEPTED, "the policy is accepted"),
        Some(false) => {
            let message = "no reference to a certificate authority is valid, so no connection to the backend is made";
            Condition::new(ACCEPTED, false, "NoValidCACertificate", message)
        }
        None => {
            let message = "it is not known whether a certificate authority is valid; see ResolvedRefs";
            Condition::new(ACCEPTED, ConditionStatus::Unknown, "Pending", message)
        }
    }
}

/// Why a target does not exist; `None` if it does, or it is not known.
fn missing(target: &TargetRef<'_>, context: &StatusContext<'_>) -> Option<String> {
    let name = &target.name;
    let message = match policy_target::missing(target, &context.cluster)? {
        MissingTarget::Service => format!("Service `{name}` not found: the policy has no effect until it exists"),
        MissingTarget::Port(service) => {
            let section = target.section_name.as_deref().unwrap_or_default();
            format!("`{section}` is not a port name of Service `{name}` (it has {})", service.port_names())
        }
    };
    Some(message)
}
