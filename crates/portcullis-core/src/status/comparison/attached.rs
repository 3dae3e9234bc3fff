//! How many routes a listener may count.

use std::collections::{BTreeMap, BTreeSet};

use super::{Comparer, Written, WrittenConditions};
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::{DEFAULT_GATEWAYS, GatewayRouteFacts, ParentFacts};
use crate::kinds::reference::ParentRef;
use crate::kinds::{KindSet, ObjectRef};
use crate::routing::attachment::{Attachment, NotAllowedReason};

/// The maximum number of routes in a message.
const NAMED: usize = 4;

/// The routes that a listener counts in `attachedRoutes`.
#[derive(Debug, Clone, Default)]
pub(super) struct Counted<'c> {
    /// Those that it accepts, and whose entry says so.
    certain: BTreeSet<&'c ObjectRef>,
    /// Those that a controller may count: it alone rejects them, or accepts them although it should not, which is a difference of the
    /// route. Before the Gateway API said that only accepted routes count, rejected ones did.
    possible: BTreeSet<&'c ObjectRef>,
}

impl Counted<'_> {
    /// The same for an implementation that supports these kinds only: whether it counts others is not known.
    pub fn supported(mut self, kinds: Option<&[&str]>) -> Self {
        let Some(kinds) = kinds else { return self };
        let others = self.certain.extract_if(.., |route| !kinds.contains(&route.kind.api().kind));
        self.possible.extend(others);
        self
    }

    /// Whether a controller may have counted so many.
    pub fn admits(&self, count: u64) -> bool {
        let (least, most) = self.bounds();
        (least..=most).contains(&usize::try_from(count).unwrap_or(usize::MAX))
    }

    fn bounds(&self) -> (usize, usize) {
        let least = self.certain.len();
        (least, least + self.possible.difference(&self.certain).count())
    }

    /// The number, or the least and the greatest one.
    pub fn number(&self) -> String {
        match self.bounds() {
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least} to {most}"),
        }
    }

    /// The routes, for people.
    pub fn message(&self) -> String {
        let mut names: Vec<String> = self.certain.iter().take(NAMED).map(ToString::to_string).collect();
        if let Some(more) = self.certain.len().checked_sub(NAMED).filter(|more| *more > 0) {
            names.push(format!("{more} more"));
        }
        match names.is_empty() {
            true => "the listener accepts no route".to_owned(),
            false => format!("the listener accepts {}", names.join(", ")),
        }
    }
}

impl<'c> Comparer<'c> {
    /// The routes that each listener of `parent` counts, by its name.
    pub(super) fn counted(&self, parent: &ObjectRef) -> BTreeMap<&'c str, Counted<'c>> {
        let mut counted: BTreeMap<&'c str, Counted<'c>> = BTreeMap::new();
        let Lookup::Found(facts) = self.cluster.listeners(parent) else { return counted };
        let is_default = facts.is_default;
        for kind in KindSet::ROUTES.iter() {
            let named = self.cluster.routes_of(parent, kind);
            let defaults = is_default.then(|| self.cluster.routes_of(&DEFAULT_GATEWAYS, kind)).into_iter().flatten();
            for route in named.chain(defaults) {
                let whole = ParentFacts { target: parent.clone(), section: None, port: None };
                let of_default = (is_default && route.uses_defaults).then_some(&whole);
                let references = route.parents.iter().filter(|own| own.target == *parent).chain(of_default);
                references.for_each(|reference| self.count(route, reference, &mut counted));
            }
        }
        counted
    }

    /// Adds a route to the listeners that one of its references selects.
    fn count(
        &self,
        route: &'c GatewayRouteFacts,
        reference: &ParentFacts,
        counted: &mut BTreeMap<&'c str, Counted<'c>>,
    ) {
        let Attachment::Decided { listeners, .. } = Attachment::of(route, reference, &self.cluster) else { return };
        let written = self.written.get(&route.object_ref);
        let is_accepted = written.is_some_and(|written| is_accepted(written, reference));
        for (listener, refusal) in listeners {
            let is_attached = self.attached.is_attached(&route.object_ref, &reference.target, &listener.name);
            let routes = match refusal {
                Some(NotAllowedReason::OtherSection | NotAllowedReason::OtherPort) => continue,
                _ if is_attached && is_accepted => &mut counted.entry(&listener.name).or_default().certain,
                Some(NotAllowedReason::Kind | NotAllowedReason::Namespace) if !is_accepted => continue,
                _ => &mut counted.entry(&listener.name).or_default().possible,
            };
            routes.insert(&route.object_ref);
        }
    }
}

/// Whether an entry says that the parent accepts the route.
fn is_accepted(written: &Written, reference: &ParentFacts) -> bool {
    let is_own =
        |entry: &&serde_json::Value| parent(&entry["parentRef"], written.namespace()).as_ref() == Some(reference);
    let mut entries = written.entries("parents").filter(is_own);
    entries.any(|entry| WrittenConditions::of(entry).is("Accepted", "True"))
}

/// The Gateway or ListenerSet to which a written reference leads, in an object of `namespace`; `None` for other kinds.
pub(super) fn parent(reference: &serde_json::Value, namespace: &str) -> Option<ParentFacts> {
    let text = reference.to_string();
    ParentFacts::of(&serde_json::from_str::<ParentRef<'_>>(&text).ok()?, namespace)
}
