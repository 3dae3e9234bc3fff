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

/// The users of one Service by the way they use it, in order. Most are used in one way, for which a list is smallest.
type Ways = Vec<(Way, BTreeSet<Arc<ObjectRef>>)>;

/// A port, the class that it is served by, and the strategy.
type Way = (i64, Option<Arc<str>>, Box<str>);

impl ServiceUsers {
    /// Notes what an object uses.
    pub fn enter(&mut self, facts: &DelegationFacts) {
        for (service, uses) in by_service(facts) {
            let ways = self.services.entry_ref(&service).or_default();
            let mut more = Ways::new();
            for used in uses {
                match position(ways, facts, used) {
                    Ok(position) => drop(ways[position].1.insert(facts.place.clone())),
                    Err(_) => more.push((
                        (used.port, facts.class.clone(), used.strategy.clone()),
                        BTreeSet::from([facts.place.clone()]),
                    )),
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
        self.services.get(&NameRef(namespace, name)).into_iter().flatten().flat_map(|(_, users)| users)
    }

    /// Those of `class` that balance this port of a Service by another strategy, with it, by strategy and place.
    pub fn otherwise<'u>(
        &'u self,
        (namespace, name): (&str, &str),
        port: i64,
        class: Option<&str>,
        strategy: &str,
    ) -> impl Iterator<Item = (&'u str, &'u ObjectRef)> {
        let ways = self.services.get(&NameRef(namespace, name)).map_or(&[][..], Vec::as_slice);
        let of_port = move |way: &Way| (way.0, way.1.as_deref()).cmp(&(port, class));
        let first = ways.partition_point(|(way, _)| of_port(way).is_lt());
        let of_port = ways[first..].iter().take_while(move |(way, _)| of_port(way).is_eq());
        let others = of_port.filter(move |((.., its_strategy), _)| **its_strategy != *strategy);
        others.flat_map(|((_, _, strategy), users)| users.iter().map(|place| (&**strategy, &**place)))
    }
}

/// Each Service that an object uses, with its uses in order.
fn by_service(facts: &DelegationFacts) -> impl Iterator<Item = (NameRef<'_>, &[ServiceUse])> {
    let services = facts.uses.chunk_by(|left, right| left.name == right.name);
    services.filter_map(|uses| Some((NameRef(&facts.place.namespace, &uses.first()?.name), uses)))
}

/// Where a use stands among the ways, or would.
fn position(ways: &Ways, facts: &DelegationFacts, used: &ServiceUse) -> Result<usize, usize> {
    ways.binary_search_by(|(way, _)| borrowed(way).cmp(&way_of(facts, used)))
}

fn way_of<'f>(facts: &'f DelegationFacts, used: &'f ServiceUse) -> (i64, Option<&'f str>, &'f str) {
    (used.port, facts.class.as_deref(), &used.strategy)
}

fn borrowed((port, class, strategy): &Way) -> (i64, Option<&str>, &str) {
    (*port, class.as_deref(), strategy)
}
