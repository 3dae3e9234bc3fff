//! The status that an object should have, as far as Portcullis decides it.

use serde_json::{Map, Value, json};

use super::Conditions;

/// What Portcullis decides of a status. Everything else in the status is left as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DesiredStatus {
    /// The generation of the object that was evaluated.
    pub generation: Option<i64>,
    /// The conditions of the object as a whole.
    pub conditions: Conditions,
    /// Further fields, by name. `null` removes a field.
    pub fields: Map<String, Value>,
    /// The list of entries with conditions of their own.
    pub entries: Option<Entries>,
}

/// The list of a status whose entries have conditions of their own.
#[derive(Debug, Clone, PartialEq)]
pub enum Entries {
    /// `listeners` of a Gateway or a ListenerSet: one entry for each listener, all of them written by Portcullis.
    Listeners(Vec<ListenerEntry>),
    /// `parents` of a route: the entries of this controller.
    Parents(OwnEntries),
    /// `ancestors` of a policy: the entries of this controller.
    Ancestors(OwnEntries),
}

/// The status of one listener.
#[derive(Debug, Clone, PartialEq)]
pub struct ListenerEntry {
    /// The name of the listener.
    pub name: String,
    /// Further fields: `supportedKinds`, and `attachedRoutes` unless it is unknown.
    pub fields: Map<String, Value>,
    /// The conditions of the listener.
    pub conditions: Conditions,
}

/// The entries of one controller in a list that several controllers share.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnEntries {
    /// The controller.
    pub controller: String,
    /// Its entries.
    pub entries: Vec<ParentEntry>,
    /// Whether these are certainly all of its entries, so that others that it wrote earlier are removed.
    pub is_complete: bool,
}

/// The status of a route at one parent, or of a policy at one ancestor.
#[derive(Debug, Clone, PartialEq)]
pub struct ParentEntry {
    /// The reference as written in the spec.
    pub reference: Map<String, Value>,
    /// The conditions there.
    pub conditions: Conditions,
}

impl Entries {
    /// The name of the list in the API.
    pub const fn field(&self) -> &'static str {
        match self {
            Self::Listeners(_) => "listeners",
            Self::Parents(_) => "parents",
            Self::Ancestors(_) => "ancestors",
        }
    }

    /// The name of the reference in an entry.
    pub const fn reference_field(&self) -> &'static str {
        match self {
            Self::Listeners(_) => "name",
            Self::Parents(_) => "parentRef",
            Self::Ancestors(_) => "ancestorRef",
        }
    }
}

impl DesiredStatus {
    /// The status as JSON, as if the object had none before, without times of transitions.
    pub fn to_json(&self) -> Value {
        let mut status = Map::new();
        for (name, value) in self.fields.iter().filter(|(_, value)| !value.is_null()) {
            status.insert(name.clone(), value.clone());
        }
        if !self.conditions.set.is_empty() {
            status.insert("conditions".to_owned(), self.conditions_json(&self.conditions));
        }
        if let Some(entries) = &self.entries {
            status.insert(entries.field().to_owned(), self.entries_json(entries));
        }
        Value::Object(status)
    }

    fn conditions_json(&self, conditions: &Conditions) -> Value {
        conditions.set.iter().map(|condition| Value::Object(condition.fields(self.generation))).collect()
    }

    fn entries_json(&self, entries: &Entries) -> Value {
        let field = entries.reference_field();
        match entries {
            Entries::Listeners(listeners) => listeners.iter().map(|listener| self.listener_json(listener)).collect(),
            Entries::Parents(own) | Entries::Ancestors(own) => {
                let entry = |entry: &ParentEntry| {
                    json!({
                        field: entry.reference, "controllerName": own.controller,
                        "conditions": self.conditions_json(&entry.conditions),
                    })
                };
                own.entries.iter().map(entry).collect()
            }
        }
    }

    fn listener_json(&self, listener: &ListenerEntry) -> Value {
        let mut entry = listener.fields.clone();
        entry.insert("name".to_owned(), json!(listener.name));
        entry.insert("conditions".to_owned(), self.conditions_json(&listener.conditions));
        Value::Object(entry)
    }
}
