//! The includes of HTTPProxies: which objects include another directly or through others, and how many routes a root
//! has in total.
//!
//! Each question is answered in one pass over objects and includes, however many paths lead from one object to another.

use hashbrown::HashMap;

use super::delegation::Ancestors;
use crate::cluster::delegation_facts::DelegationFacts;
use crate::cluster::{Lookup, Overlay};
use crate::kinds::ObjectRef;
use crate::kinds::http_proxy::Traffic;

/// The object under review among the objects of its class. A different proxy serves objects of other classes.
#[derive(Debug, Clone, Copy)]
pub struct Includes<'c> {
    cluster: &'c Overlay<'c>,
    this: &'c ObjectRef,
    class: Option<&'c str>,
}

impl<'c> Includes<'c> {
    /// Returns the includes around the object at `this`, which has `class`.
    pub fn new(cluster: &'c Overlay<'c>, this: &'c ObjectRef, class: Option<&'c str>) -> Self {
        Self { cluster, this, class }
    }

    /// Whether the same proxy serves `other`.
    pub fn has_same_class(&self, other: &DelegationFacts) -> bool {
        other.is_of(self.class)
    }

    /// Whether an object exists at `object_ref` that the same proxy serves and for which `holds` is true.
    pub fn is(&self, object_ref: &ObjectRef, holds: impl FnOnce(&DelegationFacts) -> bool) -> bool {
        matches!(self.cluster.delegation(object_ref), Lookup::Found(facts) if self.has_same_class(facts) && holds(facts))
    }

