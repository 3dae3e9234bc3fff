//! `status` of an IngressRoute as a value: a function of its verdict alone, without a time.

use serde::Serialize;

use super::verdict::{DelegationState, GraphStatus};
use super::words;
use crate::message::Disclosure;

/// The most failing delegations that a condition names.
const NAMED: usize = 4;

/// What belongs into `status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IngressRouteStatus {
    /// `valid`, `invalid` or `orphaned`.
    pub current_status: &'static str,
    /// Why.
    pub description: String,
    /// The generation of the object that this is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Valid`, then `DelegationsAccepted` where a valid object delegates.
    pub conditions: Vec<StatusCondition>,
    /// The roots under which the object serves, itself if it is one: the first few by place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<RootRef>,
}

/// A condition; whoever writes it knows since when it is so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusCondition {
    /// Which; all are good when `True`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `True` or `False`.
    pub status: &'static str,
    /// The generation of the object that this is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// One word: where something is wrong, the name of the check that asks for it, if one does.
    pub reason: String,
    /// The same in words.
    pub message: String,
}

/// A root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RootRef {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its host.
    pub fqdn: String,
}

impl IngressRouteStatus {
    /// What `verdict` amounts to, for readers who may see these names.
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
