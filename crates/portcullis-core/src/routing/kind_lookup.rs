//! HTTPRoutes and GRPCRoutes with a common host on a listener, decided by look-ups: how many other routes exist does not
//! matter. [`kind_clash`](super::kind_clash) arbitrates between all of them.

use std::rc::Rc;

use hashbrown::HashMap;

use super::attachment::{accepts, common_hosts};
use super::kind_clash::{compare, other_kind};
use super::precedence;
use super::presence::attached_parents;
use super::used_references::{UsedReference, used_references};
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts};
use crate::cluster::route_claim::RouteClaim;
use crate::cluster::route_index::FirstRoute;
use crate::kinds::Kind;
use crate::matching::{Depth, Host};

/// A route of the other kind that a listener does not accept together with this one.
#[derive(Debug, Clone, PartialEq)]
pub struct KindClash<'h> {
    /// The host that both routes have, or would have, on the listener.
    pub host: Host<'h>,
    /// The listener.
    pub listener: &'h ListenerFacts,
    /// The other route.
    pub other: &'h GatewayRouteFacts,
    /// Whether the listener accepts this route. Otherwise it accepts the other one.
    pub accepts_this: bool,
    /// Whether it depends on further routes which of the two the listener accepts, so that there may be no clash. Routes
    /// that are cut are such routes, unless they are younger than the one that it accepts.
    pub is_uncertain: bool,
}

/// The routes of the other kind that prevent a listener from accepting `facts` (of an HTTPRoute or a GRPCRoute), or
/// that it does not accept because of `facts`: one for each host. Only routes for which `is_rival` returns true are
/// looked at.
pub fn of_kinds<'h>(
    facts: &'h GatewayRouteFacts,
    cluster: &Overlay<'h>,
    is_rival: impl Fn(&Host<'_>, &GatewayRouteFacts) -> bool,
) -> Vec<KindClash<'h>> {
    let Some(kind) = other_kind(facts).filter(|kind| cluster.has_routes(*kind)) else { return Vec::new() };
    let mut found: HashMap<Host<'h>, KindClash<'h>> = HashMap::new();
    for (parent, listeners) in attached_parents(facts, cluster) {
        let mut site = SiteLookup::new(parent, &listeners, cluster);
        if site.used(kind).is_empty() {
            continue;
        }
        for (index, listener) in listeners.iter().enumerate() {
            for host in common_hosts(facts, listener) {
                if found.get(&host).is_some_and(|clash| !clash.is_uncertain) {
                    continue;
                }
                let Some(clash) = site.clash(facts, &host, index, &is_rival) else { continue };
                if !clash.is_uncertain || !found.contains_key(&host) {
                    found.insert(host, clash);
                }
            }
        }
    }
    let mut found: Vec<_> = found.into_values().collect();
    if !found.is_empty() {
        let by_precedence = |one: &_, other: &_| precedence::compare(*one, *other);
        let first_cut = cluster.cut_by_age(&[Kind::HttpRoute, Kind::GrpcRoute]).min_by(by_precedence);
        for clash in &mut found {
            let taker = if clash.accepts_this { facts } else { clash.other };
            let taker = (taker.created, &taker.object_ref);
            clash.is_uncertain |= first_cut.is_some_and(|cut| precedence::compare(cut, taker).is_lt());
        }
    }
    found.sort_by_cached_key(|clash| clash.host.from_the_right());
    found
}

/// What the look-ups say about a route at a listener, without the route under review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The listener accepts it.
    Accepted,
    /// Another route of the other kind prevents it.
    Rejected,
    /// It depends on further routes.
    Unknown,
}

/// How many routes, each older than the one before and of the other kind, are looked up to decide about a route.
const DEPTH: usize = 2;

/// Other routes that have a host, the one with the highest precedence first.
type Found<'h> = Rc<[FirstRoute<'h>]>;