    /// The objects that include this one for `traffic`, directly or through others.
    pub fn above(&self, traffic: Traffic) -> Ancestors<'c> {
        Ancestors::of(self.cluster, self.class, Some(traffic))
    }

    /// The total number of routes of each of the objects at `object_refs`, where `own` is the object under review. The
    /// routes of an object that is included twice count twice, and an include without a target counts as one route,
    /// because it is answered with an error.
    pub fn routes(
        &self,
        object_refs: impl Iterator<Item = &'c ObjectRef>,
        own: &'c DelegationFacts,
    ) -> Vec<(&'c ObjectRef, u64)> {
        let mut known = HashMap::new();
        let one = |object_ref| {
            let facts = self.in_same_class(object_ref, own)?;
            let targets = || facts.targets_of(Traffic::Requests);
            targets().for_each(|target| self.count(target, own, &mut known));
            Some((object_ref, sum(facts, &known)))
        };
        object_refs.filter_map(one).collect()
    }

    /// How many of the total routes of the object at `object_ref` its own namespace is responsible for. Objects of the
    /// namespace are expanded. An include of an object in another namespace counts as one route, unless one object
    /// includes it more than once: then the whole total of the included object is multiplied. A total of more than
    /// `most` is not multiplied, since the other namespace is responsible for it.
    pub fn own_routes(&self, object_ref: &'c ObjectRef, own: &'c DelegationFacts, most: u64) -> u64 {
        let (mut known, mut totals) = (HashMap::new(), HashMap::new());
        let mut open = vec![object_ref];
        while let Some(object_ref) = open.last().copied() {
            let facts = self.in_same_class(object_ref, own);
            match (known.get(object_ref), facts) {
                (None, Some(facts)) => {
                    known.insert(object_ref, None);
                    let here = facts.targets_of(Traffic::Requests).filter(|target| self.is_expanded(target, own));
                    open.extend(here.filter(|target| !known.contains_key(target)));
                    continue;
                }
                (Some(None), Some(facts)) => {
                    let sum = self.own_sum(facts, own, most, (&known, &mut totals));
                    known.insert(object_ref, Some(sum));
                }
                _ => {}
            }
            open.pop();
        }
        known.get(object_ref).copied().flatten().unwrap_or(0)
    }

    /// Whether the object at `target` belongs to the namespace and is not a root, so that its routes are counted.
    fn is_expanded(&self, target: &ObjectRef, own: &DelegationFacts) -> bool {
        let is_part = |facts: &DelegationFacts| facts.root.is_none();
        target.namespace == self.this.namespace
            && (if target == self.this { is_part(own) } else { self.is(target, is_part) })
    }

    fn own_sum(
        &self,
        facts: &'c DelegationFacts,
        own: &'c DelegationFacts,
        most: u64,
        (known, totals): (&RouteCounts<'c>, &mut RouteCounts<'c>),
    ) -> u64 {
        let mut times: HashMap<&ObjectRef, u64> = HashMap::new();
        facts.targets_of(Traffic::Requests).for_each(|target| *times.entry(target).or_default() += 1);
        let mut sum = u64::try_from(facts.serves.len()).unwrap_or(u64::MAX);
        for (target, times) in times {
            let routes = if self.is_expanded(target, own) {
                known.get(target).copied().flatten().unwrap_or(0)
            } else if times > 1 && target.namespace != self.this.namespace {
                self.count(target, own, totals);
                totals.get(target).copied().flatten().filter(|total| *total <= most).unwrap_or(1)
            } else {
                1
            };
            sum = sum.saturating_add(routes.saturating_mul(times));
        }
        sum
    }

    /// Counts the routes that an include of the object at `object_ref` adds. This is a post-order traversal without
    /// recursion, since a chain may be as long as there are objects. In a cycle, each object is visited once.
    fn count(&self, object_ref: &'c ObjectRef, own: &'c DelegationFacts, known: &mut RouteCounts<'c>) {
        let mut open = vec![object_ref];
        while let Some(object_ref) = open.last().copied() {
            let part = self.in_same_class(object_ref, own).filter(|facts| facts.root.is_none());
            match (known.get(object_ref), part) {
                (None, Some(facts)) => {
                    known.insert(object_ref, None);
                    open.extend(facts.targets_of(Traffic::Requests).filter(|target| !known.contains_key(target)));
                    continue;
                }
                (Some(None), Some(facts)) => drop(known.insert(object_ref, Some(sum(facts, known)))),
                (Some(_), _) => {}
                (None, None) => drop(known.insert(object_ref, Some(1))),
            }
            open.pop();
        }
    }

    /// The object at `object_ref`, if it exists and the same proxy serves it.
    fn in_same_class(&self, object_ref: &ObjectRef, own: &'c DelegationFacts) -> Option<&'c DelegationFacts> {
        if object_ref == self.this {
            return Some(own);
        }
        match self.cluster.delegation(object_ref) {
            Lookup::Found(facts) if self.has_same_class(facts) => Some(facts),
            _ => None,
        }
    }
}

/// The number of routes that each object adds; `None` while it is being counted.
type RouteCounts<'c> = HashMap<&'c ObjectRef, Option<u64>>;

