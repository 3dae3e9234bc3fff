//! How much each namespace stores, so that one namespace cannot fill the memory of every replica.
//!
//! Beyond a limit, the view keeps only the oldest objects of a namespace. It knows of the others that they exist, and how
//! many entries they have; their content is unknown. So a look-up of such an object is `Unknown`, and its kind is not complete. Which
//! objects are kept depends on the objects alone and not on the order of events.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;
use jiff::Timestamp;

use super::delegation_facts::DelegationFacts;
use super::gateway_facts::GatewayRouteFacts;
use super::{Cluster, Event, Facts, IngressFacts};
use crate::kinds::{Kind, KindSet, ObjectRef};

/// The default of the number of entries that one namespace may store: ten objects of the largest size, or thousands of
/// ordinary ones.
pub const MAX_NAMESPACE_ENTRIES: u32 = 200_000;

/// The number of entries of one namespace beyond which its newest objects are not kept. A namespace gets there only with
/// objects that were stored before Portcullis or its limit.
pub const MAX_STORED_ENTRIES: u32 = 2 * MAX_NAMESPACE_ENTRIES;

/// The kinds whose objects have entries.
pub const KINDS: KindSet = KindSet::ROUTES.union(KindSet::of(&[Kind::Ingress, Kind::IngressRoute, Kind::HttpProxy]));

/// The position of an object among those of its namespace, the oldest first. An object without a creation time is the
/// newest.
type Rank = (bool, Option<Timestamp>, Arc<ObjectRef>);

/// The number of entries of an object, and its creation time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    entries: usize,
    created: Option<Timestamp>,
}

impl Size {
    fn rank(self, object_ref: Arc<ObjectRef>) -> Rank {
        (self.created.is_none(), self.created, object_ref)
    }
}

/// The number of entries of the stored objects, by namespace, and the objects that are cut: those that are not kept,
/// because their namespace has too many.
#[derive(Debug)]
pub(super) struct NamespaceEntries {
    limit: usize,
    /// By namespace, including objects that are cut.
    totals: HashMap<Box<str>, usize>,
    /// The order of the objects of each namespace that is or was above the limit.
    orders: HashMap<Box<str>, NamespaceOrder>,
    cut: HashMap<Arc<ObjectRef>, Size>,
    cut_by_kind: [usize; Kind::ALL.len()],
}

impl Default for NamespaceEntries {
    fn default() -> Self {
        Self {
            limit: usize::MAX,
            totals: HashMap::new(),
            orders: HashMap::new(),
            cut: HashMap::new(),
            cut_by_kind: Default::default(),
        }
    }
}

/// The objects of a namespace by age, each with its number of entries.
#[derive(Debug, Default)]
struct NamespaceOrder {
    /// The oldest ones, as many as the limit allows. Those among them that were cut earlier are kept again when the next
    /// event contains them.
    within: BTreeMap<Rank, usize>,
    /// The sum of the entries of `within`.
    sum: usize,
    /// The others.
    beyond: BTreeMap<Rank, usize>,
    /// The number of objects that are cut.
    cut: usize,
}

impl NamespaceOrder {
    fn insert(&mut self, rank: Rank, entries: usize) {
        if self.beyond.first_key_value().is_some_and(|(first, _)| *first < rank) {
            self.beyond.insert(rank, entries);
        } else {
            self.within.insert(rank, entries);
            self.sum += entries;
        }
    }

    fn remove(&mut self, rank: &Rank) {
        match self.within.remove(rank) {
            Some(entries) => self.sum -= entries,
            None => drop(self.beyond.remove(rank)),
        }
    }

    /// Moves the newest objects beyond the limit, and back within it what fits. Returns those that are beyond it now.
    fn balance(&mut self, limit: usize) -> Vec<(Rank, usize)> {
        let mut moved = Vec::new();
        while self.sum > limit
            && let Some((rank, entries)) = self.within.pop_last()
        {
            self.sum -= entries;
            self.beyond.insert(rank.clone(), entries);
            moved.push((rank, entries));
        }
        while let Some(first) = self.beyond.first_entry().filter(|first| self.sum + *first.get() <= limit) {
            let (rank, entries) = first.remove_entry();
            self.sum += entries;
            self.within.insert(rank, entries);
        }
        moved
    }

    /// Whether the order is not needed until the namespace is above the limit again. It is built from all objects, so
    /// that it stays until the namespace is far below.
    fn is_idle(&self, limit: usize) -> bool {
        self.cut == 0 && self.beyond.is_empty() && self.sum <= limit / 2
    }
}

