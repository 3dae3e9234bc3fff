//! Delegations around one IngressRoute, edge by edge: who delegates to it, whether a root is behind that, and which paths an edge covers.
//!
//! Of its class only: an object of another class is another proxy's. A root that may not be one delegates nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::covers;
use crate::cluster::delegation_facts::{DelegationFacts, EdgeFacts};
use crate::cluster::{Lookup, Overlay};
use crate::config::Config;
use crate::kinds::ObjectRef;

/// The first prefix of `target` outside `prefix`: an edge that has one is void.
pub fn first_outside<'t>(prefix: &str, target: &'t DelegationFacts) -> Option<&'t str> {
    target.prefixes().find(|path| !covers(prefix, path))
}

/// The delegations around the object at `this`, which the cluster is asked about as if it were not there.
#[derive(Debug, Clone, Copy)]
pub struct Neighbours<'r> {
    /// The rest of the cluster.
    pub cluster: &'r Overlay<'r>,
    /// The configuration, which says who may be a root.
    pub config: &'r Config,
    /// The object.
    pub this: &'r ObjectRef,
    /// Its class.
    pub class: Option<&'r str>,
}

impl<'r> Neighbours<'r> {
    /// Whether `facts` is of a root that may be one.
    fn is_root(&self, facts: &DelegationFacts) -> bool {
        facts.root.is_some() && self.config.may_hold_roots(facts.place.kind.api().kind, &facts.place.namespace)
    }

    /// The others that delegate to `place`, by place.
    pub fn delegators(&self, place: &ObjectRef) -> Vec<&'r DelegationFacts> {
        let counts = |other: &&DelegationFacts| {
            other.class.as_deref() == self.class && (other.root.is_none() || self.is_root(other))
        };
        self.cluster.referrers(place).filter(counts).collect()
    }

    /// The object at `place`, if it is another one and of the same class.
    pub fn other(&self, place: &ObjectRef) -> Option<&'r DelegationFacts> {
        match self.cluster.delegation(place) {
            Lookup::Found(facts) if place != self.this && facts.class.as_deref() == self.class => Some(facts),
            _ => None,
        }
    }

    /// Whether a root stands behind the object of `facts`: it is one, or edges that are not void lead from one to it.
    pub fn is_live(&self, facts: &'r DelegationFacts) -> bool {
        let (mut seen, mut open) = (BTreeSet::from([&facts.place]), vec![facts]);
        while let Some(facts) = open.pop() {
            if self.is_root(facts) {
                return true;
            }
            for delegator in self.delegators(&facts.place) {
                let is_whole = |edge: &EdgeFacts| first_outside(&edge.prefix, facts).is_none();
                if edges_to(delegator, &facts.place).any(is_whole) && seen.insert(&delegator.place) {
                    open.push(delegator);
                }
            }
        }
        false
    }

    /// The edges to this object behind which a root stands, each with the object that delegates, by place.
    pub fn live_edges(&self) -> Vec<(&'r DelegationFacts, &'r EdgeFacts)> {
        let live = self.delegators(self.this).into_iter().filter(|delegator| self.is_live(delegator));
        live.flat_map(|delegator| edges_to(delegator, self.this).map(move |edge| (delegator, edge))).collect()
    }

    /// Whether a root is above this object, however its routes fit.
    pub fn is_below_a_root(&self) -> bool {
        let (mut seen, mut open) = (BTreeSet::from([self.this]), vec![self.this]);
        while let Some(place) = open.pop() {
            for delegator in self.delegators(place) {
                if delegator.root.is_some() {
                    return true;
                }
                if seen.insert(&delegator.place) {
                    open.push(&delegator.place);
                }
            }
        }
        false
    }

    /// The way from `target` back to this object, both included, where a delegation to `target` closes a cycle.
    pub fn way_back(&self, target: &'r ObjectRef) -> Option<Vec<&'r ObjectRef>> {
        let (mut reached, mut open) = (BTreeMap::from([(target, None)]), vec![target]);
        while let Some(place) = open.pop() {
            for edge in self.other(place).into_iter().flat_map(|facts| &facts.edges) {
                if edge.target == *self.this {
                    let from = |place: &&'r ObjectRef| reached.get(*place).copied().flatten();
                    let mut way: Vec<_> = std::iter::successors(Some(place), from).collect();
                    way.reverse();
                    way.push(self.this);
                    return Some(way);
                }
                if !reached.contains_key(&edge.target) {
                    reached.insert(&edge.target, Some(place));
                    open.push(&edge.target);
                }
            }
        }
        None
    }

    /// How many objects stand above this one on the longest chain to it, at most `limit`.
    pub fn height(&self, limit: usize) -> usize {
        let above = |level: &BTreeSet<&'r ObjectRef>| {
            let delegators = level.iter().flat_map(|place| self.delegators(place));
            delegators.map(|delegator| &delegator.place).collect()
        };
        levels(above(&BTreeSet::from([self.this])), above, limit)
    }

    /// How many objects stand on the longest chain that begins with `target`, at most `limit`; none where it is no vertex that exists.
    pub fn depth(&self, target: &'r ObjectRef, limit: usize) -> usize {
        let vertex = |place: &'r ObjectRef| self.other(place).filter(|facts| facts.root.is_none());
        let below = |level: &BTreeSet<&'r ObjectRef>| {
            let edges = level.iter().filter_map(|place| vertex(place)).flat_map(|facts| &facts.edges);
            edges.map(|edge| &edge.target).filter(|target| vertex(target).is_some()).collect()
        };
        let first = vertex(target).map(|facts| &facts.place);
        levels(first.into_iter().collect(), below, limit)
    }
}

