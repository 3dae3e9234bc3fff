//! The entries of the index of Ingresses: one claim of one Ingress, a host and a path under one of its plane keys.

use std::cmp::Ordering;

use super::claim_table::Members;
use super::facts::{IngressFacts, RouteFacts};
use super::plane_key::PlaneKey;
use super::slot::Slot;
use crate::kinds::size::MAX_ENTRIES;
use crate::matching::PathType;
use crate::matching::alias::Alias;
use crate::matching::host::Form;
use crate::matching::path_interpretation::NotatedPath;

/// What identifies a claim: plane key, host, and the text that paths which may match the same requests have in common.
pub(super) type ClaimKey<'k> = (PlaneKey<'k>, Form, &'k str, &'k str);

/// The key of the claim of a host and a path.
pub(super) fn claim_key<'k>(
    plane: PlaneKey<'k>,
    (form, host): (Form, &'k str),
    kind: PathType,
    path: &'k str,
) -> ClaimKey<'k> {
    (plane, form, host, NotatedPath::key(kind, path))
}

/// The position of a host that an annotation adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Added {
    /// The index of the annotation among those of the Ingress that add hosts.
    number: u8,
    /// The byte offset of the host among those of the annotation.
    offset: u32,
}

impl Added {
    /// The hosts that annotations add to all rules of an Ingress, or the others that they list (`is_described`), each with
    /// its position.
    fn all(facts: &IngressFacts, is_described: bool) -> impl Iterator<Item = (Self, &str)> {
        (0..)
            .zip(&facts.added)
            .filter(move |(_, added)| added.is_described == is_described)
            .flat_map(|(number, added)| added.hosts().map(move |(offset, host)| (Self { number, offset }, host)))
    }
}

/// An Ingress as a member of the table of claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Claimant {
    /// The slot of the Ingress.
    pub slot: Slot,
    /// The index of the route with the path.
    route: u32,
    /// Where the host is, if an annotation adds it.
    added: Option<Added>,
}

impl Claimant {
    /// All claims of an Ingress, each with its key. A host that an annotation adds is claimed with each path. At most
    /// [`MAX_ENTRIES`] of such claims are listed.
    pub fn all(slot: Slot, facts: &IngressFacts) -> impl Iterator<Item = (ClaimKey<'_>, Self)> {
        let routes = || (0..).zip(&facts.routes);
        let own = routes().map(move |(route, own)| ((own.form, &*own.host), own, Self { slot, route, added: None }));
        let added = Added::all(facts, false).flat_map(move |(added, host)| {
            let rules = routes().filter(|(_, own)| !own.notation.is_default_backend);
            rules.map(move |(route, own)| (parts(host), own, Self { slot, route, added: Some(added) }))
        });
        own.chain(added.take(MAX_ENTRIES)).flat_map(|(host, own, member)| {
            facts.plane_keys().map(move |plane| (claim_key(plane, host, own.kind, &own.path), member))
        })
    }
}

/// An Ingress as a member of the table of hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct HostMember {
    /// The slot of the Ingress.
    pub slot: Slot,
    added: Option<Added>,
    /// The index of a route with the host, unless an annotation adds it.
    route: u32,
}

impl HostMember {
    /// The hosts of an Ingress, each once.
    pub fn all(slot: Slot, facts: &IngressFacts) -> impl Iterator<Item = ((Form, &str), Self)> {
        let mut seen = hashbrown::HashSet::new();
        let own = (0..).zip(&facts.routes).filter(move |(_, route)| {
            // Consecutive routes with one host share its text.
            route.form != Form::Any && seen.insert((route.form, &*route.host))
        });
        let own = own.map(move |(route, own)| ((own.form, &*own.host), Self { slot, added: None, route }));
        let added = Added::all(facts, false);
        own.chain(added.map(move |(added, host)| (parts(host), Self { slot, added: Some(added), route: 0 })))
    }

    /// The hosts that annotations list without adding them to all rules.
    pub fn described(slot: Slot, facts: &IngressFacts) -> impl Iterator<Item = ((Form, &str), Self)> {
        let described = Added::all(facts, true);
        described.map(move |(added, host)| (parts(host), Self { slot, added: Some(added), route: 0 }))
    }
}

/// The form and the name of a host in canonical form.
fn parts(host: &str) -> (Form, &str) {
    match host.strip_prefix("*.") {
        Some(suffix) => (Form::Wildcard, suffix),
        None => (Form::Precise, host),
    }
}

/// One claim of another Ingress.
#[derive(Debug, Clone, Copy)]
pub struct IngressClaim<'i> {
    /// The Ingress.
    pub facts: &'i IngressFacts,
    /// The route with the path, and with the host unless an annotation adds it.
    pub route: &'i RouteFacts,
    /// The annotation that adds the host to the rules of the Ingress.
    pub alias: Option<&'static Alias>,
    host: (Form, &'i str),
}

impl<'i> IngressClaim<'i> {
    /// The form and the name of the host.
    pub(super) fn host_parts(&self) -> (Form, &'i str) {
        self.host
    }
}

/// The slots of the index, by which tables compare their members.
#[derive(Clone, Copy)]
pub(super) struct Slots<'s>(pub &'s [Option<IngressFacts>]);

