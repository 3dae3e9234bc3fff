//! The `status` of an IngressRoute as a value. It depends only on the verdict and contains no time.

use serde::Serialize;

use super::verdict::{DelegationState, GraphStatus};
use super::words;
use crate::message::Disclosure;

/// The maximum number of failing delegations that a condition names.
const NAMED: usize = 4;

/// The content of `status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IngressRouteStatus {
    /// `valid`, `invalid` or `orphaned`.
    pub current_status: &'static str,
    /// The reason for `current_status`.
    pub description: String,
    /// The generation of the object that this status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Valid`, then `DelegationsAccepted` for a valid object that delegates.
    pub conditions: Vec<StatusCondition>,
    /// The first few roots under which the object serves traffic, ordered by reference, including the object itself if
    /// it is a root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<RootRef>,
}

/// A condition without `lastTransitionTime`, which the writer of the status adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusCondition {
    /// The type. Each type is good if the status is `True`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `True` or `False`.
    pub status: &'static str,
    /// The generation of the object that this condition describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The reason in one word. For an error, it is the name of the check that detects the fault, if there is one.
    pub reason: String,
    /// The reason as text.
    pub message: String,
}

/// A root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RootRef {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The host.
    pub fqdn: String,
}

impl IngressRouteStatus {
    /// Returns the status for `verdict`. `names` says which names of other namespaces its readers may see.
    pub fn of(verdict: &GraphStatus, names: Disclosure<'_>) -> Self {
        let description = words::description(verdict, names);
        let conditions = [Some(valid(verdict, &description, names)), accepted(verdict)];
        let root = |root: &std::sync::Arc<super::verdict::Root>| RootRef {
            namespace: root.object_ref.namespace.clone(),
            name: root.object_ref.name.clone(),
            fqdn: root.host.to_string(),
        };
        Self {
            current_status: verdict.state.name(),
            description,
            observed_generation: verdict.generation,
            conditions: conditions.into_iter().flatten().collect(),
            roots: verdict.roots.iter().map(root).collect(),
        }
    }
}

fn valid(verdict: &GraphStatus, description: &str, names: Disclosure<'_>) -> StatusCondition {
    let why = verdict.why.as_deref();
    let (is_so, reason, message) = match (verdict.state, why) {
        (DelegationState::Valid, _) => {
            (true, if verdict.is_root { "Root" } else { "Delegated" }.to_owned(), description.to_owned())
        }
        (DelegationState::Invalid, why) => {
            (false, why.map_or("Invalid".to_owned(), |why| words::reason(why).into_owned()), description.to_owned())
        }
        (DelegationState::Orphaned, None) => (false, "Orphaned".to_owned(), description.to_owned()),
        (DelegationState::Orphaned, Some(why)) => (
            false,
            "Orphaned".to_owned(),
            format!("{description}; delegated to, it would be invalid: {}", words::why(why, names)),
        ),
    };
    condition("Valid", is_so, reason, message, verdict)
}

fn accepted(verdict: &GraphStatus) -> Option<StatusCondition> {
    if verdict.state != DelegationState::Valid || !verdict.delegates {
        return None;
    }
    let Some(first) = verdict.failing.first() else {
        let message = "every delegation is accepted".to_owned();
        return Some(condition("DelegationsAccepted", true, "Accepted".to_owned(), message, verdict));
    };
    let mut says: Vec<String> = verdict.failing.iter().take(NAMED).map(words::failing).collect();
    if verdict.failing.len() > NAMED {
        says.push(format!("{} more", verdict.failing.len() - NAMED));
    }
    Some(condition("DelegationsAccepted", false, words::reason_of(first).to_owned(), says.join("; "), verdict))
}

fn condition(
    kind: &'static str,
    is_so: bool,
    reason: String,
    message: String,
    verdict: &GraphStatus,
) -> StatusCondition {
    let status = if is_so { "True" } else { "False" };
    StatusCondition { kind, status, observed_generation: verdict.generation, reason, message }
}
