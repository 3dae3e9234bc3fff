//! The routes of the Gateway API, indexed by what they claim of their parents, so that conflicting routes are found
//! without looking at the others.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use hashbrown::HashMap;

use super::claim_table::{ClaimTable, Group, oldest_of_each};
use super::gateway_facts::GatewayRouteFacts;
use super::route_claim::{References, RouteClaim, RouteKey, RouteMember, RouteReference, RouteSlots};
use super::slot::Slot;
use super::small_set::SmallSet;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;
use crate::matching::host::Form;

/// Object references in order.
type ObjectRefs = SmallSet<Arc<ObjectRef>>;

/// The routes, by claim; those of the kinds with hosts also by the hosts that they name, and by parent if they name none.
#[derive(Debug, Default)]
pub struct RouteIndex {
    /// By host (labels in reverse order). A route has one entry per host for all its parents, since few routes of
    /// different parents name the same host.
    named: BTreeMap<Arc<str>, ObjectRefs>,
    /// Routes without hosts, by parent.
    unnamed: HashMap<ObjectRef, ObjectRefs>,
    claims: ClaimTable<RouteMember>,
    /// The facts of each route, by which `claims` compares its members.
    slots: Vec<Option<Arc<GatewayRouteFacts>>>,
    free: Vec<Slot>,
    slot_of: HashMap<Arc<ObjectRef>, Slot>,
    /// Routes that delegate to other routes.
    delegating: BTreeSet<Arc<ObjectRef>>,
}

/// A route with some claim, before others that no comparison distinguishes from it except by age.
#[derive(Debug, Clone, Copy)]
pub struct FirstRoute<'i> {
    /// The route.
    pub facts: &'i GatewayRouteFacts,
    /// Whether there are such others.
    pub has_others: bool,
}

impl RouteIndex {
    /// Adds the route at `object_ref`.
    pub fn enter(&mut self, object_ref: &Arc<ObjectRef>, facts: &Arc<GatewayRouteFacts>) {
        for host in hosts(facts) {
            self.named.entry(host).or_default().insert(Arc::clone(object_ref));
        }
        for parent in unnamed(facts) {
            self.unnamed.entry(parent.clone()).or_default().insert(Arc::clone(object_ref));
        }
        if facts.delegates {
            self.delegating.insert(Arc::clone(object_ref));
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            Slot::try_from(self.slots.len() - 1).expect("fewer than 2^32 routes fit in memory")
        });
        self.slots[slot as usize] = Some(Arc::clone(facts));
        for (key, member) in RouteMember::all(slot, facts) {
            self.claims.insert(key, member, &RouteSlots(&self.slots));
        }
        self.slot_of.insert(Arc::clone(object_ref), slot);
    }

    /// Removes a route that was added with these facts.
    pub fn leave(&mut self, facts: &GatewayRouteFacts) {
        for host in hosts(facts) {
            let Some(object_refs) = self.named.get_mut(&host) else { continue };
            object_refs.remove(&facts.object_ref);
            if object_refs.is_empty() {
                self.named.remove(&host);
            }
        }
        for parent in unnamed(facts) {
            let Some(object_refs) = self.unnamed.get_mut(parent) else { continue };
            object_refs.remove(&facts.object_ref);
            if object_refs.is_empty() {
                self.unnamed.remove(parent);
            }
        }
        self.delegating.remove(&facts.object_ref);
        let Some(slot) = self.slot_of.remove(&facts.object_ref) else { return };
        for (key, member) in RouteMember::all(slot, facts) {
            self.claims.remove(key, member, &RouteSlots(&self.slots));
        }
        self.slots[slot as usize] = None;
        self.free.push(slot);
    }

    /// The routes of `kind` with this claim, unordered. Of those that no comparison distinguishes, only the first one
    /// for which `is_wanted` is true is returned, which is the oldest. By host alone, the oldest ones of each namespace are
    /// returned, and none for `Host::Any`: the hosts of such routes are those of their listeners.
    pub fn with_claim<'i>(
        &'i self,
        kind: Kind,
        reference: Option<RouteReference<'_>>,
        claim: RouteClaim<'_>,
        is_wanted: impl Fn(&ObjectRef) -> bool,
    ) -> Vec<FirstRoute<'i>> {
        let key: RouteKey<'_> = (kind, reference, claim);
        let slots = RouteSlots(&self.slots);
        let wanted = |group: Group<'i, RouteMember>| {
            group.iter().filter_map(move |member| slots.facts(member)).filter(|facts| is_wanted(&facts.object_ref))
        };
        // Only half of a hash is compared.
        let groups =
            self.claims.groups(self.claims.short_hash(key)).filter(|group| slots.key(group.first()) == Some(key));
        let mut found: Vec<FirstRoute<'i>> = Vec::new();
        if let (None, RouteClaim::Host(form, _)) = (reference, claim) {
            if form == Form::Any {
                return found;
            }
            let are_alike = |one: &&GatewayRouteFacts, other: &&_| References::of(one) == References::of(other);
            let oldest = groups.flat_map(|group| oldest_of_each(wanted(group), are_alike));
            found.extend(oldest.map(|(facts, has_others)| FirstRoute { facts, has_others }));
        } else {
            found.extend(groups.flat_map(|group| group.variants(slots)).filter_map(|variant| {
                let mut wanted = wanted(variant);
                Some(FirstRoute { facts: wanted.next()?, has_others: wanted.next().is_some() })
            }));
        }
        found
    }

    /// The routes that delegate to other routes, ordered by reference.
    pub fn delegating(&self) -> impl Iterator<Item = &ObjectRef> {
        self.delegating.iter().map(|object_ref| &**object_ref)
    }

    /// The routes that name exactly this host, ordered by reference. For `Host::Any`, the routes without hosts that
    /// refer to `parent`.
    pub fn with_host(&self, parent: &ObjectRef, host: &Host<'_>) -> impl Iterator<Item = &ObjectRef> {
        let object_refs = match host {
            Host::Any => self.unnamed.get(parent),
            host => self.named.get(host.from_the_right().as_str()),
        };
        object_refs.into_iter().flat_map(ObjectRefs::iter).map(|object_ref| &**object_ref)
    }

    /// The routes that name a host covered by the wildcard `host` or the wildcard itself, ordered by host. A route
    /// appears once per such host. There are none for a precise host and for `Host::Any`.
    pub fn covered(&self, host: &Host<'_>) -> impl Iterator<Item = &ObjectRef> {
        let prefix = if *host == Host::Any { None } else { host.prefix_of_covered() };
        prefix
            .into_iter()
            .flat_map(move |prefix| {
                let from: (Bound<&str>, Bound<&str>) = (Bound::Included(&prefix), Bound::Unbounded);
                let covered = self.named.range::<str, _>(from);
                covered
                    .take_while(move |(name, _)| name.starts_with(&prefix))
                    .flat_map(|(_, object_refs)| object_refs.iter())
            })
            .map(|object_ref| &**object_ref)
    }
}