impl<'s> Slots<'s> {
    /// The Ingress in a slot.
    pub fn facts(self, slot: Slot) -> Option<&'s IngressFacts> {
        self.0.get(slot as usize)?.as_ref()
    }

    /// The claim of a member.
    pub fn claim(self, Claimant { slot, route, added }: Claimant) -> Option<IngressClaim<'s>> {
        let facts = self.facts(slot)?;
        let route = facts.routes.get(route as usize)?;
        let host = self.host(facts, route, added)?;
        Some(IngressClaim { facts, route, alias: added.and_then(|added| alias(facts, added)), host })
    }

    /// The host of a member.
    pub fn host_parts(self, HostMember { slot, added, route }: HostMember) -> Option<(Form, &'s str)> {
        let facts = self.facts(slot)?;
        match added {
            Some(_) => self.added_host(facts, added?),
            None => facts.routes.get(route as usize).map(|route| (route.form, &*route.host)),
        }
    }

    /// The annotation that adds the host of a member.
    pub fn alias(self, member: HostMember) -> Option<&'static Alias> {
        alias(self.facts(member.slot)?, member.added?)
    }

    fn host(self, facts: &'s IngressFacts, route: &'s RouteFacts, added: Option<Added>) -> Option<(Form, &'s str)> {
        match added {
            Some(added) => self.added_host(facts, added),
            None => Some((route.form, &*route.host)),
        }
    }

    fn added_host(self, facts: &'s IngressFacts, added: Added) -> Option<(Form, &'s str)> {
        Some(parts(facts.added.get(usize::from(added.number))?.host_at(added.offset)))
    }
}

fn alias(facts: &IngressFacts, added: Added) -> Option<&'static Alias> {
    Some(facts.added.get(usize::from(added.number))?.alias)
}

/// Whether two Ingresses with one claim belong to one group.
pub(super) fn are_of_group(one: &IngressFacts, other: &IngressFacts) -> bool {
    let has_rules = |facts: &IngressFacts| facts.routes.first().is_some_and(|route| !route.notation.is_default_backend);
    one.object_ref.namespace == other.object_ref.namespace
        && one.mark == other.mark
        && one.created.is_none() == other.created.is_none()
        && has_rules(one) == has_rules(other)
}

/// Orders two Ingresses of one group by what else a comparison with a third one looks at: first by hints, since most have
/// none.
pub(super) fn variant_order(one: &IngressFacts, other: &IngressFacts) -> Ordering {
    one.hints
        .cmp(&other.hints)
        .then_with(|| one.class.cmp(&other.class))
        .then_with(|| one.further_classes.cmp(&other.further_classes))
        .then_with(|| one.is_of_default_class.cmp(&other.is_of_default_class))
        .then_with(|| one.has_annotated_class.cmp(&other.has_annotated_class))
        .then_with(|| one.has_address.cmp(&other.has_address))
        .then_with(|| one.nginx.cmp(&other.nginx))
}

/// The oldest first, then by name.
pub(super) fn order(one: &IngressFacts, other: &IngressFacts) -> Ordering {
    let rank = |facts: &IngressFacts| (facts.created.is_none(), facts.created);
    rank(one).cmp(&rank(other)).then_with(|| one.object_ref.cmp(&other.object_ref))
}

impl Members<Claimant> for Slots<'_> {
    fn are_of_group(&self, one: Claimant, other: Claimant) -> bool {
        let (Some(one), Some(other)) = (self.claim(one), self.claim(other)) else { return false };
        one.host == other.host
            && one.route.notated().own_key() == other.route.notated().own_key()
            && is_one_alias(one.alias, other.alias)
            && are_of_group(one.facts, other.facts)
    }

    fn variant_order(&self, one: Claimant, other: Claimant) -> Ordering {
        let (Some(one), Some(other)) = (self.claim(one), self.claim(other)) else { return Ordering::Equal };
        let path = |claim: &IngressClaim<'_>| (claim.route.kind, claim.route.notation);
        variant_order(one.facts, other.facts)
            .then_with(|| path(&one).cmp(&path(&other)))
            .then_with(|| one.route.path.cmp(&other.route.path))
    }

    fn order(&self, one: Claimant, other: Claimant) -> Ordering {
        match (self.facts(one.slot), self.facts(other.slot)) {
            (Some(left), Some(right)) => order(left, right).then(one.route.cmp(&other.route)),
            _ => one.slot.cmp(&other.slot),
        }
    }
}

/// A look-up by host returns the oldest members, whatever their variants are.
impl Members<HostMember> for Slots<'_> {
    fn are_of_group(&self, one: HostMember, other: HostMember) -> bool {
        let (Some(left), Some(right)) = (self.facts(one.slot), self.facts(other.slot)) else { return false };
        self.host_parts(one) == self.host_parts(other)
            && is_one_alias(self.alias(one), self.alias(other))
            && are_of_group(left, right)
    }

    fn variant_order(&self, _one: HostMember, _other: HostMember) -> Ordering {
        Ordering::Equal
    }

    fn order(&self, one: HostMember, other: HostMember) -> Ordering {
        match (self.facts(one.slot), self.facts(other.slot)) {
            (Some(left), Some(right)) => order(left, right),
            _ => one.slot.cmp(&other.slot),
        }
    }
}

fn is_one_alias(one: Option<&'static Alias>, other: Option<&'static Alias>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => std::ptr::eq(one, other),
        (None, None) => true,
        _ => false,
    }
}
