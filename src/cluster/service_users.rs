//! Which IngressRoutes use a Service, and how: who balances it otherwise is found however many balance it alike.

use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashMap;

use super::delegation_facts::{DelegationFacts, ServiceUse};
use super::name::{Name, NameRef};
use crate::kinds::ObjectRef;

/// Users by Service.
#[derive(Debug, Default)]
pub struct ServiceUsers {
    services: HashMap<Name, Ways>,
}

/// The users of one Service.
#[derive(Debug)]
enum Ways {
    /// A Service has one user most often, whom it takes the least to keep.
    One(Way, Arc<ObjectRef>),
    /// By the way they use it, in order. Most are used in one way, for which a list is smallest.
    Many(Vec<(Way, BTreeSet<Arc<ObjectRef>>)>),
}

/// A port, the class that it is served by, and the strategy.
type Way = (i64, Option<Arc<str>>, Box<str>);

impl ServiceUsers {
    /// Notes what an object uses.
    pub fn enter(&mut self, facts: &DelegationFacts) {
        for (service, uses) in by_service(facts) {
            let way = |used: &ServiceUse| (used.port, facts.class.clone(), used.strategy.clone());
            let ways = match (self.services.get_mut(&service), uses) {
                (None, [used]) => {
                    self.services.insert(Name::from(&service), Ways::One(way(used), facts.place.clone()));
                    continue;
                }
                (Some(ways), _) => ways.many(),
                (None, _) => self.services.entry_ref(&service).or_insert(Ways::Many(Vec::new())).many(),
            };
            let mut more = Vec::new();
            for used in uses {
                match position(ways, facts, used) {
                    Ok(position) => drop(ways[position].1.insert(facts.place.clone())),
                    Err(_) => more.push((way(used), BTreeSet::from([facts.place.clone()]))),
                }
            }
            // Both are in order, so this takes as long as they are: an object may use one Service in thousands of ways.
            ways.append(&mut more);
            ways.sort_by(|(left, _), (right, _)| left.cmp(right));
        }
    }

    /// Forgets it.
    pub fn leave(&mut self, facts: &DelegationFacts) {
        for (service, uses) in by_service(facts) {
            let Some(ways) = self.services.get_mut(&service) else { continue };
            let ways = ways.many();
            for used in uses {
                if let Ok(position) = position(ways, facts, used) {
                    ways[position].1.remove(&facts.place);
                }
            }
            ways.retain(|(_, users)| !users.is_empty());
            if ways.is_empty() {
                self.services.remove(&service);
            }
        }
    }

    /// Everybody who uses a Service, once for each way.
    pub fn of(&self, namespace: &str, name: &str) -> impl Iterator<Item = &Arc<ObjectRef>> {
        self.services.get(&NameRef(namespace, name)).into_iter().flat_map(Ways::users).map(|(_, place)| place)
    }

    /// Those of `class` that balance this port of a Service by another strategy, with it, by strategy and place.
    pub fn otherwise<'u>(
        &'u self,
        (namespace, name): (&str, &str),
        port: i64,
        class: Option<&str>,
        strategy: &str,
    ) -> impl Iterator<Item = (&'u str, &'u ObjectRef)> {
        let of_port = move |way: &Way| (way.0, way.1.as_deref()).cmp(&(port, class));
        let users = self.services.get(&NameRef(namespace, name)).into_iter();
        let users = users.flat_map(move |ways| ways.from(move |way| of_port(way).is_lt()));
        let of_port = users.take_while(move |(way, _)| of_port(way).is_eq());
        let others = of_port.filter(move |((.., its_strategy), _)| **its_strategy != *strategy);
        others.map(|((_, _, strategy), place)| (&**strategy, &**place))
    }
}

impl Ways {
    /// The same as a list, to be changed.
    fn many(&mut self) -> &mut Vec<(Way, BTreeSet<Arc<ObjectRef>>)> {
        if let Self::One(way, place) = self {
            let way = std::mem::take(way);
            *self = Self::Many(vec![(way, BTreeSet::from([Arc::clone(place)]))]);
        }
        match self {
            Self::Many(ways) => ways,
            Self::One(..) => unreachable!("it is a list now"),
        }
    }

    /// Each user with its way, in order.
    fn users(&self) -> impl Iterator<Item = (&Way, &Arc<ObjectRef>)> {
        self.from(|_| false)
    }

    /// The same without those at the beginning of which `is_before` is true.
    fn from(&self, is_before: impl Fn(&Way) -> bool) -> impl Iterator<Item = (&Way, &Arc<ObjectRef>)> {
        let (one, many) = match self {
            Self::One(way, place) => (Some((way, place)).filter(|(way, _)| !is_before(way)), &[][..]),
            Self::Many(ways) => (None, &ways[ways.partition_point(|(way, _)| is_before(way))..]),
        };
        one.into_iter().chain(many.iter().flat_map(|(way, users)| users.iter().map(move |place| (way, place))))
    }
}

/// Each Service that an object uses, with its uses in order.
fn by_service(facts: &DelegationFacts) -> impl Iterator<Item = (NameRef<'_>, &[ServiceUse])> {
    let services = facts.uses.chunk_by(|left, right| left.name == right.name);
    services.filter_map(|uses| Some((NameRef(&facts.place.namespace, &uses.first()?.name), uses)))
}

/// Where a use stands among the ways, or would.
fn position(
    ways: &[(Way, BTreeSet<Arc<ObjectRef>>)],
    facts: &DelegationFacts,
    used: &ServiceUse,
) -> Result<usize, usize> {
    ways.binary_search_by(|(way, _)| borrowed(way).cmp(&way_of(facts, used)))
}

fn way_of<'f>(facts: &'f DelegationFacts, used: &'f ServiceUse) -> (i64, Option<&'f str>, &'f str) {
    (used.port, facts.class.as_deref(), &used.strategy)
}

fn borrowed((port, class, strategy): &Way) -> (i64, Option<&str>, &str) {
    (*port, class.as_deref(), strategy)
}
