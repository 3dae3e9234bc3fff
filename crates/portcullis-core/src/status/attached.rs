//! How many routes each listener accepts, kept current route by route.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::kinds::ObjectRef;

/// A listener: the Gateway or ListenerSet, and the name of its section.
pub type Section = (Arc<ObjectRef>, Box<str>);

/// The listeners that accept each route.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttachedRoutes {
    /// The listeners by route, each once, in order. Routes without any are absent.
    by_route: HashMap<Arc<ObjectRef>, Box<[Section]>>,
    /// The number of routes by listener. Zeros are absent.
    counts: HashMap<Arc<ObjectRef>, HashMap<Box<str>, usize>>,
}

impl AttachedRoutes {
    /// The number of routes that a listener of `parent` accepts.
    pub fn count(&self, parent: &ObjectRef, listener: &str) -> usize {
        self.counts.get(parent).and_then(|sections| sections.get(listener)).copied().unwrap_or_default()
    }

    /// Whether a listener of `parent` accepts `route`.
    pub fn is_attached(&self, route: &ObjectRef, parent: &ObjectRef, listener: &str) -> bool {
        let sections = self.by_route.get(route).map(|sections| &**sections).unwrap_or_default();
        sections.iter().any(|(own, name)| **own == *parent && **name == *listener)
    }

    /// The Gateways and ListenerSets with a listener that accepts a route, each once, in order.
    pub fn parents<'s>(&'s self, route: &ObjectRef) -> impl Iterator<Item = &'s Arc<ObjectRef>> + use<'s> {
        let sections = self.by_route.get(route).map(|sections| &**sections).unwrap_or_default();
        sections.chunk_by(|left, right| left.0 == right.0).filter_map(|chunk| Some(&chunk.first()?.0))
    }

    /// Sets the listeners that accept a route, and returns the parents whose counts changed.
    pub fn set(&mut self, route: &Arc<ObjectRef>, mut sections: Vec<Section>) -> Vec<Arc<ObjectRef>> {
        sections.sort_unstable();
        sections.dedup();
        let before = self.by_route.get(route).map(|sections| &**sections).unwrap_or_default();
        if before == sections {
            return Vec::new();
        }
        let before = self.by_route.remove(route).unwrap_or_default();
        let mut changed: Vec<Arc<ObjectRef>> = Vec::new();
        for section in before.iter().filter(|section| !sections.contains(section)) {
            self.take_away(section);
            changed.push(Arc::clone(&section.0));
        }
        for (parent, name) in sections.iter().filter(|section| !before.contains(section)) {
            *self.counts.entry(Arc::clone(parent)).or_default().entry(name.clone()).or_default() += 1;
            changed.push(Arc::clone(parent));
        }
        if !sections.is_empty() {
            self.by_route.insert(Arc::clone(route), sections.into());
        }
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    fn take_away(&mut self, (parent, name): &Section) {
        let Some(sections) = self.counts.get_mut(parent) else { return };
        if let Some(count) = sections.get_mut(name) {
            *count -= 1;
            if *count == 0 {
                sections.remove(name);
            }
        }
        if sections.is_empty() {
            self.counts.remove(parent);
        }
    }
}
