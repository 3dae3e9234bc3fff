//! Ingresses as members of the table of Services.

use std::cmp::Ordering;

use super::IngressFacts;
use super::claim_table::Members;
use super::ingress_claim::{Slots, are_of_group, order, variant_order};
use super::plane_key::PlaneKey;
use super::slot::Slot;

/// An Ingress as a member of the table of Services.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ServiceMember {
    slot: Slot,
    /// The byte offset of the Service among those of the Ingress.
    offset: u32,
}

impl ServiceMember {
    /// The Services of an Ingress, each with its key: plane key, namespace, and the Service with its port.
    pub fn all(slot: Slot, facts: &IngressFacts) -> impl Iterator<Item = ((PlaneKey<'_>, &str, &str), Self)> {
        facts.services.with_offsets().flat_map(move |(offset, service)| {
            let key = move |plane| (plane, &*facts.object_ref.namespace, service);
            facts.plane_keys().map(move |plane| (key(plane), Self { slot, offset }))
        })
    }
}

impl<'s> Slots<'s> {
    /// The Ingress of a member, and the Service.
    pub fn user(self, ServiceMember { slot, offset }: ServiceMember) -> Option<(&'s IngressFacts, &'s str)> {
        let facts = self.facts(slot)?;
        Some((facts, facts.services.at(offset)?))
    }
}

impl Members<ServiceMember> for Slots<'_> {
    fn are_of_group(&self, one: ServiceMember, other: ServiceMember) -> bool {
        let (Some(one), Some(other)) = (self.user(one), self.user(other)) else { return false };
        one.1 == other.1 && are_of_group(one.0, other.0)
    }

    fn variant_order(&self, one: ServiceMember, other: ServiceMember) -> Ordering {
        match (self.facts(one.slot), self.facts(other.slot)) {
            (Some(left), Some(right)) => variant_order(left, right),
            _ => Ordering::Equal,
        }
    }

    fn order(&self, one: ServiceMember, other: ServiceMember) -> Ordering {
        match (self.facts(one.slot), self.facts(other.slot)) {
            (Some(left), Some(right)) => order(left, right),
            _ => one.slot.cmp(&other.slot),
        }
    }
}
