//! Delegations that lead back to where they began.

use std::collections::VecDeque;

use hashbrown::HashMap;

use crate::cluster::Overlay;
use crate::cluster::delegation_facts::DelegationFacts;
use crate::kinds::ObjectRef;

/// An edge of the object under review that closes a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    /// The position among the edges of its facts; none for `tcpproxy`.
    pub edge: Option<usize>,
    /// A shortest way around: the object, the target of the edge, and so on, the object again at the end.
    pub path: Vec<ObjectRef>,
}

/// The edges of the object with the facts `own` that close a cycle, in document order. The object's delegation to itself is one; those to
/// roots and to objects of other classes lead nowhere. One walk over what is above the object, however many edges it has.
pub fn closed_by(own: &DelegationFacts, cluster: &Overlay<'_>) -> Vec<Cycle> {
    if own.targets().next().is_none() {
        return Vec::new();
    }
    let above = ways_down(own, cluster);
    let edges = own.targets().enumerate().filter(|(_, target)| **target == own.place || above.contains_key(target));
    let edge = |position: usize| (position < own.edges.len()).then_some(position);
    edges.map(|(position, target)| Cycle { edge: edge(position), path: around(own, target, &above) }).collect()
}

/// The objects from which delegations lead to this one, each with the next on a shortest way.
fn ways_down<'c>(own: &'c DelegationFacts, cluster: &Overlay<'c>) -> HashMap<&'c ObjectRef, &'c ObjectRef> {
    let (mut ways, mut next) = (HashMap::new(), VecDeque::from([own]));
    while let Some(facts) = next.pop_front().filter(|_| own.root.is_none()) {
        // Nobody can delegate to a root, so what is above one does not count.
        let above = cluster.referrers(&facts.place).filter(|above| above.root.is_none() && above.class == own.class);
        for above in above {
            if !ways.contains_key(&above.place) {
                ways.insert(&above.place, &facts.place);
                next.push_back(above);
            }
        }
    }
    ways
}

fn around(own: &DelegationFacts, target: &ObjectRef, ways: &HashMap<&ObjectRef, &ObjectRef>) -> Vec<ObjectRef> {
    let mut path = vec![own.place.clone()];
    let mut at = target;
    while *at != own.place {
        path.push(at.clone());
        let Some(next) = ways.get(at) else { break };
        at = next;
    }
    path.push(own.place.clone());
    path
}
