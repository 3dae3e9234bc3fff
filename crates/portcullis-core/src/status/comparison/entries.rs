//! Compares the lists of a status: listeners, parents of routes, and ancestors of policies.

use serde_json::Value;

use super::attached::{Counted, parent};
use super::conditions::compare_current;
use super::{Cause, Comparer, ObjectComparison, Place, Written, WrittenConditions};
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::{ListenersFacts, ParentFacts};
use crate::kinds::ObjectRef;
use crate::kinds::reference::GATEWAY_GROUP;
use crate::status::{ConditionStatus, Conditions, DesiredStatus, Entries, ListenerEntry, OwnEntries};

/// What a difference calls an element of a list.
const ENTRY: &str = "entry";

impl Entries {
    /// Whether the list has no entries.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Listeners(listeners) => listeners.is_empty(),
            Self::Parents(own) | Self::Ancestors(own) => own.entries.is_empty(),
        }
    }
}

impl Comparer<'_> {
    /// Compares the listeners of a Gateway or a ListenerSet. `outdated` is the generation for which its conditions were written, if
    /// that is an older one.
    pub(super) fn listeners(
        &self,
        written: &Written,
        specified: &DesiredStatus,
        (listeners, outdated): (&[ListenerEntry], Option<i64>),
        found: &mut ObjectComparison,
    ) {
        let counted = self.counted(&found.object_ref);
        let is_current = outdated.is_none() && written.conditions().is("Accepted", "True");
        let name_of = |entry: &'_ Value| entry["name"].as_str().unwrap_or_default().to_owned();
        for listener in listeners {
            let place = Place::Listener(listener.name.clone());
            let Some(entry) = written.entries("listeners").find(|entry| entry["name"] == *listener.name) else {
                if is_current {
                    let message = "each listener of an accepted object has an entry in status.listeners".to_owned();
                    found.differ(&place, ENTRY, (None, Some("an entry".to_owned())), message);
                }
                continue;
            };
            let own = WrittenConditions::of(entry);
            let older = own.outdated(written.generation());
            if older.is_some() && older == outdated {
                continue;
            }
            if older.is_some() || !is_rejected_with(&listener.conditions, &specified.conditions) {
                compare_current(&place, &own, &listener.conditions, written, found);
            }
            if older.is_some() {
                continue;
            }
            supported_kinds(&place, entry, listener, found);
            attached_routes(&place, entry, listener, counted.get(&*listener.name), found);
        }
        let others = written.entries("listeners").map(name_of);
        for name in others.filter(|name| is_current && !listeners.iter().any(|own| own.name == *name)) {
            let message = "the object has no such listener".to_owned();
            found.differ(&Place::Listener(name), ENTRY, (Some("an entry".to_owned()), None), message);
        }
    }

    /// Compares the entries of a route.
    pub(super) fn parents(&self, written: &Written, specified: &OwnEntries, found: &mut ObjectComparison) {
        let stored = entries(written, "parents", "parentRef");
        let mut compared: Vec<ParentFacts> = Vec::new();
        for entry in &specified.entries {
            let Some(target) = parent(&Value::Object(entry.reference.clone()), written.namespace()) else { continue };
            if compared.contains(&target) {
                continue;
            }
            let mut own = stored.iter().filter(|(parent, _)| parent.as_ref() == Some(&target)).peekable();
            if own.peek().is_none() {
                self.without_entry(&target, written, found);
            }
            own.for_each(|(_, value)| {
                let (place, own) = (place("parent", &target, value), WrittenConditions::of(value));
                compare_current(&place, &own, &entry.conditions, written, found);
            });
            compared.push(target);
        }
        for (target, value) in stored {
            match target {
                None => {
                    found.leave(&other_place("parent", &value["parentRef"], value), ENTRY.to_owned(), Cause::Unknown)
                }
                Some(target) if compared.contains(&target) => {}
                Some(target) => self.unexpected(&target, value, (written, specified.is_complete), found),
            }
        }
    }

    /// A parent without an entry. Where its controller serves the parent and has written about others, it has forgotten this one.
    fn without_entry(&self, target: &ParentFacts, written: &Written, found: &mut ObjectComparison) {
        let gateway = self.gateway_of(&target.target);
        let controller = gateway.and_then(|gateway| self.controller_of(gateway)).unwrap_or_default();
        let is_served =
            gateway.and_then(|gateway| self.written.get(&gateway.object_ref)).is_some_and(|own| !own.is_empty());
        let place =
            Place::Entry { noun: "parent", reference: reference_text(target), controller: controller.to_owned() };
        let is_own = |entry: &Value| entry["controllerName"] == *controller;
        match is_served && written.entries("parents").any(is_own) {
            true => {
                let message =
                    "the controller has written an entry for another parent, and none for this one".to_owned();
                found.differ(&place, ENTRY, (None, Some("an entry".to_owned())), message);
            }
            false => found.unwritten.push(place),
        }
    }

    /// An entry for a parent for which the specification has none.
    fn unexpected(
        &self,
        target: &ParentFacts,
        value: &Value,
        (written, is_complete): (&Written, bool),
        found: &mut ObjectComparison,
    ) {
        let (place, own) = (place("parent", target, value), WrittenConditions::of(value));
        if let Some(generation) = own.outdated(written.generation()) {
            return found.outdated(&place, generation, written);
        }
        let is_named = match self.cluster.route(&found.object_ref) {
            Lookup::Found(route) => route.parents.contains(target),
            Lookup::Absent | Lookup::Unknown => true,
        };
        let message = match self.cluster.listeners(&target.target) {
            _ if !is_named && is_complete => "the route has no such parentRef".to_owned(),
            Lookup::Absent if own.is("Accepted", "True") => {
                format!("{} not found, so that nothing can accept the route", target.target)
            }
            _ => return found.leave(&place, ENTRY.to_owned(), Cause::Unknown),
        };
        found.differ(&place, ENTRY, (Some("an entry".to_owned()), None), message);
    }

    /// Compares the entries of a policy that name a Gateway through which a route leads to its targets. Implementations may have others.
    pub(super) fn ancestors(&self, written: &Written, specified: &OwnEntries, found: &mut ObjectComparison) {
        let stored = entries(written, "ancestors", "ancestorRef");
        for (target, value) in stored {
            let is_of = |target: &ParentFacts, reference: &Value| {
                parent(reference, written.namespace()).is_some_and(|own| own.target == target.target)
            };
            let expected = target.as_ref().and_then(|target| {
                specified.entries.iter().find(|entry| is_of(target, &Value::Object(entry.reference.clone())))
            });
            match (target, expected) {
                (Some(target), Some(entry)) => {
                    let (place, own) = (place("ancestor", &target, value), WrittenConditions::of(value));
                    compare_current(&place, &own, &entry.conditions, written, found);
                }
                _ => {
                    let place = other_place("ancestor", &value["ancestorRef"], value);
                    found.leave(&place, ENTRY.to_owned(), Cause::Unknown);
                }
            }
        }
    }

    /// The Gateway of a parent: itself, or that of a ListenerSet.
    fn gateway_of(&self, parent: &ObjectRef) -> Option<&ListenersFacts> {
        let found = |object_ref: &ObjectRef| match self.cluster.listeners(object_ref) {
            Lookup::Found(facts) => Some(facts),
            Lookup::Absent | Lookup::Unknown => None,
        };
        let facts = found(parent)?;
        facts.parent.as_ref().map_or(Some(facts), found)
    }

    /// The controller of the class of a Gateway.
    fn controller_of(&self, gateway: &ListenersFacts) -> Option<&str> {
        match self.cluster.gateway_class(&gateway.class) {
            Lookup::Found(class) => Some(&class.controller),
            Lookup::Absent | Lookup::Unknown => None,
        }
    }
}

