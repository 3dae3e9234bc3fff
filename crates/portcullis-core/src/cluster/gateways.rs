//! The objects of the Gateway API, by reference and by the objects that refer to them. Events maintain the indexes, and
//! look-ups never scan.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::gateway_facts::{
    DEFAULT_GATEWAYS, GatewayClassFacts, GatewayRouteFacts, GrantFacts, ListenersFacts, Permission, PolicyFacts,
};
use super::hosts::HostIndex;
use super::kind_range::{first_of_namespaces, of_kind};
use super::listener_index::ListenerIndex;
use super::route_claim::{RouteClaim, RouteReference};
use super::route_index::{FirstRoute, RouteIndex};
use super::small_set::SmallSet;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

/// Object references by key.
type ObjectRefs<K> = HashMap<K, SmallSet<Arc<ObjectRef>>>;

/// The objects of the Gateway API.
#[derive(Debug, Default)]
pub struct GatewayApiIndex {
    classes: BTreeMap<Box<str>, GatewayClassFacts>,
    /// Gateways and ListenerSets.
    listeners: HashMap<Arc<ObjectRef>, ListenersFacts>,
    routes: HashMap<Arc<ObjectRef>, Arc<GatewayRouteFacts>>,
    grants: HashMap<Arc<ObjectRef>, GrantFacts>,
    policies: HashMap<Arc<ObjectRef>, PolicyFacts>,
    /// Gateways by class.
    of_class: ObjectRefs<Box<str>>,
    /// Gateways to which routes with `useDefaultGateways` attach.
    defaults: SmallSet<Arc<ObjectRef>>,
    /// ListenerSets by the Gateway to which they add listeners.
    sets_of: ObjectRefs<ObjectRef>,
    /// The listeners of Gateways and ListenerSets.
    listener_index: ListenerIndex,
    /// Routes by parent.
    routes_of: ObjectRefs<ObjectRef>,
    /// Routes by the Services to which they send requests.
    routes_to: ObjectRefs<ObjectRef>,
    /// Grants by permission.
    grants_of: ObjectRefs<Box<str>>,
    /// Policies by target: a Service, and its port if the policy names one.
    policies_of: ObjectRefs<(ObjectRef, Option<Box<str>>)>,
    /// Routes by claim.
    route_index: RouteIndex,
    counts: [usize; Kind::ALL.len()],
}

/// Removes a reference from the set at a key, and removes the key if the set becomes empty.
fn leave<K: std::hash::Hash + Eq>(object_refs: &mut ObjectRefs<K>, key: &K, object_ref: &ObjectRef) {
    let Some(held) = object_refs.get_mut(key) else { return };
    held.remove(object_ref);
    if held.is_empty() {
        object_refs.remove(key);
    }
}

/// Moves an object from its keys of `before` to those of `now`. Keys in both are not touched.
fn reindex<K: std::hash::Hash + Eq>(
    object_refs: &mut ObjectRefs<K>,
    object_ref: &Arc<ObjectRef>,
    before: impl Iterator<Item = K>,
    now: impl Iterator<Item = K>,
) {
    let (before, now): (HashSet<K>, HashSet<K>) = (before.collect(), now.collect());
    before.difference(&now).for_each(|key| leave(object_refs, key, object_ref));
    for key in now.into_iter().filter(|key| !before.contains(key)) {
        object_refs.entry(key).or_default().insert(Arc::clone(object_ref));
    }
}

/// The objects whose references are in the set of a key, in order.
fn under<'p, Q: 'p>(
    object_refs: Option<&'p SmallSet<Arc<ObjectRef>>>,
    find: impl Fn(&'p ObjectRef) -> Option<&'p Q>,
) -> impl Iterator<Item = &'p Q> {
    object_refs.into_iter().flat_map(SmallSet::iter).filter_map(move |object_ref| find(object_ref))
}

/// The hosts of the listeners whose protocol distinguishes hosts.
fn named_hosts(facts: &ListenersFacts) -> impl Iterator<Item = &Host<'static>> {
    facts.listeners.iter().filter(|listener| listener.has_host()).map(|listener| &listener.host)
}

/// The parents of a route. All default Gateways together are one parent.
fn targets(facts: &GatewayRouteFacts) -> impl Iterator<Item = ObjectRef> {
    let named = facts.parents.iter().map(|parent| parent.target.clone());
    named.chain(facts.uses_defaults.then(|| DEFAULT_GATEWAYS.clone()))
}