/// Look-ups at the listeners of one parent.
struct SiteLookup<'s, 'h> {
    parent: &'h ListenersFacts,
    listeners: &'s [&'h ListenerFacts],
    cluster: &'s Overlay<'h>,
    used: HashMap<Kind, Rc<[UsedReference<'h>]>>,
    /// The routes of a kind with a host that overlaps with a host, by the index of the reference.
    overlapping: HashMap<(Kind, usize, Host<'h>), Found<'h>>,
    fates: HashMap<(*const GatewayRouteFacts, usize, usize), Fate>,
}

impl<'s, 'h> SiteLookup<'s, 'h> {
    fn new(parent: &'h ListenersFacts, listeners: &'s [&'h ListenerFacts], cluster: &'s Overlay<'h>) -> Self {
        let (used, overlapping, fates) = Default::default();
        Self { parent, listeners, cluster, used, overlapping, fates }
    }

    fn used(&mut self, kind: Kind) -> Rc<[UsedReference<'h>]> {
        let Self { parent, listeners, cluster, .. } = *self;
        Rc::clone(self.used.entry(kind).or_insert_with(|| used_references(parent, listeners, kind, cluster).into()))
    }

    /// The clash for `host` at the listener with this index.
    fn clash(
        &mut self,
        facts: &'h GatewayRouteFacts,
        host: &Host<'h>,
        listener: usize,
        is_rival: impl Fn(&Host<'_>, &GatewayRouteFacts) -> bool,
    ) -> Option<KindClash<'h>> {
        let others = self.overlapping_at(other_kind(facts)?, host, listener).into_iter();
        let with_shared_host = |other: FirstRoute<'h>| {
            let mut shared = shared_hosts(host, other.facts, self.listeners[listener]);
            Some((shared.find(|host| is_rival(host, other.facts))?, other))
        };
        let others: Vec<(Host<'h>, FirstRoute<'h>)> = others.filter_map(with_shared_host).collect();
        if others.is_empty() {
            return None;
        }
        let fate = self.fate(facts, listener, DEPTH);
        let clash = |(host, other): &(Host<'h>, FirstRoute<'h>), is_uncertain| KindClash {
            host: host.clone(),
            listener: self.listeners[listener],
            other: other.facts,
            accepts_this: fate == Fate::Accepted,
            is_uncertain,
        };
        let mut uncertain = None;
        for other in &others {
            match self.clashes_with(&other.1, facts, fate, listener) {
                Some(true) => return Some(clash(other, false)),
                None if uncertain.is_none() => uncertain = Some(other),
                _ => {}
            }
        }
        uncertain.map(|other| clash(other, true))
    }

    /// Whether the listener accepts only one of this route, which has this fate, and `other`, because of the other one.
    /// `None` if it depends on further routes.
    fn clashes_with(
        &mut self,
        other: &FirstRoute<'h>,
        facts: &'h GatewayRouteFacts,
        fate: Fate,
        listener: usize,
    ) -> Option<bool> {
        let is_earlier = compare(other.facts, facts).is_lt();
        let of_other = match (fate, is_earlier) {
            (Fate::Unknown, _) => return None,
            (Fate::Rejected, _) => self.fate(other.facts, listener, DEPTH - 1),
            // The listener accepts this route, so it accepts none of these.
            (Fate::Accepted, true) => Fate::Rejected,
            (Fate::Accepted, false) => match self.fate_before(other.facts, facts, listener) {
                Fate::Accepted => return Some(true),
                fate => fate,
            },
        };
        match of_other {
            Fate::Accepted => Some(true),
            // Which of the routes that are like the first one the listener accepts is not known.
            Fate::Rejected if is_earlier && fate == Fate::Accepted => Some(false),
            Fate::Rejected if !other.has_others => Some(false),
            Fate::Rejected | Fate::Unknown => None,
        }
    }

    /// The fate of `route` if only routes before `limit` could prevent its acceptance.
    fn fate_before(&mut self, route: &'h GatewayRouteFacts, limit: &GatewayRouteFacts, listener: usize) -> Fate {
        let earlier = self.earlier(route, listener);
        self.decide(earlier.into_iter().filter(|other| compare(other.facts, limit).is_lt()).collect(), listener, DEPTH)
    }

    /// The fate of `route` at a listener, as far as `depth` look-ups tell.
    fn fate(&mut self, route: &'h GatewayRouteFacts, listener: usize, depth: usize) -> Fate {
        if let Some(known) = self.fates.get(&(std::ptr::from_ref(route), listener, depth)) {
            return *known;
        }
        let earlier = self.earlier(route, listener);
        let fate = self.decide(earlier, listener, depth);
        self.fates.insert((std::ptr::from_ref(route), listener, depth), fate);
        fate
    }

    /// The fate of a route of which these have precedence.
    fn decide(&mut self, earlier: Vec<FirstRoute<'h>>, listener: usize, depth: usize) -> Fate {
        let mut fate = Fate::Accepted;
        for other in earlier {
            match if depth == 0 { Fate::Unknown } else { self.fate(other.facts, listener, depth - 1) } {
                Fate::Accepted => return Fate::Rejected,
                Fate::Rejected if !other.has_others => {}
                Fate::Rejected | Fate::Unknown => fate = Fate::Unknown,
            }
            if depth == 0 {
                break;
            }
        }
        fate
    }

    /// The routes of the other kind that have precedence over `route` and a host in common with it on a listener.
    fn earlier(&mut self, route: &'h GatewayRouteFacts, listener: usize) -> Vec<FirstRoute<'h>> {
        let Some(kind) = other_kind(route) else { return Vec::new() };
        let hosts = common_hosts(route, self.listeners[listener]);
        let mut earlier: Vec<FirstRoute<'h>> =
            hosts.into_iter().flat_map(|host| self.overlapping_at(kind, &host, listener)).collect();
        earlier.retain(|other| compare(other.facts, route).is_lt());
        sort(&mut earlier);
        earlier
    }

    /// The other routes of `kind` that the listener would accept by itself, with a host that overlaps with `host`.
    fn overlapping_at(&mut self, kind: Kind, host: &Host<'h>, listener: usize) -> Vec<FirstRoute<'h>> {
        let Self { parent, listeners, cluster, .. } = *self;
        let mut found: Vec<FirstRoute<'h>> = Vec::new();
        for (index, used) in self.used(kind).iter().enumerate() {
            if used.listeners.contains(&listener) {
                let key = (kind, index, host.clone());
                let overlapping =
                    self.overlapping.entry(key).or_insert_with(|| overlapping_routes(kind, used, host, cluster).into());
                found.extend(
                    overlapping.iter().filter(|other| accepts(listeners[listener], parent, other.facts, cluster)),
                );
            }
        }
        sort(&mut found);
        found
    }
}

/// The hosts that `other` has on `listener` in common with `host`.
fn shared_hosts<'h>(
    host: &Host<'h>,
    other: &'h GatewayRouteFacts,
    listener: &'h ListenerFacts,
) -> impl Iterator<Item = Host<'h>> {
    let shared = |theirs: Host<'h>| match host.covers(&theirs, Depth::AnyLabels) {
        true => Some(theirs),
        false => theirs.covers(host, Depth::AnyLabels).then(|| host.clone()),
    };
    common_hosts(other, listener).into_iter().filter_map(shared)
}

/// The other routes that use a reference and name `host`, a host that covers it, or one that it covers.
pub(super) fn overlapping_routes<'h>(
    kind: Kind,
    used: &UsedReference<'_>,
    host: &Host<'_>,
    cluster: &Overlay<'h>,
) -> Vec<FirstRoute<'h>> {
    let names = [host.borrowed(), Host::Any];
    let above: Vec<Host<'_>> = host.wildcards_above().collect();
    let mut claims: Vec<RouteClaim<'_>> =
        names[..1 + usize::from(*host != Host::Any)].iter().chain(&above).map(RouteClaim::host).collect();
    claims.extend(match host {
        Host::Precise(_) => None,
        Host::Wildcard(_) | Host::Any => Some(RouteClaim::Below(host.parts().1)),
    });
    claims.into_iter().flat_map(|claim| cluster.routes_with_claim(kind, Some(used.reference), claim)).collect()
}

/// Sorts routes by precedence, each once.
fn sort(routes: &mut Vec<FirstRoute<'_>>) {
    routes.sort_by(|left, right| compare(left.facts, right.facts).then(right.has_others.cmp(&left.has_others)));
    routes.dedup_by(|left, right| std::ptr::eq(left.facts, right.facts));
}
