//! The Gateways through which routes reach the Services that a policy targets.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::cluster::Lookup;
use crate::kinds::reference::GATEWAY_GROUP;
use crate::kinds::{BackendTlsPolicy, Kind, KindSet, ObjectRef};
use crate::status::StatusContext;
use crate::status::responsibility::gateway_of;

/// A Gateway of this controller.
#[derive(Debug, PartialEq, Eq)]
pub struct Ancestor {
    /// The Gateway.
    pub gateway: ObjectRef,
    /// The names of the targets that routes of the Gateway use.
    pub services: BTreeSet<Box<str>>,
}

/// The ancestors of a policy.
#[derive(Debug)]
pub struct Ancestors {
    /// The Gateways, ordered by reference.
    pub all: Vec<Ancestor>,
    /// Whether there are certainly no others.
    pub is_complete: bool,
}

impl Ancestors {
    /// The ancestors of `policy`.
    pub fn of(policy: &BackendTlsPolicy<'_>, context: &StatusContext<'_>) -> Self {
        let mut is_complete = KindSet::ROUTES.iter().all(|kind| context.cluster.is_complete(kind));
        let mut found: BTreeMap<ObjectRef, BTreeSet<Box<str>>> = BTreeMap::new();
        for target in policy.spec.target_refs.iter().filter(|target| target.is_service()) {
            let service = ObjectRef::new(Kind::Service, policy.metadata.namespace(), &target.name);
            for route in context.cluster.routes_to(&service) {
                for parent in context.parents_accepting(&route.object_ref) {
                    match gateway(parent, context) {
                        Lookup::Found(gateway) => drop(found.entry(gateway).or_default().insert((*target.name).into())),
                        Lookup::Absent => {}
                        Lookup::Unknown => is_complete = false,
                    }
                }
            }
        }
        let all = found.into_iter().map(|(gateway, services)| Ancestor { gateway, services }).collect();
        Self { all, is_complete }
    }
}

/// The Gateway that serves the listeners of a parent.
fn gateway(parent: &ObjectRef, context: &StatusContext<'_>) -> Lookup<ObjectRef> {
    if parent.kind == Kind::Gateway {
        return Lookup::Found(parent.clone());
    }
    let gateway = match context.cluster.listeners(parent) {
        Lookup::Found(set) => gateway_of(set, context),
        Lookup::Absent => Lookup::Absent,
        Lookup::Unknown => Lookup::Unknown,
    };
    match gateway {
        Lookup::Found(gateway) => Lookup::Found(gateway.object_ref.clone()),
        Lookup::Absent => Lookup::Absent,
        Lookup::Unknown => Lookup::Unknown,
    }
}

impl Ancestor {
    /// The reference to the Gateway.
    pub fn reference(&self) -> Map<String, Value> {
        let fields = [
            ("group", GATEWAY_GROUP),
            ("kind", "Gateway"),
            ("namespace", &self.gateway.namespace),
            ("name", &self.gateway.name),
        ];
        fields.into_iter().map(|(field, text)| (field.to_owned(), json!(text))).collect()
    }
}