/// The targets of a policy.
fn policy_targets(facts: &PolicyFacts) -> impl Iterator<Item = (ObjectRef, Option<Box<str>>)> {
    let target = |service: &str| ObjectRef::new(Kind::Service, &facts.object_ref.namespace, service);
    facts.targets.iter().map(move |(service, section)| (target(service), section.clone()))
}

impl GatewayApiIndex {
    /// Adds or replaces a GatewayClass.
    pub fn put_class(&mut self, facts: GatewayClassFacts) {
        self.classes.insert(facts.name.clone(), facts);
    }

    /// Adds or replaces a Gateway or a ListenerSet.
    pub fn put_listeners(&mut self, facts: ListenersFacts, hosts: &mut HostIndex) {
        self.remove(&facts.object_ref, hosts);
        let object_ref = Arc::new(facts.object_ref.clone());
        match &facts.parent {
            Some(parent) => self.sets_of.entry(parent.clone()).or_default().insert(Arc::clone(&object_ref)),
            None => self.of_class.entry(facts.class.clone()).or_default().insert(Arc::clone(&object_ref)),
        };
        if facts.is_default {
            self.defaults.insert(Arc::clone(&object_ref));
        }
        self.counts[object_ref.kind as usize] += 1;
        hosts.enter(&object_ref, named_hosts(&facts));
        self.listener_index.enter(&object_ref, &facts);
        self.listeners.insert(object_ref, facts);
    }

    /// Adds or replaces a route.
    pub fn put_route(&mut self, facts: GatewayRouteFacts, hosts: &mut HostIndex) {
        let facts = Arc::new(facts);
        let before = self.routes.remove_entry(&facts.object_ref);
        let (object_ref, before) = match before {
            Some((object_ref, before)) => (object_ref, Some(before)),
            None => (Arc::new(facts.object_ref.clone()), None),
        };
        self.counts[object_ref.kind as usize] += usize::from(before.is_none());
        reindex(&mut self.routes_of, &object_ref, before.iter().flat_map(|before| targets(before)), targets(&facts));
        let services_before = before.iter().flat_map(|before| before.service_refs());
        reindex(&mut self.routes_to, &object_ref, services_before, facts.service_refs());
        if let Some(before) = &before {
            hosts.leave(&object_ref, before.hosts.iter().filter(|host| !facts.hosts.contains(host)));
            self.route_index.leave(before);
        }
        hosts.enter(&object_ref, facts.hosts.iter());
        self.route_index.enter(&object_ref, &facts);
        self.routes.insert(object_ref, facts);
    }

    /// Adds or replaces a grant.
    pub fn put_grant(&mut self, facts: GrantFacts) {
        self.remove_grant(&facts.object_ref);
        let object_ref = Arc::new(facts.object_ref.clone());
        for permission in facts.permissions() {
            self.grants_of.entry(permission.key()).or_default().insert(Arc::clone(&object_ref));
        }
        self.counts[facts.object_ref.kind as usize] += 1;
        self.grants.insert(object_ref, facts);
    }

    /// Adds or replaces a policy.
    pub fn put_policy(&mut self, facts: PolicyFacts) {
        self.remove_policy(&facts.object_ref);
        let object_ref = Arc::new(facts.object_ref.clone());
        for target in policy_targets(&facts) {
            self.policies_of.entry(target).or_default().insert(Arc::clone(&object_ref));
        }
        self.counts[facts.object_ref.kind as usize] += 1;
        self.policies.insert(object_ref, facts);
    }

    /// Removes an object.
    pub fn remove(&mut self, object_ref: &ObjectRef, hosts: &mut HostIndex) {
        match object_ref.kind {
            Kind::GatewayClass => drop(self.classes.remove(object_ref.name.as_str())),
            Kind::Gateway | Kind::ListenerSet => self.remove_listeners(object_ref, hosts),
            Kind::ReferenceGrant => self.remove_grant(object_ref),
            Kind::BackendTlsPolicy => self.remove_policy(object_ref),
            _ => self.remove_route(object_ref, hosts),
        }
    }

    fn remove_listeners(&mut self, object_ref: &ObjectRef, hosts: &mut HostIndex) {
        let Some((object_ref, facts)) = self.listeners.remove_entry(object_ref) else { return };
        self.counts[object_ref.kind as usize] -= 1;
        self.defaults.remove(&object_ref);
        self.listener_index.leave(&object_ref, &facts);
        hosts.leave(&object_ref, named_hosts(&facts));
        match &facts.parent {
            Some(parent) => leave(&mut self.sets_of, parent, &object_ref),
            None => leave(&mut self.of_class, &facts.class, &object_ref),
        }
    }

