//! One kind's part of the view, kept at what its watch says.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use kube::runtime::watcher::Event as Watched;

use super::seen::{Seen, Unreadable};
use crate::cluster::{Cluster, Event, Facts, Knowledge};
use crate::kinds::{Kind, ObjectRef};

/// Takes in the events of one watch.
#[derive(Debug)]
pub struct Relist {
    kind: Kind,
    cluster: Arc<RwLock<Cluster>>,
    coming: List,
    /// Objects of another shape: while there is one, not every object is known.
    misshapen: HashSet<ObjectRef>,
}

/// The list that is coming in.
#[derive(Debug)]
enum List {
    /// Nothing is held, so that nothing can be missing from the list: what came of it and is not in the view yet.
    First(Vec<Event>),
    /// What came of it, to be compared with what is held.
    Another(HashMap<ObjectRef, Facts>),
}

/// How many objects of a first list wait to be taken in together.
const PAGE: usize = 256;

impl Relist {
    /// For the watch of `kind`.
    pub fn new(kind: Kind, cluster: Arc<RwLock<Cluster>>) -> Self {
        Self { kind, cluster, coming: List::First(Vec::new()), misshapen: HashSet::new() }
    }

    /// Takes in one event.
    pub fn take<const KIND: usize>(&mut self, event: Watched<Seen<KIND>>) {
        match event {
            Watched::Apply(seen) => {
                let change = self.change(seen);
                self.apply(vec![change, Event::Learned(self.kind, self.known())]);
            }
            Watched::Delete(seen) => {
                self.misshapen.remove(&seen.place());
                self.apply(vec![Event::Gone(seen.place()), Event::Learned(self.kind, self.known())]);
            }
            Watched::Init => self.begin(),
            Watched::InitApply(seen) => {
                let change = self.change(seen);
                self.collect(change);
            }
            Watched::InitDone => self.end(),
        }
    }

    fn begin(&mut self) {
        self.misshapen = HashSet::new();
        let held = self.cluster.read().unwrap_or_else(PoisonError::into_inner).count(self.kind);
        self.coming = if held == 0 { List::First(Vec::new()) } else { List::Another(HashMap::new()) };
    }

    fn collect(&mut self, change: Event) {
        match (&mut self.coming, change) {
            (List::First(page), change) => {
                page.push(change);
                if page.len() == PAGE {
                    let page = std::mem::take(page);
                    self.apply(page);
                }
            }
            (List::Another(listed), Event::Put(facts)) => drop(listed.insert(facts.place(), facts)),
            (List::Another(_), _) => {}
        }
    }

    /// Only now the list is whole, so only now something is known to be absent.
    fn end(&mut self) {
        match std::mem::replace(&mut self.coming, List::First(Vec::new())) {
            List::First(page) => self.apply(page),
            List::Another(listed) => self.difference(listed),
        }
        self.learned(self.known());
    }

    /// Notes how much of the kind is known from now on.
    fn learned(&self, knowledge: Knowledge) {
        self.apply(vec![Event::Learned(self.kind, knowledge)]);
    }

    /// Forgets the kind: what may not be read any more, or is needed no more, is not known any more.
    pub fn forget(&self, knowledge: Knowledge) {
        // First, so that what goes is at no moment known to be absent.
        self.learned(knowledge);
        self.apply(self.gone(&HashMap::new()));
    }

    /// How much is known after a whole list.
    fn known(&self) -> Knowledge {
        if self.misshapen.is_empty() { Knowledge::Complete } else { Knowledge::Partial }
    }

    /// An object of another shape leaves the view: what it was is no longer true, and what it is nobody knows. Of a kind with verdicts it
    /// stays, as one that cannot be read.
    fn change<const KIND: usize>(&mut self, seen: Seen<KIND>) -> Event {
        let place = seen.place();
        match seen.facts {
            Ok(facts) => {
                self.misshapen.remove(&place);
                Event::Put(facts)
            }
            Err(Unreadable { words: error, facts }) => {
                tracing::warn!(object = %place, error, "an object cannot be read");
                match facts {
                    Some(facts) => Event::Put(facts),
                    None => {
                        self.misshapen.insert(place.clone());
                        Event::Gone(place)
                    }
                }
            }
        }
    }

    /// Brings the view to the list. What is compared is read-locked, so reviews go on; only this watch writes its kind.
    fn difference(&self, listed: HashMap<ObjectRef, Facts>) {
        let mut events = self.gone(&listed);
        let view = self.cluster.read().unwrap_or_else(PoisonError::into_inner);
        events.extend(listed.into_values().filter(|facts| !view.holds(facts)).map(Event::Put));
        drop(view);
        self.apply(events);
    }

    fn gone(&self, listed: &HashMap<ObjectRef, Facts>) -> Vec<Event> {
        let held = self.cluster.read().unwrap_or_else(PoisonError::into_inner).places(self.kind);
        held.into_iter().filter(|place| !listed.contains_key(place)).map(Event::Gone).collect()
    }

    fn apply(&self, events: Vec<Event>) {
        Cluster::apply_all(&self.cluster, events);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INGRESS: usize = Kind::Ingress as usize;

    fn event(number: usize) -> Watched<Seen<INGRESS>> {
        let text = format!(r#"{{"metadata":{{"namespace":"web","name":"shop-{number}"}}}}"#);
        Watched::InitApply(serde_json::from_str(&text).expect("an Ingress"))
    }

    #[test]
    fn an_ingress_route_that_cannot_be_read_is_there_and_any_other_object_may_be_all() {
        fn after<const KIND: usize>(text: &str) -> (usize, Knowledge) {
            let cluster = Arc::new(RwLock::new(Cluster::default()));
            let mut relist = Relist::new(Kind::ALL[KIND], Arc::clone(&cluster));
            relist.take(Watched::<Seen<KIND>>::Init);
            relist.take(Watched::<Seen<KIND>>::InitApply(serde_json::from_str(text).expect("an object")));
            relist.take(Watched::<Seen<KIND>>::InitDone);
            let view = cluster.read().expect("nobody panicked");
            (view.count(Kind::ALL[KIND]), view.knowledge(Kind::ALL[KIND]))
        }
        let text = r#"{"metadata":{"namespace":"web","name":"shop"},"spec":7}"#;
        assert_eq!(after::<{ Kind::IngressRoute as usize }>(text), (1, Knowledge::Complete));
        assert_eq!(after::<INGRESS>(text), (0, Knowledge::Partial));
    }

    #[test]
    fn a_first_list_is_taken_in_as_it_comes_and_counts_at_its_end() {
        let cluster = Arc::new(RwLock::new(Cluster::default()));
        let mut relist = Relist::new(Kind::Ingress, Arc::clone(&cluster));
        let known = || {
            let view = cluster.read().expect("nobody panicked");
            (view.count(Kind::Ingress), view.knowledge(Kind::Ingress))
        };
        relist.take(Watched::<Seen<INGRESS>>::Init);
        (0..PAGE + 1).for_each(|number| relist.take(event(number)));
        assert_eq!(known(), (PAGE, Knowledge::NotSynced));
        // The list breaks off and begins anew; what was in its first half is gone by then.
        relist.take(Watched::<Seen<INGRESS>>::Init);
        (PAGE..PAGE + 2).for_each(|number| relist.take(event(number)));
        assert_eq!(known(), (PAGE, Knowledge::NotSynced));
        relist.take(Watched::<Seen<INGRESS>>::InitDone);
        assert_eq!(known(), (2, Knowledge::Complete));
    }
}