/// The hosts that a route names (labels in reverse order), each once. There are none for kinds without hosts.
fn hosts(facts: &GatewayRouteFacts) -> BTreeSet<Arc<str>> {
    let named = facts.hosts.iter().filter(|host| **host != Host::Any && has_hosts(facts));
    named.map(|host| Arc::from(host.from_the_right())).collect()
}

/// The parents of a route that serves every host, each once. There are none for kinds without hosts.
fn unnamed(facts: &GatewayRouteFacts) -> BTreeSet<&ObjectRef> {
    let is_unnamed = has_hosts(facts) && (facts.hosts.is_empty() || facts.hosts.contains(&Host::Any));
    facts.parents.iter().filter(|_| is_unnamed).map(|parent| &parent.target).collect()
}

fn has_hosts(facts: &GatewayRouteFacts) -> bool {
    matches!(facts.object_ref.kind, Kind::HttpRoute | Kind::GrpcRoute | Kind::TlsRoute)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kinds::decode;
    use crate::matching::host::Form;

    fn route(namespace: &str, name: &str, section: &str, paths: usize) -> Arc<GatewayRouteFacts> {
        let path = |number: usize| json!({"path": {"value": format!("/{number}")}});
        let matches: Vec<_> = (0..paths).map(path).collect();
        let parent = json!({"name": "edge", "namespace": "infra", "sectionName": section});
        let hosts = ["a.example.org", "b.example.org", "a.example.org"];
        let spec = json!({"parentRefs": [parent, parent], "hostnames": hosts, "rules": [{"matches": matches}]});
        let json = json!({"metadata": {"namespace": namespace, "name": name}, "spec": spec}).to_string();
        let object = decode(Kind::HttpRoute, &json).expect("a route");
        Arc::new(GatewayRouteFacts::of(&object.route().expect("a route")))
    }

    /// A look-up finds one route of each namespace, however many there are, and none with another section.
    #[test]
    fn look_up_finds_the_first_route_of_each_namespace() {
        let parent = ObjectRef::new(Kind::Gateway, "infra", "edge");
        let reference = |section| Some(RouteReference { parent: &parent, section: Some(section), port: None });
        let host = |name| RouteClaim::Host(Form::Precise, name);
        let mut all = Vec::new();
        let mut index = RouteIndex::default();
        for number in 0..300 {
            all.extend(["x", "y"].map(|namespace| route(namespace, &format!("r{number:03}"), "http", 2)));
            all.push(route("x", &format!("other{number:03}"), &format!("nowhere-{number}"), 2));
        }
        all.push(route("x", "large", "http", 3_000));
        for facts in &all {
            index.enter(&Arc::new(facts.object_ref.clone()), facts);
        }
        let matched = RouteClaim::Match(Form::Precise, "b.example.org", &all[0].matches[0]);
        let find = |index: &RouteIndex, section, claim| {
            let found = index.with_claim(Kind::HttpRoute, section, claim, |_| true);
            let mut found: Vec<_> =
                found.iter().map(|first| (first.facts.object_ref.to_string(), first.has_others)).collect();
            found.sort();
            found
        };
        let both = [("HTTPRoute x/large".to_owned(), true), ("HTTPRoute y/r000".to_owned(), true)];
        assert_eq!(find(&index, reference("http"), host("b.example.org")), both);
        assert_eq!(find(&index, reference("http"), RouteClaim::Below("example.org")), both);
        assert_eq!(find(&index, reference("http"), RouteClaim::Below("")), both);
        let small = [("HTTPRoute x/r000".to_owned(), true), ("HTTPRoute y/r000".to_owned(), true)];
        assert_eq!(find(&index, reference("http"), matched), small);
        // A route with many matches is found without its reference.
        let large = [("HTTPRoute x/large".to_owned(), false)];
        assert_eq!(find(&index, None, matched), large);
        assert_eq!(
            find(&index, reference("nowhere-7"), host("a.example.org")),
            [("HTTPRoute x/other007".to_owned(), false)]
        );
        assert_eq!(find(&index, reference("https"), host("a.example.org")), []);
        assert_eq!(find(&index, reference("http"), host("c.example.org")), []);
        for facts in &all {
            index.leave(facts);
        }
        assert!(index.claims.is_empty() && index.named.is_empty() && index.slot_of.is_empty(), "nothing remains");
    }
}
