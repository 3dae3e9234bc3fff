//! The status of an IngressRoute, as the design document prints it, with conditions beside it.

use serde_json::{Map, Value, json};

use super::{Condition, ConditionStatus, Conditions, DesiredStatus, StatusContext};
use crate::kinds::ObjectRef;
use crate::message::Disclosure;
use crate::routing::delegation::IngressRouteStatus;

/// The status of the IngressRoute at `object_ref`; `None` if there is no verdict on it.
pub fn of(object_ref: &ObjectRef, context: &StatusContext<'_>) -> Option<DesiredStatus> {
    let verdict = context.verdict(object_ref)?;
    let names = match context.config.reveal_other_namespaces {
        true => Disclosure::All,
        false => Disclosure::Namespace(&object_ref.namespace),
    };
    let status = IngressRouteStatus::of(verdict, names);
    let mut conditions = Conditions::default();
    for condition in &status.conditions {
        let is_true = ConditionStatus::from(condition.status == "True");
        conditions.add(Condition::new(condition.kind, is_true, condition.reason.clone(), condition.message.clone()));
    }
    if conditions.get("DelegationsAccepted").is_none() {
        conditions.cleared.push("DelegationsAccepted");
    }
    let roots = if status.roots.is_empty() { Value::Null } else { json!(status.roots) };
    let fields = [
        ("currentStatus", json!(status.current_status)),
        ("description", json!(status.description)),
        ("observedGeneration", json!(status.observed_generation)),
        ("roots", roots),
    ];
    let fields: Map<String, Value> = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Some(DesiredStatus { generation: verdict.generation, conditions, fields, entries: None })
}
