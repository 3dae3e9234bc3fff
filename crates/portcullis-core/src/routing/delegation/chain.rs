//! The length of the delegation chains that contain an object.

use hashbrown::HashMap;

use super::graph_context::GraphContext;
use crate::cluster::delegation_facts::DelegationFacts;
use crate::kinds::ObjectRef;

/// The longest chains above and below an object, counted in objects. Shared parts are traversed once, and a cycle is
/// counted once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The longest chain above the object.
    pub above: usize,
    /// The longest chain above the object within its own namespace.
    pub above_here: usize,
    /// The longest chain below it, for each of its targets in their order.
    pub below: Vec<usize>,
}

impl Chain {
    /// Returns the chains of the object of `near` if it delegates to `targets`.
    pub fn of<'t>(near: &GraphContext<'_>, targets: impl IntoIterator<Item = &'t ObjectRef>) -> Self {
        let has_same_class = |facts: &&DelegationFacts| facts.is_of(near.class);
        let referrers =
            |object_ref: &ObjectRef| near.cluster.referrers(object_ref).filter(has_same_class).collect::<Vec<_>>();
        // No object can delegate to a root.
        let up = |facts: &DelegationFacts| if facts.root.is_none() { referrers(&facts.object_ref) } else { Vec::new() };
        let down = |facts: &DelegationFacts| facts.targets().filter_map(|target| near.vertex(target)).collect();
        let (mut known_above, mut known_below) = (HashMap::new(), HashMap::new());
        let first = if near.is_root { Vec::new() } else { referrers(near.cluster.this()) };
        let here = |facts: &&DelegationFacts| facts.object_ref.namespace == near.cluster.this().namespace;
        let up_here = |facts: &DelegationFacts| up(facts).into_iter().filter(here).collect();
        let mut known_here = HashMap::new();
        let above_here =
            first.iter().filter(|facts| here(facts)).map(|facts| longest(facts, up_here, &mut known_here)).max();
        let above = first.into_iter().map(|facts| longest(facts, up, &mut known_above)).max();
        let below = targets.into_iter().map(|target| near.vertex(target));
        let below = below.map(|facts| facts.map_or(0, |facts| longest(facts, down, &mut known_below)));
        Self { above: above.unwrap_or(0), above_here: above_here.unwrap_or(0), below: below.collect() }
    }

    /// The longest chain through the object, including it.
    pub fn longest(&self) -> usize {
        self.above + 1 + self.below.iter().copied().max().unwrap_or(0)
    }
}

/// The number of objects on the longest path from `start`. `known` holds the results of earlier calls.
fn longest<'c>(
    start: &'c DelegationFacts,
    next: impl Fn(&DelegationFacts) -> Vec<&'c DelegationFacts>,
    known: &mut HashMap<&'c ObjectRef, usize>,
) -> usize {
    // This is not recursive, because a chain may be longer than the stack is deep. An object on the current path counts
    // 0, which breaks cycles.
    let mut open = vec![(start, next(start), 0)];
    if let Some(known) = known.get(&*start.object_ref) {
        return *known;
    }
    known.insert(&*start.object_ref, 0);
    while let Some((facts, ahead, best)) = open.last_mut() {
        match ahead.pop() {
            Some(other) => match known.get(&*other.object_ref) {
                Some(length) => *best = (*best).max(*length),
                None => {
                    known.insert(&*other.object_ref, 0);
                    open.push((other, next(other), 0));
                }
            },
            None => {
                let (object_ref, length) = (&*facts.object_ref, *best + 1);
                known.insert(object_ref, length);
                open.pop();
                if let Some((_, _, best)) = open.last_mut() {
                    *best = (*best).max(length);
                }
            }
        }
    }
    known.get(&*start.object_ref).copied().unwrap_or(0)
}
