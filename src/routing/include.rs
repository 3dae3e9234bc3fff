//! Where the includes of HTTPProxies lead: who leads to an object, be it through others, and how many routes come together in a root.
//!
//! Every question is answered in one pass over objects and includes, however many ways lead from one to another.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::cluster::delegation_facts::DelegationFacts;
use crate::cluster::{Lookup, Overlay};
use crate::kinds::ObjectRef;
use crate::kinds::http_proxy::Traffic;

/// The object under review among the others of its class; those of another class are another proxy's.
#[derive(Debug, Clone, Copy)]
pub struct Includes<'c> {
    cluster: &'c Overlay<'c>,
    this: &'c ObjectRef,
    class: Option<&'c str>,
}

impl<'c> Includes<'c> {
    /// Those of the object at `this`, which is of `class`.
    pub fn new(cluster: &'c Overlay<'c>, this: &'c ObjectRef, class: Option<&'c str>) -> Self {
        Self { cluster, this, class }
    }

    /// Whether `other` is served by the same proxy.
    pub fn is_beside(&self, other: &DelegationFacts) -> bool {
        other.class.as_deref() == self.class
    }

    /// The objects from which includes lead here, each with the next one on a shortest way.
    pub fn above(&self, traffic: Traffic) -> HashMap<&'c ObjectRef, &'c ObjectRef> {
        let mut next: HashMap<&ObjectRef, &ObjectRef> = HashMap::new();
        let mut level = vec![self.this];
        while !level.is_empty() {
            let mut above = Vec::new();
            for below in level {
                let referrers = self.cluster.referrers(below).filter(|facts| self.is_beside(facts));
                for facts in referrers.filter(|facts| facts.targets_of(traffic).any(|target| target == below)) {
                    if let Entry::Vacant(entry) = next.entry(&facts.place) {
                        entry.insert(below);
                        above.push(&facts.place);
                    }
                }
            }
            level = above;
        }
        next
    }

    /// How many routes come together in each of the objects at `places`, where the object under review is `own`: those of an object that
    /// is included twice count twice, and an include that leads nowhere counts as the one answer that it is.
    pub fn routes(
        &self,
        places: impl Iterator<Item = &'c ObjectRef>,
        own: &'c DelegationFacts,
    ) -> Vec<(&'c ObjectRef, u64)> {
        let mut known = HashMap::new();
        let one = |place| {
            let facts = self.beside(place, own)?;
            let targets = || facts.targets_of(Traffic::Requests);
            targets().for_each(|target| self.count(target, own, &mut known));
            Some((place, sum(facts, &known)))
        };
        places.filter_map(one).collect()
    }

    /// Counts the routes that come in where the object at `place` is included. Post-order without recursion: a chain may be as long as
    /// there are objects. Where includes go round in a circle, each object is entered once.
    fn count(&self, place: &'c ObjectRef, own: &'c DelegationFacts, known: &mut Counts<'c>) {
        let mut open = vec![place];
        while let Some(place) = open.last().copied() {
            let part = self.beside(place, own).filter(|facts| facts.root.is_none());
            match (known.get(place), part) {
                (None, Some(facts)) => {
                    known.insert(place, None);
                    open.extend(facts.targets_of(Traffic::Requests).filter(|target| !known.contains_key(target)));
                    continue;
                }
                (Some(None), Some(facts)) => drop(known.insert(place, Some(sum(facts, known)))),
                (Some(_), _) => {}
                (None, None) => drop(known.insert(place, Some(1))),
            }
            open.pop();
        }
    }

    /// The object at `place`, if it is there and served by the same proxy.
    fn beside(&self, place: &ObjectRef, own: &'c DelegationFacts) -> Option<&'c DelegationFacts> {
        if place == self.this {
            return Some(own);
        }
        match self.cluster.delegation(place) {
            Lookup::Found(facts) if self.is_beside(facts) => Some(facts),
            _ => None,
        }
    }
}

/// The routes that come in with each object; none while they are being counted.
type Counts<'c> = HashMap<&'c ObjectRef, Option<u64>>;

/// The routes of an object and of all that it includes.
fn sum(facts: &DelegationFacts, known: &Counts<'_>) -> u64 {
    let served = u64::try_from(facts.serves.len()).unwrap_or(u64::MAX);
    let included = facts.targets_of(Traffic::Requests).map(|target| known.get(target).copied().flatten().unwrap_or(0));
    included.fold(served, u64::saturating_add)
}