/// The entries of a list, each with the Gateway or ListenerSet that it is about.
fn entries<'w>(written: &'w Written, field: &str, reference: &str) -> Vec<(Option<ParentFacts>, &'w Value)> {
    written.entries(field).map(|entry| (parent(&entry[reference], written.namespace()), entry)).collect()
}

/// Whether a listener is not accepted only because its whole object is not.
fn is_rejected_with(listener: &Conditions, object: &Conditions) -> bool {
    let is_false = |condition: &&crate::status::Condition| condition.status == ConditionStatus::False;
    let whole = object.get("Accepted").filter(is_false);
    whole.is_some() && listener.get("Accepted") == whole
}

/// Compares the kinds of routes. An implementation may support fewer than the protocol allows.
fn supported_kinds(place: &Place, entry: &Value, listener: &ListenerEntry, found: &mut ObjectComparison) {
    let Some(specified) = listener.fields.get("supportedKinds").map(kinds) else { return };
    let own = kinds(&entry["supportedKinds"]);
    let Some(surplus) = own.iter().find(|kind| !specified.contains(*kind)) else { return };
    let message =
        format!("{surplus} does not suit the protocol of the listener, or its allowedRoutes.kinds does not name it");
    found.differ(place, "supportedKinds", (Some(own.join(", ")), Some(specified.join(", "))), message);
}

/// The kinds of the Gateway API in a list.
fn kinds(list: &Value) -> Vec<&str> {
    let list = list.as_array().into_iter().flatten();
    let of_api = list.filter(|kind| kind["group"].as_str().unwrap_or(GATEWAY_GROUP) == GATEWAY_GROUP);
    of_api.filter_map(|kind| kind["kind"].as_str()).collect()
}

fn attached_routes(
    place: &Place,
    entry: &Value,
    listener: &ListenerEntry,
    counted: Option<&Counted<'_>>,
    found: &mut ObjectComparison,
) {
    const FIELD: &str = "attachedRoutes";
    let Some(own) = entry[FIELD].as_u64() else { return };
    if !listener.fields.contains_key(FIELD) {
        return found.leave(place, format!("{FIELD}={own}"), Cause::Unknown);
    }
    let supported = entry.get("supportedKinds").map(kinds);
    let counted = counted.cloned().unwrap_or_default().supported(supported.as_deref());
    if !counted.admits(own) {
        found.differ(place, FIELD, (Some(own.to_string()), Some(counted.number())), counted.message());
    }
}

fn place(noun: &'static str, target: &ParentFacts, entry: &Value) -> Place {
    Place::Entry { noun, reference: reference_text(target), controller: controller(entry) }
}

/// The place of an entry about an object of another kind.
fn other_place(noun: &'static str, reference: &Value, entry: &Value) -> Place {
    let text = |field: &str| reference[field].as_str().unwrap_or_default();
    let reference = format!("{} {}", reference["kind"].as_str().unwrap_or("Gateway"), text("name"));
    Place::Entry { noun, reference, controller: controller(entry) }
}

fn controller(entry: &Value) -> String {
    entry["controllerName"].as_str().unwrap_or_default().to_owned()
}

fn reference_text(target: &ParentFacts) -> String {
    let section = target.section.as_ref().map(|section| format!(", section {section}"));
    let port = target.port.map(|port| format!(", port {port}"));
    format!("{}{}{}", target.target, section.unwrap_or_default(), port.unwrap_or_default())
}
