//! The references through which routes reach the listeners of a parent.

use std::collections::BTreeMap;

use super::attachment::accepts;
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts};
use crate::cluster::route_claim::{RouteClaim, RouteReference};
use crate::cluster::route_index::FirstRoute;
use crate::kinds::Kind;
use crate::matching::Host;
use crate::matching::host::Form;

/// A reference to a parent that other routes use, and the listeners that it reaches.
#[derive(Debug, Clone)]
pub struct UsedReference<'h> {
    /// The reference.
    pub reference: RouteReference<'h>,
    /// The indexes of the listeners.
    pub listeners: Vec<usize>,
}

/// The references by which other routes of `kind` reach at least one of these listeners of `parent`. A reference without
/// such a listener is not looked at, however many routes use it.
pub fn used_references<'h>(
    parent: &'h ListenersFacts,
    listeners: &[&'h ListenerFacts],
    kind: Kind,
    cluster: &Overlay<'_>,
) -> Vec<UsedReference<'h>> {
    let mut reached: BTreeMap<(Option<&str>, Option<i64>), Vec<usize>> = BTreeMap::new();
    for (index, listener) in listeners.iter().enumerate() {
        for section in [None, Some(&*listener.name)] {
            reached.entry((section, None)).or_default().push(index);
            if listener.port.is_some() {
                reached.entry((section, listener.port)).or_default().push(index);
            }
        }
    }
    let named = reached.into_iter().map(|((section, port), listeners)| UsedReference {
        reference: RouteReference { parent: &parent.object_ref, section, port },
        listeners,
    });
    let defaults = parent
        .is_default
        .then(|| UsedReference { reference: RouteReference::DEFAULTS, listeners: (0..listeners.len()).collect() });
    named.chain(defaults).filter(|used| is_used(used.reference, kind, cluster)).collect()
}

fn is_used(reference: RouteReference<'_>, kind: Kind, cluster: &Overlay<'_>) -> bool {
    let claims = [RouteClaim::Host(Form::Any, ""), RouteClaim::Below("")];
    claims.into_iter().any(|claim| !cluster.routes_with_claim(kind, Some(reference), claim).is_empty())
}

/// The routes with some of given hosts, or without any, that refer to a parent.
pub struct RoutesWithHosts<'p, 'h> {
    parent: &'p ListenersFacts,
    listeners: &'p [&'p ListenerFacts],
    /// The routes with each reference.
    found: Vec<(UsedReference<'p>, Vec<FirstRoute<'h>>)>,
}

impl<'p, 'h> RoutesWithHosts<'p, 'h> {
    /// The other routes of `kind` that have exactly one of these hosts, [`Host::Any`] if they name none, and reach one of these
    /// listeners of `parent`.
    pub fn of(
        hosts: &[Host<'_>],
        parent: &'p ListenersFacts,
        listeners: &'p [&'p ListenerFacts],
        kind: Kind,
        cluster: &Overlay<'h>,
    ) -> Self {
        let find = |used: UsedReference<'p>| {
            let claims = hosts.iter().map(RouteClaim::host);
            let found = claims.flat_map(|claim| cluster.routes_with_claim(kind, Some(used.reference), claim)).collect();
            (used, found)
        };
        let found = used_references(parent, listeners, kind, cluster).into_iter().map(find).collect();
        Self { parent, listeners, found }
    }

    /// The routes that the listener with this index accepts. Of routes that no comparison distinguishes, only the oldest
    /// is returned.
    pub fn at<'s>(&'s self, listener: usize, cluster: &'s Overlay<'h>) -> impl Iterator<Item = &'h GatewayRouteFacts> {
        let reaching = self.found.iter().filter(move |(used, _)| used.listeners.contains(&listener));
        let routes = reaching.flat_map(|(_, found)| found.iter().map(|first| first.facts));
        routes.filter(move |route| accepts(self.listeners[listener], self.parent, route, cluster))
    }
}
