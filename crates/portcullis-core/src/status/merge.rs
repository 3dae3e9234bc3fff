//! Merges the desired status into the stored one: what others wrote stays as it is, byte for byte, and nothing changes
//! unless something other than a time would.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::desired::{ListenerEntry, ParentEntry};
use super::{Condition, Conditions, DesiredStatus, Entries, OwnEntries};

/// The maximum number of conditions in a list of the API.
const MAX_CONDITIONS: usize = 8;
/// The maximum number of entries in `parents` of a route.
const MAX_PARENTS: usize = 32;
/// The maximum number of entries in `ancestors` of a policy.
const MAX_ANCESTORS: usize = 16;

/// A merged status.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// The whole status.
    pub status: Value,
    /// The references of own entries for which a list had no room, since entries of others are never removed.
    pub dropped: Vec<Map<String, Value>>,
    /// The types of conditions for which a list had no room, since conditions of others are never removed.
    pub omitted: Vec<&'static str>,
}

/// The stored status with the parts that `desired` decides; `None` if a newer generation has already been evaluated.
pub fn merge(desired: &DesiredStatus, stored: &Value, now: Timestamp) -> Option<Merged> {
    merge_at(desired, stored, Some(now_text(now)))
}

/// The status that an object will have, without the times of new transitions, for people: an object without a status gets what is
/// desired, and one whose newer generation has been evaluated keeps what it has.
///
/// ```
/// use portcullis_core::status::DesiredStatus;
/// use portcullis_core::status::merge::preview;
/// use serde_json::json;
///
/// let fields = json!({"currentStatus": "valid"}).as_object().cloned().unwrap_or_default();
/// let desired = DesiredStatus { fields, ..DesiredStatus::default() };
/// let merged = preview(&desired, &json!({"other": 1}));
/// assert_eq!(merged.status, json!({"currentStatus": "valid", "other": 1}));
/// ```
pub fn preview(desired: &DesiredStatus, stored: &Value) -> Merged {
    let whole = |status: Value| Merged { status, dropped: Vec::new(), omitted: Vec::new() };
    if !stored.is_object() {
        return whole(desired.to_json());
    }
    merge_at(desired, stored, None).unwrap_or_else(|| whole(stored.clone()))
}

/// What a status lacks since its lists have no room, for people: a text about the references in `dropped`, and one about the conditions
/// in `omitted`.
pub fn no_room(dropped: &[Map<String, Value>], omitted: &[&str]) -> Vec<String> {
    let names: Vec<&str> = dropped.iter().filter_map(|reference| reference.get("name")?.as_str()).collect();
    let entries = (!dropped.is_empty()).then(|| {
        format!(
            "the status has no room for the entries about {}: remove references, or the entries of controllers that no longer run",
            names.join(", ")
        )
    });
    let conditions = (!omitted.is_empty()).then(|| {
        format!(
            "the status has no room for the condition {}: remove the conditions of writers that no longer run",
            omitted.join(", ")
        )
    });
    entries.into_iter().chain(conditions).collect()
}

fn merge_at(desired: &DesiredStatus, stored: &Value, now: Option<Value>) -> Option<Merged> {
    let mut status = stored.as_object().cloned().unwrap_or_default();
    let mut merging = Merging { generation: desired.generation, now, omitted: Vec::new() };
    if merging.is_outdated(&status, desired) {
        return None;
    }
    for (name, value) in &desired.fields {
        match value {
            Value::Null => drop(status.remove(name)),
            value => drop(status.insert(name.clone(), value.clone())),
        }
    }
    merging.conditions(&mut status, &desired.conditions);
    let mut dropped = Vec::new();
    match &desired.entries {
        Some(Entries::Listeners(listeners)) => merging.listeners(&mut status, listeners),
        Some(entries @ (Entries::Parents(own) | Entries::Ancestors(own))) => {
            let most = if matches!(entries, Entries::Parents(_)) { MAX_PARENTS } else { MAX_ANCESTORS };
            let list = OwnList { field: entries.field(), reference: entries.reference_field(), most };
            dropped = merging.own_entries(&mut status, &list, own);
        }
        None => {}
    }
    Some(Merged { status: Value::Object(status), dropped, omitted: merging.omitted })
}

/// The merge patch that turns the status `stored` into `merged`; `None` if they are equal. A map is patched field by field, since a
/// merge patch leaves the fields of a map that it does not name.
pub fn patch(stored: &Value, merged: &Value) -> Option<Value> {
    let empty = Map::new();
    let (before, after) = (stored.as_object().unwrap_or(&empty), merged.as_object().unwrap_or(&empty));
    let mut changes = Map::new();
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        changes.insert(name.clone(), Value::Null);
    }
    for (name, value) in after {
        let change = match (before.get(name), value) {
            (Some(known), value) if known == value => continue,
            (Some(known @ Value::Object(_)), Value::Object(_)) => patch(known, value),
            (_, value) => Some(value.clone()),
        };
        changes.extend(change.map(|change| (name.clone(), change)));
    }
    (!changes.is_empty()).then_some(Value::Object(changes))
}

