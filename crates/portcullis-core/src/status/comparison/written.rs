//! What is stored of an object: its generation and its status.

use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use super::condition_types::is_named;
use crate::status::acceptance::by_listeners;
use crate::status::{Condition, ConditionStatus, Conditions};

/// The time of the conditions that the API server gives to a new object, before any controller has seen it.
const NEVER: &str = "1970-01-01T00:00:00Z";

/// The reason of a Gateway or ListenerSet of which some listeners are not accepted.
pub(super) const LISTENERS_NOT_VALID: &str = "ListenersNotValid";
/// The reason of a Gateway of which the references of some listeners do not resolve.
const LISTENERS_NOT_RESOLVED: &str = "ListenersNotResolved";

/// What is stored of an object.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Written {
    metadata: Value,
    status: Value,
}

/// A stored condition.
#[derive(Debug, Clone, Copy)]
pub(super) struct WrittenCondition<'w> {
    pub type_name: &'w str,
    pub status: &'w str,
    pub reason: &'w str,
    generation: Option<i64>,
}

/// The conditions of a place that a controller has written.
#[derive(Debug)]
pub(super) struct WrittenConditions<'w>(Vec<WrittenCondition<'w>>);

impl Written {
    /// Reads an object. What cannot be read counts as not written.
    pub fn of(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// The generation of the object.
    pub fn generation(&self) -> Option<i64> {
        self.metadata["generation"].as_i64()
    }

    /// The namespace of the object.
    pub fn namespace(&self) -> &str {
        self.metadata["namespace"].as_str().unwrap_or_default()
    }

    /// The status.
    pub fn status(&self) -> &Value {
        &self.status
    }

    /// The conditions of the object as a whole.
    pub fn conditions(&self) -> WrittenConditions<'_> {
        WrittenConditions::of(&self.status)
    }

    /// The entries of a list.
    pub fn entries(&self, field: &str) -> impl Iterator<Item = &Value> + use<'_> {
        self.status[field].as_array().into_iter().flatten()
    }

    /// Whether no controller has written anything.
    pub fn is_empty(&self) -> bool {
        let lists = ["listeners", "parents", "ancestors"];
        self.conditions().0.is_empty()
            && lists.iter().all(|list| self.entries(list).next().is_none())
            && self.status["currentStatus"].is_null()
    }

    /// The conditions of a Gateway or ListenerSet, where those that summarize its listeners follow from what is written about these:
    /// a fault of a listener is reported there.
    pub fn summarized(&self, specified: &Conditions) -> Conditions {
        let mut specified = specified.clone();
        let listeners: Vec<(&str, WrittenConditions<'_>)> = self
            .entries("listeners")
            .map(|entry| (entry["name"].as_str().unwrap_or_default(), WrittenConditions::of(entry)))
            .collect();
        if listeners.is_empty() {
            return specified;
        }
        for condition in specified.set.iter_mut().filter(|condition| condition.status != ConditionStatus::Unknown) {
            match (condition.type_name, &*condition.reason) {
                ("Accepted", "Accepted" | LISTENERS_NOT_VALID) => {
                    *condition = by_listeners(listeners.iter().map(|(name, own)| (*name, own.acceptance())));
                }
                ("ResolvedRefs", "ResolvedRefs" | LISTENERS_NOT_RESOLVED) => {
                    if let Some((name, _)) = listeners.iter().find(|(_, own)| own.is("ResolvedRefs", "False")) {
                        let message = format!("the references of listener `{name}` do not resolve");
                        *condition = Condition::new("ResolvedRefs", false, LISTENERS_NOT_RESOLVED, message);
                    } else {
                        *condition =
                            Condition::new("ResolvedRefs", true, "ResolvedRefs", "all references are resolved");
                    }
                }
                _ => {}
            }
        }
        specified
    }
}

impl<'w> WrittenConditions<'w> {
    /// The conditions of a status or of an entry in it.
    pub fn of(owner: &'w Value) -> Self {
        let text = |condition: &'w Value, field| condition[field].as_str().unwrap_or_default();
        let is_default = |condition: &&Value| {
            condition["status"] == "Unknown"
                && condition["reason"] == "Pending"
                && condition["lastTransitionTime"] == NEVER
        };
        let all = owner["conditions"].as_array().into_iter().flatten().filter(|condition| !is_default(condition));
        let all = all.map(|condition| WrittenCondition {
            type_name: text(condition, "type"),
            status: text(condition, "status"),
            reason: text(condition, "reason"),
            generation: condition["observedGeneration"].as_i64(),
        });
        Self(all.collect())
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &WrittenCondition<'w>> {
        self.0.iter()
    }

    /// The condition of a type.
    pub fn get(&self, type_name: &str) -> Option<&WrittenCondition<'w>> {
        self.0.iter().find(|condition| condition.type_name == type_name)
    }

    /// Whether the condition of a type has this status.
    pub fn is(&self, type_name: &str, status: &str) -> bool {
        self.get(type_name).is_some_and(|condition| condition.status == status)
    }

    /// The oldest generation for which a condition was written, if it is older than that of the object. A route that falls back to its
    /// last valid state is `Accepted` with the generation of that state.
    pub fn outdated(&self, generation: Option<i64>) -> Option<i64> {
        let current = generation?;
        let partial = self.get("PartiallyInvalid").filter(|partial| partial.status == "True");
        let is_fallback = partial.and_then(|partial| partial.generation).is_some_and(|own| own >= current);
        let compared = self.0.iter().filter(|condition| is_named(condition.type_name));
        let compared = compared.filter(|condition| !is_fallback || condition.type_name != "Accepted");
        compared.filter_map(|condition| condition.generation).filter(|own| *own < current).min()
    }

    /// Those that were not written for an older generation.
    pub fn current(&self, generation: Option<i64>) -> Self {
        let is_current = |own: &&WrittenCondition<'w>| own.generation.is_none_or(|own| Some(own) >= generation);
        Self(self.0.iter().filter(is_current).copied().collect())
    }

    /// Whether what is written says that a listener is accepted.
    fn acceptance(&self) -> ConditionStatus {
        match self.get("Accepted").map(|accepted| accepted.status) {
            _ if self.is("Conflicted", "True") => ConditionStatus::False,
            Some("False") => ConditionStatus::False,
            Some("Unknown") => ConditionStatus::Unknown,
            _ => ConditionStatus::True,
        }
    }
}

impl fmt::Display for WrittenCondition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { type_name, status, reason, .. } = self;
        write!(f, "{type_name}={status} {reason}")
    }
}