impl NamespaceEntries {
    /// The number of entries in `namespace`.
    fn of(&self, namespace: &str) -> usize {
        self.totals.get(namespace).copied().unwrap_or_default()
    }

    /// Replaces an object of `namespace` with `before` entries by one with `after`.
    fn replace(&mut self, namespace: &str, before: usize, after: usize) {
        if before == after || namespace.is_empty() {
            return;
        }
        let total = self.totals.entry_ref(namespace).or_default();
        *total = total.saturating_sub(before) + after;
        if *total == 0 {
            self.totals.remove(namespace);
        }
    }

    fn is_cut(&self, object_ref: &ObjectRef) -> bool {
        !self.cut.is_empty() && self.cut.contains_key(object_ref)
    }

    /// Whether an object of `namespace` is cut.
    pub fn has_cut_in(&self, namespace: &str) -> bool {
        self.orders.get(namespace).is_some_and(|order| order.cut > 0)
    }

    /// References to the objects of `kind` that are cut, unordered.
    pub fn cut_object_refs(&self, kind: Kind) -> impl Iterator<Item = &ObjectRef> {
        self.cut.keys().map(|object_ref| &**object_ref).filter(move |object_ref| object_ref.kind == kind)
    }

    /// The creation times and references of the objects that are cut, unordered.
    pub fn cut_by_age(&self) -> impl Iterator<Item = (Option<Timestamp>, &ObjectRef)> {
        self.cut.iter().map(|(object_ref, size)| (size.created, &**object_ref))
    }

    fn set_cut(&mut self, object_ref: &Arc<ObjectRef>, size: Option<Size>) {
        let before = match size {
            Some(size) => self.cut.insert(Arc::clone(object_ref), size),
            None => self.cut.remove(object_ref),
        };
        let count = |count: &mut usize| *count = *count + usize::from(size.is_some()) - usize::from(before.is_some());
        count(&mut self.cut_by_kind[object_ref.kind as usize]);
        self.orders.get_mut(&*object_ref.namespace).into_iter().for_each(|order| count(&mut order.cut));
    }
}

/// What an event changes about the objects that are cut.
#[derive(Debug, Default)]
pub(super) struct CutChange {
    /// The object of the event, if its namespace is or was above the limit.
    pub own: Option<OwnChange>,
    /// Further objects that are cut from now on.
    pub newest: Vec<Arc<ObjectRef>>,
    /// Whether all objects of some kind were kept before the event and are not after it, or the reverse.
    pub changes_knowledge: bool,
}

/// Whether the object of an event is cut, before and after it.
#[derive(Debug)]
pub(super) struct OwnChange {
    pub object_ref: Arc<ObjectRef>,
    pub was_cut: bool,
    pub is_cut: bool,
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
    /// The view, which is empty, with the limit of a replica, which keeps what every namespace stores.
    pub fn limited(mut self) -> Self {
        self.entries.limit = MAX_STORED_ENTRIES as usize;
        self
    }

    /// The number of paths and matches that the objects of `namespace` have.
    pub fn namespace_entries(&self, namespace: &str) -> usize {
        self.entries.of(namespace)
    }

    /// The number of paths and matches of the object at `object_ref`; 0 if it does not exist.
    pub fn entries_of(&self, object_ref: &ObjectRef) -> usize {
        self.size_of(object_ref).map_or(0, |size| size.entries)
    }

    /// The number of objects of `kind` that are cut: the view knows that they exist but not their content, because their
    /// namespace has too many entries.
    pub fn cut_objects(&self, kind: Kind) -> usize {
        self.entries.cut_by_kind[kind as usize]
    }

    /// Whether the object at `object_ref` is cut.
    pub fn is_cut(&self, object_ref: &ObjectRef) -> bool {
        self.entries.is_cut(object_ref)
    }

    fn size_of(&self, object_ref: &ObjectRef) -> Option<Size> {
        if self.entries.is_cut(object_ref) {
            return self.entries.cut.get(object_ref).copied();
        }
        let size = |entries, created| Size { entries, created };
        match object_ref.kind {
            Kind::Ingress => {
                let facts = self.ingresses.get(&object_ref.namespace, &object_ref.name)?;
                Some(size(facts.entries(), facts.created))
            }
            Kind::IngressRoute | Kind::HttpProxy => {
                self.delegations.get(object_ref).map(|facts| size(facts.entries(), facts.created))
            }
            kind if KindSet::ROUTES.contains(kind) => {
                self.gateways.route(object_ref).map(|facts| size(facts.entries(), facts.created))
            }
            _ => None,
        }
    }