/// A time as the API server writes it, in whole seconds.
fn now_text(now: Timestamp) -> Value {
    json!(now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// A list whose entries belong to several controllers.
struct OwnList {
    field: &'static str,
    reference: &'static str,
    most: usize,
}

struct Merging {
    generation: Option<i64>,
    /// The time of transitions; `None` to leave it out.
    now: Option<Value>,
    omitted: Vec<&'static str>,
}

impl Merging {
    /// Whether the stored status describes a newer generation in a condition that `desired` would set.
    fn is_outdated(&self, status: &Map<String, Value>, desired: &DesiredStatus) -> bool {
        let Some(generation) = self.generation else { return false };
        let is_newer = |list: &Value, conditions: &Conditions| {
            let of_type = |name: &str| list.as_array().into_iter().flatten().find(|stored| stored["type"] == *name);
            let stored = conditions.set.iter().filter_map(|condition| of_type(condition.type_name));
            stored.filter_map(|stored| stored["observedGeneration"].as_i64()).any(|observed| observed > generation)
        };
        let list = |field: &str| status.get(field).and_then(Value::as_array).into_iter().flatten();
        match &desired.entries {
            Some(entries @ (Entries::Parents(own) | Entries::Ancestors(own))) => {
                let field = entries.reference_field();
                own.entries.iter().any(|entry| {
                    let stored = list(entries.field()).find(|stored| is_entry(stored, field, &own.controller, entry));
                    stored.is_some_and(|stored| is_newer(&stored["conditions"], &entry.conditions))
                })
            }
            _ => status.get("conditions").is_some_and(|stored| is_newer(stored, &desired.conditions)),
        }
    }

    /// Merges the conditions of one list.
    fn conditions(&mut self, owner: &mut Map<String, Value>, conditions: &Conditions) {
        if conditions.set.is_empty() && conditions.cleared.is_empty() {
            return;
        }
        let mut list = match owner.get_mut("conditions").map(Value::take) {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        };
        list.retain(|stored| !conditions.cleared.iter().any(|cleared| stored["type"] == **cleared));
        for condition in &conditions.set {
            match list.iter().position(|stored| stored["type"] == *condition.type_name) {
                Some(position) => self.condition(&mut list[position], condition),
                None if list.len() < MAX_CONDITIONS => {
                    list.push(self.timed(condition, self.now.clone()));
                }
                None => self.omitted.push(condition.type_name),
            }
        }
        owner.insert("conditions".to_owned(), Value::Array(list));
    }

    /// Replaces a stored condition. Its time changes only if its status does.
    fn condition(&self, stored: &mut Value, condition: &Condition) {
        let is_same = stored["status"] == condition.status.name() && stored["lastTransitionTime"].is_string();
        let time = if is_same { Some(stored["lastTransitionTime"].take()) } else { self.now.clone() };
        *stored = self.timed(condition, time);
    }

    /// A condition as it is stored.
    fn timed(&self, condition: &Condition, time: Option<Value>) -> Value {
        let mut fields = condition.fields(self.generation);
        fields.extend(time.map(|time| ("lastTransitionTime".to_owned(), time)));
        Value::Object(fields)
    }

    /// Merges the listeners: one entry for each, in the order of the spec. Conditions of others in an entry stay.
    fn listeners(&mut self, status: &mut Map<String, Value>, listeners: &[ListenerEntry]) {
        let mut before = match status.remove("listeners") {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        };
        let entries = listeners.iter().map(|listener| {
            let position = before.iter().position(|stored| stored["name"] == *listener.name);
            let stored = position.map(|position| before.swap_remove(position));
            let mut entry = stored.and_then(|stored| stored.as_object().cloned()).unwrap_or_default();
            entry.insert("name".to_owned(), json!(listener.name));
            entry.extend(listener.fields.clone());
            // The API server requires it, also where it is unknown. A preview for people has no time, and leaves it out.
            if self.now.is_some() {
                entry.entry("attachedRoutes").or_insert_with(|| json!(0));
            }
            self.conditions(&mut entry, &listener.conditions);
            Value::Object(entry)
        });
        let entries = entries.collect();
        status.insert("listeners".to_owned(), Value::Array(entries));
    }

    /// Merges the entries of one controller. Its stale entries are removed, and those of others stay in their order.
    fn own_entries(
        &mut self,
        status: &mut Map<String, Value>,
        list: &OwnList,
        OwnEntries { controller, entries: own, is_complete }: &OwnEntries,
    ) -> Vec<Map<String, Value>> {
        let before = status.remove(list.field);
        if before.is_none() && own.is_empty() {
            return Vec::new();
        }
        let mut stored = match before {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        };
        let is_own = |entry: &Value| entry["controllerName"] == *controller;
        let is_wanted = |stored: &Value| own.iter().any(|entry| is_entry(stored, list.reference, controller, entry));
        stored.retain(|entry| !is_complete || !is_own(entry) || is_wanted(entry));
        let mut dropped = Vec::new();
        for entry in own {
            let position = stored.iter().position(|stored| is_entry(stored, list.reference, controller, entry));
            let mut fields = match position {
                Some(position) => stored[position].as_object().cloned().unwrap_or_default(),
                None if stored.len() >= list.most => {
                    dropped.push(entry.reference.clone());
                    continue;
                }
                None => Map::new(),
            };
            fields.insert(list.reference.to_owned(), Value::Object(entry.reference.clone()));
            fields.insert("controllerName".to_owned(), json!(controller));
            self.conditions(&mut fields, &entry.conditions);
            match position {
                Some(position) => stored[position] = Value::Object(fields),
                None => stored.push(Value::Object(fields)),
            }
        }
        status.insert(list.field.to_owned(), Value::Array(stored));
        dropped
    }
}

/// Whether a stored entry is that of `controller` for the reference of `entry`.
fn is_entry(stored: &Value, reference: &str, controller: &str, entry: &ParentEntry) -> bool {
    stored["controllerName"] == *controller && stored[reference].as_object() == Some(&entry.reference)
}
