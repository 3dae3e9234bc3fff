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
        for used in &facts.uses {
            let ways = self.services.entry_ref(&service(facts, used)).or_default();
            let position = ways.binary_search_by(|(way, _)| borrowed(way).cmp(&way_of(facts, used)));
            let position = position.unwrap_or_else(|position| {
                ways.insert(position, ((used.port, facts.class.clone(), used.strategy.clone()), BTreeSet::new()));
                position
            });
            ways[position].1.insert(facts.place.clone());
        }
    }

    /// Forgets it.
    pub fn leave(&mut self, facts: &DelegationFacts) {
        for used in &facts.uses {
            let service = service(facts, used);
            let Some(ways) = self.services.get_mut(&service) else { continue };
            if let Ok(position) = ways.binary_search_by(|(way, _)| borrowed(way).cmp(&way_of(facts, used))) {
                let users = &mut ways[position].1;
                users.remove(&facts.place);
                if users.is_empty() {
                    ways.remove(position);
                }
            }
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
        let ways = self.services.get(&NameRef(namespace, name)).into_iter().flatten();
        let others = ways.filter(move |((its_port, its_class, its_strategy), _)| {
            *its_port == port && its_class.as_deref() == class && **its_strategy != *strategy
        });
        others.flat_map(|((_, _, strategy), users)| users.iter().map(|place| (&**strategy, &**place)))
    }
}

fn service<'f>(facts: &'f DelegationFacts, used: &'f ServiceUse) -> NameRef<'f> {
    NameRef(&facts.place.namespace, &used.name)
}

fn way_of<'f>(facts: &'f DelegationFacts, used: &'f ServiceUse) -> (i64, Option<&'f str>, &'f str) {
    (used.port, facts.class.as_deref(), &used.strategy)
}

fn borrowed((port, class, strategy): &Way) -> (i64, Option<&str>, &str) {
    (*port, class.as_deref(), strategy)
}
