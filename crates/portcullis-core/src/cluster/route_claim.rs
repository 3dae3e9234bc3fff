//! The entries of the index of routes: one claim of one route through one of its references to a parent.

use std::cmp::Ordering;
use std::sync::Arc;

use hashbrown::HashSet;

use super::claim_table::Members;
use super::gateway_facts::{DEFAULT_GATEWAYS, GatewayRouteFacts, ParentFacts};
use super::slot::Slot;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;
use crate::matching::host::Form;

/// A reference of a route to a Gateway or a ListenerSet, or to [the default Gateways](DEFAULT_GATEWAYS).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RouteReference<'r> {
    /// The Gateway or ListenerSet.
    pub parent: &'r ObjectRef,
    /// The name of the listener.
    pub section: Option<&'r str>,
    /// The port of the listeners.
    pub port: Option<i64>,
}

impl RouteReference<'static> {
    /// The reference of a route that uses the default Gateways.
    pub const DEFAULTS: Self = Self { parent: &DEFAULT_GATEWAYS, section: None, port: None };
}

impl<'r> From<&'r ParentFacts> for RouteReference<'r> {
    fn from(ParentFacts { target, section, port }: &'r ParentFacts) -> Self {
        Self { parent: target, section: section.as_deref(), port: *port }
    }
}

/// What a route claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RouteClaim<'c> {
    /// A host, by the form and the name; every host if the route names none.
    Host(Form, &'c str),
    /// A match of a host.
    Match(Form, &'c str, &'c str),
    /// Some host of one or more labels and this suffix; some host at all for the empty suffix.
    Below(&'c str),
}

impl<'c> RouteClaim<'c> {
    /// The claim to exactly this host.
    pub fn host(host: &'c Host<'_>) -> Self {
        let (form, name) = host.parts();
        Self::Host(form, name)
    }

    /// The claim to exactly this host and match.
    pub fn matched(host: &'c Host<'_>, key: &'c str) -> Self {
        let (form, name) = host.parts();
        Self::Match(form, name, key)
    }
}

/// What identifies a claim: the kind of the route, the reference through which it is claimed, and what is claimed. Without
/// a reference, the claim is to the host whatever the references are, or to a match of a route with many of them.
pub(super) type RouteKey<'k> = (Kind, Option<RouteReference<'k>>, RouteClaim<'k>);

/// A route with more matches than this, each counted for every reference and host, has each once for all references.
const MAX_MATCHES: usize = 4_096;

/// The maximum number of labels of a host that a client can request.
const MAX_LABELS: usize = 128;

/// A route as a member of the table of claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RouteMember {
    slot: Slot,
    /// The number of the claim among those of the route.
    number: u32,
}

/// The claims of a route, numbered: by reference (the first number is for no reference), then by host, then the host
/// itself, its matches, and the suffixes of the host.
struct Claims<'f> {
    facts: &'f GatewayRouteFacts,
    hosts: &'f [Host<'static>],
    references: usize,
}

impl<'f> Claims<'f> {
    fn of(facts: &'f GatewayRouteFacts) -> Self {
        const ANY: &[Host<'static>] = &[Host::Any];
        let hosts = if facts.hosts.is_empty() { ANY } else { &facts.hosts };
        Self { facts, hosts, references: facts.parents.len() + usize::from(facts.uses_defaults) }
    }

    /// How many claims there are at most for each reference and host.
    fn width(&self) -> usize {
        1 + self.facts.matches.len() + MAX_LABELS
    }

    fn has_many_matches(&self) -> bool {
        self.references * self.hosts.len() * self.facts.matches.len() > MAX_MATCHES
    }

    fn reference(&self, number: usize) -> Option<RouteReference<'f>> {
        match number {
            0 => None,
            number => Some(self.facts.parents.get(number - 1).map_or(RouteReference::DEFAULTS, RouteReference::from)),
        }
    }