    /// Counts what an event is about to change, and decides which objects are cut: a namespace keeps its oldest objects,
    /// as many as the limit allows, in whatever order the events arrive.
    pub(super) fn count_entries(&mut self, event: &Event) -> CutChange {
        let (object_ref, after) = match event {
            Event::Apply(facts) => match size(facts) {
                Some(after) => (facts.object_ref(), Some(after)),
                None => return CutChange::default(),
            },
            Event::Delete(object_ref) => (object_ref.clone(), None),
            _ => return CutChange::default(),
        };
        let before = self.size_of(&object_ref);
        let [was, is] = [before, after].map(|size| size.map_or(0, |size| size.entries));
        let namespace = &*object_ref.namespace;
        self.entries.replace(namespace, was, is);
        if !self.entries.orders.contains_key(namespace) {
            if self.entries.of(namespace) <= self.entries.limit {
                return CutChange::default();
            }
            let order = self.order_of(namespace);
            self.entries.orders.insert(namespace.into(), order);
        }
        let object_ref = Arc::new(object_ref);
        self.entries.reorder(&object_ref, before, after)
    }

    /// The order of the objects of a namespace that are all kept.
    fn order_of(&self, namespace: &str) -> NamespaceOrder {
        let mut order = NamespaceOrder::default();
        for object_ref in self.kept_object_refs(namespace) {
            if let Some(size) = self.size_of(object_ref).filter(|size| size.entries > 0) {
                order.insert(size.rank(Arc::new(object_ref.clone())), size.entries);
            }
        }
        order
    }

    /// The objects of a namespace that are kept, each with its number of entries.
    pub(super) fn entry_holders(&self, namespace: &str) -> impl Iterator<Item = (&ObjectRef, usize)> {
        self.kept_object_refs(namespace).map(|object_ref| (object_ref, self.entries_of(object_ref)))
    }

    /// References to the objects of a namespace that are kept and may have entries. All objects of the view are compared.
    fn kept_object_refs(&self, namespace: &str) -> impl Iterator<Item = &ObjectRef> {
        let ingresses = self.ingresses.iter().map(|facts| &facts.object_ref);
        let all = ingresses.chain(self.delegations.delegation_object_refs()).chain(self.gateways.route_object_refs());
        all.filter(move |object_ref| object_ref.namespace == namespace)
    }
}

impl NamespaceEntries {
    /// Replaces the state of an object in the order of its namespace, and cuts what does not fit any more.
    fn reorder(&mut self, object_ref: &Arc<ObjectRef>, before: Option<Size>, after: Option<Size>) -> CutChange {
        let all_kept = |own: &Self| own.cut_by_kind.map(|count| count == 0);
        let known = all_kept(self);
        let Some(order) = self.orders.get_mut(&*object_ref.namespace) else { return CutChange::default() };
        if let Some(before) = before {
            order.remove(&before.rank(Arc::clone(object_ref)));
        }
        let after = after.filter(|after| after.entries > 0);
        if let Some(after) = after {
            order.insert(after.rank(Arc::clone(object_ref)), after.entries);
        }
        let moved = order.balance(self.limit);
        let is_beyond = |after: &Size| order.beyond.contains_key(&after.rank(Arc::clone(object_ref)));
        let own = after.filter(is_beyond);
        let (was_cut, is_cut) = (self.is_cut(object_ref), own.is_some());
        let mut newest = Vec::new();
        for ((_, created, moved), entries) in moved {
            if moved != *object_ref && !self.is_cut(&moved) {
                self.set_cut(&moved, Some(Size { entries, created }));
                newest.push(moved);
            }
        }
        self.set_cut(object_ref, own);
        if self.orders.get(&*object_ref.namespace).is_some_and(|order| order.is_idle(self.limit)) {
            self.orders.remove(&*object_ref.namespace);
        }
        let own = Some(OwnChange { object_ref: Arc::clone(object_ref), was_cut, is_cut });
        CutChange { own, newest, changes_knowledge: all_kept(self) != known }
    }
}

/// The number of entries of an object and its creation time; `None` for a kind without entries.
fn size(facts: &Facts) -> Option<Size> {
    let created = match facts {
        Facts::Ingress(facts) => facts.created,
        Facts::GatewayRoute(facts) => facts.created,
        Facts::Delegation(facts) => facts.created,
        _ => return None,
    };
    Some(Size { entries: entries(facts), created })
}

#[cfg(test)]
mod tests;
