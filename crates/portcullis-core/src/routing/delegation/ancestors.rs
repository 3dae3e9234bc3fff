//! What is above an object: who leads to it by delegations or includes, be it through others, and so which of its own would close a cycle.

use std::collections::VecDeque;

use hashbrown::HashMap;

use crate::cluster::Overlay;
use crate::cluster::delegation_facts::DelegationFacts;
use crate::kinds::ObjectRef;
use crate::kinds::http_proxy::Traffic;

/// The objects from which ways lead down to the object under review, found in one walk however many ways there are.
#[derive(Debug)]
pub struct Ancestors<'c> {
    this: &'c ObjectRef,
    /// Each with the next place on a shortest way down.
    ways: HashMap<&'c ObjectRef, (&'c DelegationFacts, &'c ObjectRef)>,
}

impl<'c> Ancestors<'c> {
    /// Those of `class`, by ways of `traffic`, or of either where it is none. Nobody can lead to a root, so what is above one is not.
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

    /// Nothing.
    pub fn none(cluster: &Overlay<'c>) -> Self {
        Self { this: cluster.this(), ways: HashMap::new() }
    }

    /// The objects, in no order.
    pub fn objects(&self) -> impl Iterator<Item = &'c DelegationFacts> {
        self.ways.values().map(|(facts, _)| *facts)
    }

    /// Whether ways lead down from `object_ref`, or it is the object under review itself.
    pub fn leads(&self, object_ref: &ObjectRef) -> bool {
        object_ref == self.this || self.ways.contains_key(object_ref)
    }

    /// A shortest cycle that the object closes by leading to `target`: the object, `target`, and so on, the object again at the end.
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