/// The delegations of `facts` to `place`.
fn edges_to<'f>(facts: &'f DelegationFacts, place: &ObjectRef) -> impl Iterator<Item = &'f EdgeFacts> {
    facts.edges.iter().filter(move |edge| edge.target == *place)
}

/// How often one can go on from `level` until nothing is left, counting it, at most `limit` times. Each object counts once a level, so that
/// shared children cost no more than single ones; a chain longer than there are objects is a cycle, which has no end.
fn levels<'r>(
    mut level: BTreeSet<&'r ObjectRef>,
    next: impl Fn(&BTreeSet<&'r ObjectRef>) -> BTreeSet<&'r ObjectRef>,
    limit: usize,
) -> usize {
    let (mut count, mut seen) = (0, BTreeSet::new());
    while !level.is_empty() && count < limit {
        seen.extend(level.iter().copied());
        if count >= seen.len() {
            return limit;
        }
        level = next(&level);
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Cluster, Event, Facts, Knowledge};
    use crate::kinds::{Kind, decode};

    /// A vertex of the namespace `web` that delegates `/` to these others.
    fn vertex(name: &str, targets: &[String]) -> Event {
        let routes = targets.iter().map(|target| format!(r#"{{"match": "/", "delegate": {{"name": "{target}"}}}}"#));
        let routes = routes.collect::<Vec<_>>().join(", ");
        let metadata = format!(r#"{{"namespace": "web", "name": "{name}"}}"#);
        let json = format!(r#"{{"metadata": {metadata}, "spec": {{"routes": [{routes}]}}}}"#);
        Event::Put(Facts::of(&decode(Kind::IngressRoute, &json).expect("an IngressRoute")))
    }

    fn place(name: &str) -> ObjectRef {
        ObjectRef::new(Kind::IngressRoute, "web", name)
    }

    /// What `ask` says of the object `this`, among those of `events`.
    fn asked<T>(events: Vec<Event>, this: &str, ask: impl Fn(Neighbours<'_>) -> T) -> T {
        let (mut cluster, this, config) = (Cluster::with(Knowledge::Complete), place(this), Config::default());
        events.into_iter().for_each(|event| cluster.apply(event));
        let overlay = Overlay::new(&cluster, &this);
        ask(Neighbours { cluster: &overlay, config: &config, this: &this, class: None })
    }

    #[test]
    fn shared_children_are_looked_at_once_a_level() {
        let level = |level: usize| [format!("left-{level}"), format!("right-{level}")];
        let pair = |number: usize| level(number).map(|name| vertex(&name, &level(number + 1)));
        let events = || (1..=40).flat_map(pair).collect();
        assert_eq!(asked(events(), "new", |near| near.depth(&place("left-1"), 100)), 40);
        assert_eq!(asked(events(), "new", |near| near.depth(&place("left-1"), 16)), 16);
        assert_eq!(asked(events(), "left-41", |near| near.height(100)), 40);
        assert!(asked(events(), "left-41", |near| near.way_back(&place("left-1")).is_some_and(|way| way.len() == 41)));
        assert!(asked(events(), "new", |near| near.way_back(&place("left-1")).is_none()));
    }

    #[test]
    fn a_cycle_has_no_end_and_is_left_soon() {
        let events = || vec![vertex("a", &["b".to_owned()]), vertex("b", &["a".to_owned(), "c".to_owned()])];
        assert_eq!(asked(events(), "new", |near| near.depth(&place("a"), usize::MAX)), usize::MAX);
        assert_eq!(asked(events(), "c", |near| near.height(usize::MAX)), usize::MAX);
        assert!(!asked(events(), "c", |near| near.is_below_a_root()));
        assert!(asked(events(), "c", |near| near.live_edges().is_empty()));
    }
}