    fn remove_route(&mut self, object_ref: &ObjectRef, hosts: &mut HostIndex) {
        let Some(facts) = self.routes.remove(object_ref) else { return };
        self.counts[object_ref.kind as usize] -= 1;
        hosts.leave(object_ref, facts.hosts.iter());
        self.route_index.leave(&facts);
        targets(&facts).for_each(|target| leave(&mut self.routes_of, &target, object_ref));
        facts.service_refs().for_each(|service| leave(&mut self.routes_to, &service, object_ref));
    }

    fn remove_grant(&mut self, object_ref: &ObjectRef) {
        let Some(facts) = self.grants.remove(object_ref) else { return };
        self.counts[object_ref.kind as usize] -= 1;
        for permission in facts.permissions() {
            leave(&mut self.grants_of, &permission.key(), object_ref);
        }
    }

    fn remove_policy(&mut self, object_ref: &ObjectRef) {
        let Some(facts) = self.policies.remove(object_ref) else { return };
        self.counts[object_ref.kind as usize] -= 1;
        policy_targets(&facts).for_each(|target| leave(&mut self.policies_of, &target, object_ref));
    }

    /// The number of objects of `kind`.
    pub fn count(&self, kind: Kind) -> usize {
        if kind == Kind::GatewayClass { self.classes.len() } else { self.counts[kind as usize] }
    }

    /// References to all objects of `kind`, unordered.
    pub fn object_refs(&self, kind: Kind) -> Vec<ObjectRef> {
        let of_kind = |object_ref: &&Arc<ObjectRef>| object_ref.kind == kind;
        match kind {
            Kind::GatewayClass => self.classes.values().map(GatewayClassFacts::object_ref).collect(),
            Kind::Gateway | Kind::ListenerSet => {
                self.listeners.keys().filter(of_kind).map(|object_ref| (**object_ref).clone()).collect()
            }
            Kind::ReferenceGrant => self.grants.keys().map(|object_ref| (**object_ref).clone()).collect(),
            Kind::BackendTlsPolicy => self.policies.keys().map(|object_ref| (**object_ref).clone()).collect(),
            _ => self.routes.keys().filter(of_kind).map(|object_ref| (**object_ref).clone()).collect(),
        }
    }

    /// References to the Gateways and ListenerSets, unordered.
    pub fn listeners_object_refs(&self) -> impl Iterator<Item = &ObjectRef> {
        self.listeners.keys().map(|object_ref| &**object_ref)
    }

    /// References to the routes, unordered.
    pub fn route_object_refs(&self) -> impl Iterator<Item = &ObjectRef> {
        self.routes.keys().map(|object_ref| &**object_ref)
    }

    /// The GatewayClass of this name.
    pub fn class(&self, name: &str) -> Option<&GatewayClassFacts> {
        self.classes.get(name)
    }

    /// All GatewayClasses, ordered by name.
    pub fn classes(&self) -> impl Iterator<Item = &GatewayClassFacts> {
        self.classes.values()
    }

    /// The Gateway or ListenerSet at `object_ref`.
    pub fn listeners(&self, object_ref: &ObjectRef) -> Option<&ListenersFacts> {
        self.listeners.get(object_ref)
    }

    /// The route at `object_ref`.
    pub fn route(&self, object_ref: &ObjectRef) -> Option<&GatewayRouteFacts> {
        self.routes.get(object_ref).map(|facts| &**facts)
    }

    /// The grant at `object_ref`.
    pub fn grant(&self, object_ref: &ObjectRef) -> Option<&GrantFacts> {
        self.grants.get(object_ref)
    }

    /// The policy at `object_ref`.
    pub fn policy(&self, object_ref: &ObjectRef) -> Option<&PolicyFacts> {
        self.policies.get(object_ref)
    }

    /// The Gateways of a class, ordered by reference.
    pub fn of_class(&self, class: &str) -> impl Iterator<Item = &ListenersFacts> {
        under(self.of_class.get(class), |object_ref| self.listeners.get(object_ref))
    }

    /// The Gateways to which routes with `useDefaultGateways` attach, ordered by reference.
    pub fn defaults(&self) -> impl Iterator<Item = &ListenersFacts> {
        under(Some(&self.defaults), |object_ref| self.listeners.get(object_ref))
    }

