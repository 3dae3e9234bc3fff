//! Routes of which it is not known whether a listener accepts them, so that they may answer.

use std::collections::BTreeSet;

use super::attached::AttachedRoute;
use super::gateway::{GatewayPlanes, gateway_of};
use super::request::Request;
use super::route_resolver::{Scope, hosts_above};
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::{ListenerFacts, ListenersFacts, ParentFacts};
use crate::kinds::ObjectRef;
use crate::matching::host::Depth;
use crate::routing::attachment::{allows_set, takes_kind};
use crate::routing::{Attachment, NotAllowedReason};

impl GatewayPlanes<'_> {
    /// What is not known and decides whether routes for `host` answer in `scope`, each as text. A parent that is absent is not known, either,
    /// unless the objects are complete.
    pub(super) fn undecided(&self, host: &str, scope: &Scope, is_complete: bool) -> BTreeSet<String> {
        let routes = self.routes_for(host).into_iter().map(|index| &self.routes[index]);
        routes.flat_map(|route| self.doubts(route, host, scope, is_complete)).collect()
    }

    /// The same about the routes with a rule that matches `request`.
    pub(super) fn undecided_for(&self, request: &Request, scope: &Scope) -> BTreeSet<String> {
        let routes = self.routes_for(&request.host).into_iter().map(|index| &self.routes[index]);
        let matches = |route: &&AttachedRoute<'_>| {
            let mut candidates = route.candidates.iter().flat_map(|(_, range)| &self.candidates[range.clone()]);
            candidates.any(|rule| rule.matches(request))
        };
        routes.filter(matches).flat_map(|route| self.doubts(route, &request.host, scope, true)).collect()
    }

    /// The indexes of the routes that name `host`, a wildcard above it, or no host.
    fn routes_for(&self, host: &str) -> BTreeSet<usize> {
        hosts_above(host).iter().flat_map(|host| self.named.get(host).into_iter().flatten().copied()).collect()
    }

    fn doubts(&self, route: &AttachedRoute<'_>, host: &str, scope: &Scope, is_complete: bool) -> Vec<String> {
        if scope.gateway.is_none() && scope.class.is_some() {
            return Vec::new();
        }
        let facts = route.facts;
        let parents = route.route.parent_refs().iter();
        let parents = parents.filter_map(|written| ParentFacts::of(written, &facts.object_ref.namespace));
        let of_parent = |parent: ParentFacts| -> Vec<String> {
            let gateway = gateway_of(&parent, &self.cluster);
            if gateway.as_ref().is_some_and(|gateway| !scope.has_gateway(gateway)) {
                return Vec::new();
            }
            match Attachment::of(facts, &parent, &self.cluster) {
                Attachment::NoParent if is_complete => Vec::new(),
                Attachment::Unknown | Attachment::NoParent => vec![absent(&parent.target, &facts.object_ref)],
                Attachment::Decided { parent, listeners } => {
                    let doubts = listeners.into_iter().filter_map(|(listener, refusal)| {
                        let is_reached = listener.host.matches(host, Depth::AnyLabels);
                        let doubt = match refusal {
                            None => self.doubt_of_set(parent, is_complete),
                            Some(NotAllowedReason::Unknown) => Some(doubt(listener, parent, &facts.object_ref)),
                            Some(_) => None,
                        };
                        doubt.filter(|_| is_reached)
                    });
                    doubts.collect()
                }
            }
        };
        parents.flat_map(of_parent).collect()
    }

    /// What decides whether the listeners of `set` are those of its Gateway, if it is a ListenerSet and that is not known.
    fn doubt_of_set(&self, set: &ListenersFacts, is_complete: bool) -> Option<String> {
        let gateway = set.parent.as_ref()?;
        match self.cluster.listeners(gateway) {
            Lookup::Found(found) => allows_set(found, set, &self.cluster).is_none().then(|| {
                let namespace = &set.object_ref.namespace;
                format!("Namespace {namespace}, which decides whether {gateway} allows {}", set.object_ref)
            }),
            Lookup::Absent if is_complete => None,
            Lookup::Absent | Lookup::Unknown => Some(absent(gateway, &set.object_ref)),
        }
    }
}

fn absent(parent: &ObjectRef, object: &ObjectRef) -> String {
    format!("{parent}, which decides whether {object} is served")
}

/// What decides whether `listener` accepts a route.
fn doubt(listener: &ListenerFacts, parent: &ListenersFacts, route: &ObjectRef) -> String {
    let what = match takes_kind(listener, route.kind) {
        None => format!("the implementation of protocol {}", listener.protocol),
        Some(_) => format!("Namespace {}", route.namespace),
    };
    format!("{what}, which decides whether listener {} of {} accepts {route}", listener.name, parent.object_ref)
}