/// The number of routes of an object and of all objects that it includes.
fn sum(facts: &DelegationFacts, known: &RouteCounts<'_>) -> u64 {
    let served = u64::try_from(facts.serves.len()).unwrap_or(u64::MAX);
    let included = facts.targets_of(Traffic::Requests).map(|target| known.get(target).copied().flatten().unwrap_or(0));
    included.fold(served, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Cluster, Event, Facts, SyncState};
    use crate::kinds::{Kind, Object, decode};

    fn object_ref(name: impl std::fmt::Display) -> ObjectRef {
        ObjectRef::new(Kind::HttpProxy, "web", &name.to_string())
    }

    /// An object with this many routes that includes the objects with these names.
    fn proxy(name: usize, routes: usize, included: &[usize]) -> DelegationFacts {
        let includes: Vec<String> = included.iter().map(|name| format!(r#"{{"name":"{name}"}}"#)).collect();
        let json = format!(
            r#"{{"metadata":{{"namespace":"web","name":"{name}"}},"spec":{{"routes":[{}],"includes":[{}]}}}}"#,
            vec!["{}"; routes].join(","),
            includes.join(",")
        );
        match decode(Kind::HttpProxy, &json) {
            Ok(Object::HttpProxy(proxy)) => DelegationFacts::of_http_proxy(&proxy),
            other => panic!("{other:?}"),
        }
    }

    fn cluster(proxies: &[DelegationFacts]) -> Cluster {
        let mut cluster = Cluster::with(SyncState::Complete);
        proxies.iter().for_each(|facts| cluster.apply(Event::Apply(Facts::Delegation(Box::new(facts.clone())))));
        cluster
    }

    fn routes(proxies: &[DelegationFacts]) -> u64 {
        let (cluster, this) = (cluster(&proxies[1..]), object_ref(0));
        let overlay = Overlay::new(&cluster, &this);
        Includes::new(&overlay, &this, None).routes([&this].into_iter(), &proxies[0])[0].1
    }

    /// Expands every include, as Contour does.
    fn expanded(proxies: &[DelegationFacts], name: usize) -> u64 {
        let Some(facts) = proxies.get(name) else { return 1 };
        let of_target = |target: &ObjectRef| expanded(proxies, target.name.parse().expect("names are numbers"));
        facts.serves.len() as u64 + facts.targets_of(Traffic::Requests).map(of_target).sum::<u64>()
    }

    #[test]
    fn route_count_equals_the_expanded_routes() {
        let mut dice = 7_u64;
        let mut roll = |sides: u64| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) % sides
        };
        for _ in 0..300 {
            // Each object includes some of those after it; the last of these do not exist.
            let size = 2 + roll(8) as usize;
            let included = |name: usize, roll: &mut dyn FnMut(u64) -> u64| {
                (0..roll(4)).map(|_| name + 1 + roll(4) as usize).collect::<Vec<_>>()
            };
            let proxies: Vec<_> =
                (0..size).map(|name| proxy(name, roll(3) as usize, &included(name, &mut roll))).collect();
            assert_eq!(routes(&proxies), expanded(&proxies, 0), "{proxies:#?}");
        }
    }

    #[test]
    fn doubling_stops_at_the_greatest_number() {
        let levels = |depth: usize| -> Vec<_> { (0..depth).map(|name| proxy(name, 0, &[name + 1; 2])).collect() };
        assert_eq!(routes(&levels(22)), 1 << 22);
        assert_eq!(routes(&levels(100)), u64::MAX);
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack_and_a_circle_ends() {
        let chain: Vec<_> = (0..50_000).map(|name| proxy(name, 1, &[name + 1])).collect();
        assert_eq!(routes(&chain), 50_001);
        assert_eq!(routes(&[proxy(0, 1, &[1]), proxy(1, 1, &[2]), proxy(2, 1, &[1, 0])]), 4);
    }

    #[test]
    fn include_chain_is_a_shortest_path() {
        let proxies: Vec<_> = [(3, vec![2]), (2, vec![1]), (1, vec![0]), (4, vec![3, 1]), (5, vec![6])]
            .map(|(name, included)| proxy(name, 1, &included))
            .into();
        let (cluster, this) = (cluster(&proxies), object_ref(0));
        let overlay = Overlay::new(&cluster, &this);
        let above = Includes::new(&overlay, &this, None).above(Traffic::Requests);
        let cycle = |name: usize| {
            above.cycle(&object_ref(name)).map(|way| way.iter().map(|at| at.name.clone()).collect::<String>())
        };
        let expected = ["00", "010", "0210", "03210", "0410"].map(|way| Some(way.to_owned()));
        assert_eq!([0, 1, 2, 3, 4].map(cycle), expected);
        assert_eq!([5, 6].map(cycle), [None, None]);
        assert_eq!(Includes::new(&overlay, &this, None).above(Traffic::Connections).objects().count(), 0);
    }
}