    /// The ListenerSets that add listeners to a Gateway, ordered by reference.
    pub fn sets_of(&self, gateway: &ObjectRef) -> impl Iterator<Item = &ListenersFacts> {
        under(self.sets_of.get(gateway), |object_ref| self.listeners.get(object_ref))
    }

    /// The listeners of Gateways and ListenerSets.
    pub fn listener_index(&self) -> &ListenerIndex {
        &self.listener_index
    }

    /// The routes of `kind` that refer to a Gateway or ListenerSet, or to [the default Gateways](DEFAULT_GATEWAYS):
    /// first those outside the namespace `own`, then those inside, each part ordered by reference.
    pub fn routes_of(&self, parent: &ObjectRef, kind: Kind, own: &str) -> impl Iterator<Item = &GatewayRouteFacts> {
        let object_refs = self.routes_of.get(parent).into_iter();
        object_refs
            .flat_map(move |object_refs| of_kind(object_refs, kind, own))
            .filter_map(|object_ref| self.route(object_ref))
    }

    /// Those of these routes outside the namespace `own`: of each namespace at most `most`, whatever else it has.
    pub fn first_routes_of(
        &self,
        parent: &ObjectRef,
        kind: Kind,
        own: &str,
        most: usize,
    ) -> impl Iterator<Item = &GatewayRouteFacts> {
        let object_refs = self.routes_of.get(parent).into_iter();
        object_refs
            .flat_map(move |object_refs| first_of_namespaces(object_refs, kind, own, most))
            .filter_map(|object_ref| self.route(object_ref))
    }

    /// The routes in `namespace`, unordered.
    pub fn routes_in(&self, namespace: &str) -> impl Iterator<Item = &GatewayRouteFacts> {
        let routes = self.routes.values().map(|facts| &**facts);
        routes.filter(move |facts| facts.object_ref.namespace == namespace)
    }

    /// The routes that send requests to a Service, ordered by reference.
    pub fn routes_to(&self, service: &ObjectRef) -> impl Iterator<Item = &GatewayRouteFacts> {
        under(self.routes_to.get(service), |object_ref| self.route(object_ref))
    }

    /// The routes that delegate to other routes, ordered by reference.
    pub fn delegating_routes(&self) -> impl Iterator<Item = &ObjectRef> {
        self.route_index.delegating()
    }

    /// The routes that name exactly this host, ordered by reference, regardless of their parents. For `Host::Any`, only
    /// routes that refer to `parent`.
    pub fn routes_with_host(&self, parent: &ObjectRef, host: &Host<'_>) -> impl Iterator<Item = &GatewayRouteFacts> {
        self.route_index.with_host(parent, host).filter_map(|object_ref| self.route(object_ref))
    }

    /// The routes that name a host covered by the wildcard `host`, ordered by host, regardless of their parents. For
    /// `Host::Any`, the routes of `kind` that refer to `parent`, ordered by reference.
    pub fn routes_covered(
        &self,
        parent: &ObjectRef,
        kind: Kind,
        host: &Host<'_>,
    ) -> impl Iterator<Item = &GatewayRouteFacts> {
        let all = (*host == Host::Any).then(|| self.routes_of(parent, kind, ""));
        let covered = self.route_index.covered(host).filter_map(|object_ref| self.route(object_ref));
        all.into_iter().flatten().chain(covered)
    }

    /// The routes with this claim. See [`RouteIndex::with_claim`].
    pub fn routes_with_claim<'i>(
        &'i self,
        kind: Kind,
        reference: Option<RouteReference<'_>>,
        claim: RouteClaim<'_>,
        is_wanted: impl Fn(&ObjectRef) -> bool,
    ) -> Vec<FirstRoute<'i>> {
        self.route_index.with_claim(kind, reference, claim, is_wanted)
    }

    /// The grants with this permission, ordered by reference.
    pub fn grants(&self, permission: Permission<'_>) -> impl Iterator<Item = &GrantFacts> {
        let grants = under(self.grants_of.get(&permission.key()), |object_ref| self.grants.get(object_ref));
        grants.filter(move |grant| grant.permissions().any(|own| own == permission))
    }

    /// The policies that target this port of a Service, or the Service as a whole without one, ordered by reference.
    pub fn policies_of<'i>(
        &'i self,
        service: &ObjectRef,
        section: Option<&str>,
    ) -> impl Iterator<Item = &'i PolicyFacts> + use<'i> {
        let target = (service.clone(), section.map(Box::from));
        under(self.policies_of.get(&target), |object_ref| self.policies.get(object_ref))
    }
}
