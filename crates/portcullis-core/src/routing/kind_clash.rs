//! HTTPRoutes and GRPCRoutes with a common host on a listener: the API accepts only one of the two, the one with
//! precedence. A route that is not accepted does not prevent the acceptance of others.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use super::attachment::{accepts, common_hosts};
use super::precedence;
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts};
use crate::kinds::{Kind, ObjectRef};
use crate::matching::{Depth, Host};

/// The route of the other kind because of which `listener`, which would accept the route with these facts by itself,
/// does not accept it. The route need not be in the view.
pub fn winner<'h>(
    facts: &'h GatewayRouteFacts,
    parent: &ListenersFacts,
    listener: &ListenerFacts,
    cluster: &Overlay<'h>,
) -> Option<&'h GatewayRouteFacts> {
    let kind = other_kind(facts)?;
    cluster.routes_of(&parent.object_ref, kind).next()?;
    let arbitration = KindArbitration::new(parent, listener, cluster);
    KindArbitration { candidate: Some(facts), ..arbitration }.blocked_by(facts)
}

/// Which HTTPRoutes and GRPCRoutes a listener accepts, evaluated lazily route by route.
#[derive(Debug)]
pub struct KindArbitration<'h, 's> {
    decided: HashMap<&'h ObjectRef, Option<&'h GatewayRouteFacts>>,
    /// The hosts of each route that was looked at; empty if the listener would not accept the route even without other
    /// routes.
    hosts: HashMap<&'h ObjectRef, Vec<Host<'s>>>,
    /// A route that competes but is not in the view.
    candidate: Option<&'h GatewayRouteFacts>,
    parent: &'s ListenersFacts,
    listener: &'s ListenerFacts,
    cluster: &'s Overlay<'h>,
}

/// A route, and the routes with higher precedence that may prevent its acceptance, the one with the highest precedence
/// on top.
struct Pending<'h> {
    route: &'h GatewayRouteFacts,
    earlier: BinaryHeap<Reverse<Ranked<'h>>>,
}

impl<'h, 's> KindArbitration<'h, 's> {
    /// Returns the arbitration between all routes in the view at a listener of `parent`.
    pub fn new(parent: &'s ListenersFacts, listener: &'s ListenerFacts, cluster: &'s Overlay<'h>) -> Self {
        Self { decided: HashMap::new(), hosts: HashMap::new(), candidate: None, parent, listener, cluster }
    }

    /// The route of the other kind because of which the listener does not accept `route`: among the accepted ones, the
    /// one with the highest precedence.
    pub fn blocked_by(&mut self, route: &'h GatewayRouteFacts) -> Option<&'h GatewayRouteFacts> {
        // Dependencies between routes may form a long chain, so pending routes are kept in a list instead of on the
        // stack.
        let mut pending = Vec::new();
        if !self.decided.contains_key(&route.object_ref) {
            pending.push(self.pending(route));
        }
        while let Some(last) = pending.last_mut() {
            let Some(Reverse(Ranked(earlier))) = last.earlier.peek() else {
                self.decided.insert(&last.route.object_ref, None);
                pending.pop();
                continue;
            };
            let earlier = *earlier;
            match self.decided.get(&earlier.object_ref) {
                None => pending.push(self.pending(earlier)),
                Some(Some(_)) => _ = last.earlier.pop(),
                Some(None) => {
                    self.decided.insert(&last.route.object_ref, Some(earlier));
                    pending.pop();
                }
            }
        }
        self.decided.get(&route.object_ref).copied().flatten()
    }

    fn pending(&mut self, route: &'h GatewayRouteFacts) -> Pending<'h> {
        let mut earlier = BinaryHeap::new();
        if let Some(kind) = other_kind(route).filter(|kind| self.cluster.has_routes(*kind) || self.candidate.is_some())
        {
            for host in common_hosts(route, self.listener) {
                let others = self.overlapping(&host, kind, |other| compare(other, route).is_lt());
                earlier.extend(others.into_iter().map(|other| Reverse(Ranked(other))));
            }
        }
        Pending { route, earlier }
    }

    /// The routes of `kind` for which `is_wanted` is true, which the listener would accept on their own, and which have
    /// a host in common with `host` there.
    fn overlapping(
        &mut self,
        host: &Host<'_>,
        kind: Kind,
        is_wanted: impl Fn(&GatewayRouteFacts) -> bool,
    ) -> Vec<&'h GatewayRouteFacts> {
        let Self { candidate, parent, cluster, .. } = *self;
        let candidate = candidate.filter(|candidate| candidate.object_ref.kind == kind);
        let others = routes_with_overlapping_host(host, &parent.object_ref, kind, cluster).chain(candidate);
        others.filter(|other| self.accepts_with_host(other, host) && is_wanted(other)).collect()
    }

    /// Whether the listener would accept `other` on its own, with a host that overlaps with `host`.
    fn accepts_with_host(&mut self, other: &'h GatewayRouteFacts, host: &Host<'_>) -> bool {
        let Self { parent, listener, cluster, .. } = *self;
        let hosts =
            self.hosts.entry(&other.object_ref).or_insert_with(|| match accepts(listener, parent, other, cluster) {
                true => common_hosts(other, listener),
                false => Vec::new(),
            });
        hosts.iter().any(|own| own.overlaps(host, Depth::AnyLabels))
    }
}

/// A route, ordered by precedence.
struct Ranked<'h>(&'h GatewayRouteFacts);

impl Ord for Ranked<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(self.0, other.0)
    }
}

impl PartialOrd for Ranked<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ranked<'_> {}

/// The API does not define the precedence of two routes with the same age and name. In this case the HTTPRoute takes
/// precedence, so that exactly one is accepted.
pub(super) fn compare(left: &GatewayRouteFacts, right: &GatewayRouteFacts) -> Ordering {
    let by_precedence = precedence::compare((left.created, &left.object_ref), (right.created, &right.object_ref));
    by_precedence.then_with(|| left.object_ref.kind.cmp(&right.object_ref.kind))
}

/// The kind that a listener does not accept together with this route's kind for one host.
pub(super) fn other_kind(route: &GatewayRouteFacts) -> Option<Kind> {
    match route.object_ref.kind {
        Kind::HttpRoute => Some(Kind::GrpcRoute),
        Kind::GrpcRoute => Some(Kind::HttpRoute),
        _ => None,
    }
}

/// The other routes of `kind` that refer to `parent` and may have a host in common with `host`: first those that name
/// the host or a wildcard that covers it, then those that name a host covered by it.
fn routes_with_overlapping_host<'h, 's>(
    host: &'s Host<'_>,
    parent: &'s ObjectRef,
    kind: Kind,
    cluster: &'s Overlay<'h>,
) -> impl Iterator<Item = &'h GatewayRouteFacts> + use<'h, 's> {
    let any = (*host != Host::Any).then_some(Host::Any);
    let above = std::iter::once(host.borrowed()).chain(host.wildcards_above()).chain(any);
    let above = above.flat_map(move |name| cluster.routes_with_host(parent, kind, &name).collect::<Vec<_>>());
    above.chain(cluster.routes_covered(parent, kind, host))
}