    fn claim(&self, host: usize, number: usize) -> Option<RouteClaim<'f>> {
        let (form, name) = self.hosts.get(host)?.parts();
        let matches = &self.facts.matches;
        match number.checked_sub(1) {
            None => Some(RouteClaim::Host(form, name)),
            Some(number) if number < matches.len() => Some(RouteClaim::Match(form, name, &matches[number])),
            Some(number) => suffixes(form, name).nth(number - matches.len()).map(RouteClaim::Below),
        }
    }

    fn key(&self, number: u32) -> Option<RouteKey<'f>> {
        let (number, width) = (number as usize, self.width());
        let (pair, claim) = (number / width, number % width);
        let (reference, host) = (pair / self.hosts.len(), pair % self.hosts.len());
        Some((self.facts.object_ref.kind, self.reference(reference), self.claim(host, claim)?))
    }

    /// The numbers of the claims, each claim once.
    fn numbers(&self) -> Vec<u32> {
        let mut seen = HashSet::new();
        let hosts: Vec<usize> = (0..self.hosts.len()).filter(|host| seen.insert(&self.hosts[*host])).collect();
        let mut seen = HashSet::new();
        let references = (0..=self.references).filter(|reference| seen.insert(self.reference(*reference)));
        let (below, matches, has_many) = (self.below(), self.facts.matches.len(), self.has_many_matches());
        let mut numbers = Vec::new();
        for reference in references {
            let matches = if (reference == 0) == has_many { matches } else { 0 };
            let served = hosts.iter().flat_map(|host| (0..=matches).map(move |claim| (*host, claim)));
            let below = below.iter().copied().filter(|_| reference > 0);
            let number = |(host, claim)| (reference * self.hosts.len() + host) * self.width() + claim;
            numbers.extend(served.chain(below).map_while(|claim| u32::try_from(number(claim)).ok()));
        }
        numbers
    }

    /// Each suffix of a host once, as the host and the number among its claims.
    fn below(&self) -> Vec<(usize, usize)> {
        let (mut seen, first) = (HashSet::new(), 1 + self.facts.matches.len());
        let mut below = Vec::new();
        for (host, (form, name)) in self.hosts.iter().map(Host::parts).enumerate() {
            let suffixes = suffixes(form, name).enumerate();
            below.extend(suffixes.filter(|(_, suffix)| seen.insert(*suffix)).map(|(number, _)| (host, first + number)));
        }
        below
    }
}

/// The suffixes under which a host is: the empty one, then those of its wildcards.
fn suffixes(form: Form, name: &str) -> impl Iterator<Item = &str> {
    let dots = name.match_indices('.').map(|(dot, _)| &name[dot + 1..]);
    let all = std::iter::once("").chain(dots).take(MAX_LABELS);
    (form != Form::Any).then_some(all).into_iter().flatten()
}

impl RouteMember {
    /// All claims of a route, each with its key.
    pub fn all(slot: Slot, facts: &GatewayRouteFacts) -> impl Iterator<Item = (RouteKey<'_>, Self)> {
        let claims = Claims::of(facts);
        let numbers = claims.numbers().into_iter();
        numbers.filter_map(move |number| Some((claims.key(number)?, Self { slot, number })))
    }
}

/// The slots of the index, by which the table compares its members.
#[derive(Clone, Copy)]
pub(super) struct RouteSlots<'s>(pub &'s [Option<Arc<GatewayRouteFacts>>]);

impl<'s> RouteSlots<'s> {
    /// The route of a member.
    pub fn facts(self, member: RouteMember) -> Option<&'s GatewayRouteFacts> {
        self.0.get(member.slot as usize)?.as_deref()
    }

    /// The key of a member.
    pub fn key(self, member: RouteMember) -> Option<RouteKey<'s>> {
        Claims::of(self.facts(member)?).key(member.number)
    }
}

impl Members<RouteMember> for RouteSlots<'_> {
    fn are_of_group(&self, one: RouteMember, other: RouteMember) -> bool {
        let (Some(left), Some(right)) = (self.facts(one), self.facts(other)) else { return false };
        left.object_ref.namespace == right.object_ref.namespace
            && left.created.is_none() == right.created.is_none()
            && left.is_solver == right.is_solver
            && self.key(one) == self.key(other)
    }

    /// A match without a reference is a claim through all references of the route. A look-up by host returns the oldest
    /// routes, whatever their references are.
    fn variant_order(&self, one: RouteMember, other: RouteMember) -> Ordering {
        let references = |member: RouteMember| match self.key(member)? {
            (_, None, RouteClaim::Match(..)) => Some(References::of(self.facts(member)?)),
            _ => None,
        };
        references(one).cmp(&references(other))
    }

    fn order(&self, one: RouteMember, other: RouteMember) -> Ordering {
        let rank = |member: RouteMember| self.facts(member).map(|facts| (facts.created, &facts.object_ref));
        rank(one).cmp(&rank(other)).then(one.number.cmp(&other.number))
    }
}

/// The references of a route to its parents, as far as a comparison looks at them.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct References<'f>(bool, &'f [ParentFacts]);

impl<'f> References<'f> {
    /// Those of `route`.
    pub fn of(route: &'f GatewayRouteFacts) -> Self {
        Self(route.uses_defaults, &route.parents)
    }
}
