//! The parents of a route that this controller is responsible for.

use serde_json::{Map, Value, json};

use crate::cluster::Lookup;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenersFacts, ParentFacts};
use crate::kinds::reference::{GATEWAY_GROUP, ParentRef};
use crate::kinds::{Kind, ObjectRef, Route};
use crate::routing::attachment::default_parents;
use crate::status::StatusContext;
use crate::status::responsibility::class_of;

/// The parents of a route that get an entry.
#[derive(Debug)]
pub struct Parents<'c> {
    /// The parents, in the order of the references; Gateways that are default ones follow.
    pub own: Vec<OwnParent<'c>>,
    /// Whether there are certainly no others.
    pub is_complete: bool,
}

/// A parent that this controller is responsible for.
#[derive(Debug)]
pub struct OwnParent<'c> {
    /// The reference as written.
    pub reference: Map<String, Value>,
    /// The indexes in `spec.parentRefs` at which it is written; none for a default Gateway.
    pub indexes: Vec<usize>,
    /// What it refers to.
    pub target: ParentFacts,
    /// The Gateway or ListenerSet.
    pub parent: &'c ListenersFacts,
}

impl<'c> Parents<'c> {
    /// The parents of `route`. Parents that do not exist, that another controller serves, or that are of other kinds
    /// are left out.
    pub fn of(route: &Route<'_, '_>, facts: &GatewayRouteFacts, context: &StatusContext<'c>) -> Self {
        let mut parents = Self { own: Vec::new(), is_complete: true };
        for (index, written) in route.parent_refs().iter().enumerate() {
            if let Some(target) = ParentFacts::of(written, route.metadata().namespace()) {
                parents.add(echo(written), Some(index), target, context);
            }
        }
        if facts.uses_defaults {
            parents.is_complete &= context.cluster.is_complete(Kind::Gateway);
            for target in default_parents(facts.uses_defaults, &context.cluster) {
                let is_written = |own: &OwnParent<'_>| own.target == target;
                if !parents.own.iter().any(is_written) {
                    parents.add(whole(&target.target), None, target, context);
                }
            }
        }
        parents
    }

    fn add(
        &mut self,
        reference: Map<String, Value>,
        index: Option<usize>,
        target: ParentFacts,
        context: &StatusContext<'c>,
    ) {
        if let Some(known) = self.own.iter_mut().find(|known| known.reference == reference) {
            known.indexes.extend(index);
            return;
        }
        match context.cluster.listeners(&target.target) {
            Lookup::Absent => {}
            Lookup::Unknown => self.is_complete = false,
            Lookup::Found(parent) => match class_of(parent, context) {
                Lookup::Absent => {}
                Lookup::Unknown => self.is_complete = false,
                Lookup::Found(_) => {
                    let indexes = index.into_iter().collect();
                    self.own.push(OwnParent { reference, indexes, target, parent });
                }
            },
        }
    }
}

/// The fields of a reference that are written.
fn echo(written: &ParentRef<'_>) -> Map<String, Value> {
    let mut fields = Map::new();
    let texts = [
        ("group", written.group.as_deref()),
        ("kind", written.kind.as_deref()),
        ("namespace", written.namespace.as_deref()),
        ("name", Some(&*written.name)),
        ("sectionName", written.section_name.as_deref()),
    ];
    fields.extend(texts.into_iter().filter_map(|(field, text)| Some((field.to_owned(), json!(text?)))));
    fields.extend(written.port.map(|port| ("port".to_owned(), json!(port))));
    fields
}

/// The reference to a Gateway to which a route attaches without naming it.
fn whole(gateway: &ObjectRef) -> Map<String, Value> {
    let fields = [
        ("group", GATEWAY_GROUP),
        ("kind", gateway.kind.api().kind),
        ("namespace", &gateway.namespace),
        ("name", &gateway.name),
    ];
    fields.into_iter().map(|(field, text)| (field.to_owned(), json!(text))).collect()
}
