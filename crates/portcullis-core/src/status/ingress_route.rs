//! The status of an IngressRoute, as the design document prints it, with conditions beside it.

use serde_json::{Map, Value, json};

use super::{Condition, ConditionStatus, Conditions, DesiredStatus, StatusContext};
use crate::cluster::Facts;
use crate::config::Spanned;
use crate::kinds::ingress_route::DEFAULT_CLASS;
use crate::kinds::{Kind, ObjectRef};
use crate::message::Disclosure;
use crate::routing::delegation::{DelegationState, IngressRouteStatus};

/// The status of the IngressRoute at `object_ref`, of which `json` has the metadata at least; `None` if there is no verdict on
/// it, if a delegation that is unknown may make it valid, or if its class gets no status.
pub fn of(object_ref: &ObjectRef, json: &str, context: &StatusContext<'_>) -> Option<DesiredStatus> {
    let verdict = context.verdict(object_ref)?;
    let may_be_accepted = !verdict.is_root && verdict.state != DelegationState::Valid;
    if may_be_accepted && context.cluster.has_unknown_referrers(Kind::IngressRoute) {
        return None;
    }
    if !context.is_specification() && !is_of_served_class(object_ref, json, &context.settings().ingress_route_classes) {
        return None;
    }
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

/// Whether the class of an IngressRoute is one of `classes`, which may be empty for every class. The object need not be readable.
fn is_of_served_class(object_ref: &ObjectRef, json: &str, classes: &[Spanned<String>]) -> bool {
    if classes.is_empty() {
        return true;
    }
    let Some(Facts::Delegation(facts)) = Facts::of_unreadable(object_ref, json) else { return false };
    let named = |class: &Spanned<String>| {
        Some(class.as_str()).filter(|class| !["", DEFAULT_CLASS].contains(class)).map(str::to_owned)
    };
    classes.iter().any(|class| named(class).as_deref() == facts.class.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_configured_classes_are_served() {
        let is_served = |class: &str, classes: &[&str]| {
            let json = match class {
                "" => r#"{"metadata":{"labels":7}}"#.to_owned(),
                class => format!(r#"{{"metadata":{{"annotations":{{"kubernetes.io/ingress.class":"{class}"}}}}}}"#),
            };
            let classes: Vec<_> = classes.iter().map(|class| Spanned::without_position((*class).to_owned())).collect();
            is_of_served_class(&ObjectRef::new(Kind::IngressRoute, "web", "shop"), &json, &classes)
        };
        assert!(is_served("edge", &[]) && is_served("edge", &["inner", "edge"]) && !is_served("edge", &["", "inner"]));
        for default in ["", "contour"] {
            assert!(is_served(default, &[""]) && is_served(default, &["contour"]) && !is_served(default, &["edge"]));
        }
    }
}
