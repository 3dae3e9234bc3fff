//! The ancestors of an object: the objects that delegate to it or include it, directly or through others. They show
//! which of its own delegations would close a cycle.

use std::collections::VecDeque;

use hashbrown::HashMap;

use crate::cluster::Overlay;
use crate::cluster::delegation_facts::DelegationFacts;
use crate::kinds::ObjectRef;
use crate::kinds::http_proxy::Traffic;

/// The objects from which paths lead to the object under review, found in one traversal however many paths there are.
#[derive(Debug)]
pub struct Ancestors<'c> {
    this: &'c ObjectRef,
    /// For each ancestor, its facts and the next object on a shortest path down.
    ways: HashMap<&'c ObjectRef, (&'c DelegationFacts, &'c ObjectRef)>,
}

impl<'c> Ancestors<'c> {
    /// Returns the ancestors of `class` on paths for `traffic`, or on all paths if it is `None`. Since no object can
    /// delegate to a root, the traversal does not continue above roots.
    pub fn of(cluster: &Overlay<'c>, class: Option<&str>, traffic: Option<Traffic>) -> Self {
        let this = cluster.this();
        let (mut ways, mut next) = (HashMap::new(), VecDeque::from([this]));
        while let Some(below) = next.pop_front() {
            for facts in cluster.referrers(below).filter(|facts| facts.is_of(class)) {
                let leads = traffic.is_none_or(|traffic| facts.targets_of(traffic).any(|target| target == below));
                if leads && !ways.contains_key(&*facts.object_ref) {
                    ways.insert(&*facts.object_ref, (facts, below));
                    next.extend(facts.root.is_none().then_some(&*facts.object_ref));
                }
            }
        }
        Self { this, ways }
    }

    /// Returns no ancestors.
    pub fn none(cluster: &Overlay<'c>) -> Self {
        Self { this: cluster.this(), ways: HashMap::new() }
    }

    /// The ancestors, unordered.
    pub fn objects(&self) -> impl Iterator<Item = &'c DelegationFacts> {
        self.ways.values().map(|(facts, _)| *facts)
    }

    /// Whether `object_ref` is an ancestor or the object under review itself.
    pub fn leads(&self, object_ref: &ObjectRef) -> bool {
        object_ref == self.this || self.ways.contains_key(object_ref)
    }

    /// A shortest cycle that the object closes by delegating to `target`: the object, `target`, and so on, with the
    /// object again at the end.
    pub fn cycle<'w>(&'w self, target: &'w ObjectRef) -> Option<Vec<&'w ObjectRef>> {
        let mut cycle = vec![self.this];
        let mut at = target;
        while at != self.this {
            cycle.push(at);
            at = self.ways.get(at)?.1;
        }
        cycle.push(self.this);
        Some(cycle)
    }
}
