//! How much each namespace stores, so that one namespace cannot fill the memory of every replica.

use hashbrown::HashMap;

use super::delegation_facts::DelegationFacts;
use super::gateway_facts::GatewayRouteFacts;
use super::{Cluster, Event, Facts, IngressFacts};
use crate::kinds::{Kind, KindSet, ObjectRef};

/// The default of the number of entries that one namespace may store: ten objects of the largest size, or thousands of
/// ordinary ones.
pub const MAX_NAMESPACE_ENTRIES: u32 = 200_000;

/// The number of entries of one namespace beyond which the paths of its newest Ingresses are not kept. A namespace gets
/// there only with objects that were stored before Portcullis or its limit.
const MAX_STORED_ENTRIES: usize = 2 * MAX_NAMESPACE_ENTRIES as usize;

/// The number of entries of the stored objects, by namespace.
#[derive(Debug, Default)]
pub(super) struct NamespaceEntries(HashMap<Box<str>, usize>);

impl NamespaceEntries {
    /// The number of entries in `namespace`.
    pub fn of(&self, namespace: &str) -> usize {
        self.0.get(namespace).copied().unwrap_or_default()
    }

    /// Replaces an object of `namespace` with `before` entries by one with `after`.
    pub fn replace(&mut self, namespace: &str, before: usize, after: usize) {
        if before == after || namespace.is_empty() {
            return;
        }
        let total = self.0.entry_ref(namespace).or_default();
        *total = total.saturating_sub(before) + after;
        if *total == 0 {
            self.0.remove(namespace);
        }
    }
}

/// The number of paths and matches of an object.
pub fn entries(facts: &Facts) -> usize {
    match facts {
        Facts::Ingress(facts) => facts.entries(),
        Facts::GatewayRoute(facts) => facts.entries(),
        Facts::Delegation(facts) => facts.entries(),
        _ => 0,
    }
}

impl IngressFacts {
    /// The number of paths that the view keeps: one for each path and host, also if annotations add the host.
    pub fn entries(&self) -> usize {
        let added: usize = self.added.iter().map(|added| added.hosts().count()).sum();
        self.routes.len() * (1 + added)
    }
}

impl GatewayRouteFacts {
    /// The number of hosts at a parent and of matches of a host.
    pub fn entries(&self) -> usize {
        self.hosts.len().max(1) * (self.parents.len() + self.matches.len())
    }
}

impl DelegationFacts {
    /// The number of paths and delegations that the view keeps.
    pub fn entries(&self) -> usize {
        self.edges.len() + self.serves.len()
    }
}

impl Cluster {
    /// The number of paths and matches that the objects of `namespace` have.
    pub fn namespace_entries(&self, namespace: &str) -> usize {
        self.entries.of(namespace)
    }

    /// The number of paths and matches of the object at `object_ref`; 0 if the view does not contain it.
    pub fn entries_of(&self, object_ref: &ObjectRef) -> usize {
        match object_ref.kind {
            Kind::Ingress => {
                self.ingresses.get(&object_ref.namespace, &object_ref.name).map_or(0, IngressFacts::entries)
            }
            Kind::IngressRoute | Kind::HttpProxy => {
                self.delegations.get(object_ref).map_or(0, DelegationFacts::entries)
            }
            kind if KindSet::ROUTES.contains(kind) => {
                self.gateways.route(object_ref).map_or(0, GatewayRouteFacts::entries)
            }
            _ => 0,
        }
    }

    /// The number of Ingresses of which the view keeps no paths, because their namespace has too many.
    pub fn cut_objects(&self) -> usize {
        self.ingresses.cut()
    }

    /// Counts what an event is about to change.
    pub(super) fn count_entries(&mut self, event: &Event) {
        let (object_ref, after) = match event {
            Event::Apply(facts @ (Facts::Ingress(_) | Facts::GatewayRoute(_) | Facts::Delegation(_))) => {
                (facts.object_ref(), entries(facts))
            }
            Event::Delete(object_ref) => (object_ref.clone(), 0),
            _ => return,
        };
        let before = self.entries_of(&object_ref);
        self.entries.replace(&object_ref.namespace, before, after);
    }

    /// Cuts the paths of the newest Ingresses of a namespace with too many entries, as if they were not known: first of
    /// the one that is about to be added, if it is the newest.
    pub(super) fn cut_newest(&mut self, incoming: &mut IngressFacts) {
        let namespace = incoming.object_ref.namespace.clone();
        let is_newer = |one: &IngressFacts, other: &IngressFacts| {
            let rank = |facts: &IngressFacts| (facts.created.is_none(), facts.created);
            rank(one).cmp(&rank(other)).then_with(|| one.object_ref.cmp(&other.object_ref)).is_gt()
        };
        while self.entries.of(&namespace) > MAX_STORED_ENTRIES {
            let stored = self.ingresses.iter().filter(|facts| {
                facts.object_ref.namespace == namespace && !facts.is_cut && facts.object_ref != incoming.object_ref
            });
            let newest = stored.reduce(|one, other| if is_newer(one, other) { one } else { other });
            match newest.filter(|newest| incoming.is_cut || is_newer(newest, incoming)).cloned() {
                Some(mut newest) => {
                    self.entries.replace(&namespace, newest.entries(), 0);
                    newest.cut();
                    self.ingresses.put(newest);
                }
                None if incoming.is_cut => return,
                None => {
                    self.entries.replace(&namespace, incoming.entries(), 0);
                    incoming.cut();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::SyncState;
    use crate::kinds::decode;

    fn ingress(name: &str, created: &str, paths: usize) -> Facts {
        let paths: Vec<String> =
            (0..paths).map(|path| format!(r#"{{"path": "/{path}", "pathType": "Exact", "backend": {{}}}}"#)).collect();
        let json = format!(
            r#"{{"metadata": {{"namespace": "web", "name": "{name}", "creationTimestamp": "{created}-01-01T00:00:00Z"}},
                "spec": {{"rules": [{{"host": "{name}.example.com", "http": {{"paths": [{}]}}}}]}}}}"#,
            paths.join(",")
        );
        Facts::of(&decode(Kind::Ingress, &json).expect("an Ingress"))
    }

    #[test]
    fn the_newest_objects_are_cut_in_any_order_of_events() {
        let half = MAX_STORED_ENTRIES / 2 / 10;
        let objects: Vec<Facts> =
            (0..25).map(|number| ingress(&format!("i{number}"), &(2000 + number).to_string(), half)).collect();
        let orders: [Vec<usize>; 3] =
            [(0..25).collect(), (0..25).rev().collect(), (0..25).map(|number| number * 7 % 25).collect()];
        for order in orders {
            let mut cluster = Cluster::with(SyncState::Complete);
            order.iter().for_each(|number| cluster.apply(Event::Apply(objects[*number].clone())));
            let kept = |number: &usize| cluster.entries_of(&objects[*number].object_ref()) > 0;
            assert_eq!((0..25).filter(kept).collect::<Vec<_>>(), (0..20).collect::<Vec<_>>(), "{order:?}");
            assert_eq!((cluster.namespace_entries("web"), cluster.cut_objects()), (20 * half, 5));
            cluster.apply(Event::Delete(objects[0].object_ref()));
            cluster.apply(Event::Apply(objects[20].clone()));
            assert_eq!(
                (cluster.namespace_entries("web"), cluster.cut_objects()),
                (20 * half, 4),
                "there is room again"
            );
            objects.iter().for_each(|facts| cluster.apply(Event::Delete(facts.object_ref())));
            assert_eq!((cluster.namespace_entries("web"), cluster.cut_objects()), (0, 0));
        }
    }
}
