//! The Services to which Ingresses send requests, and Ingresses as members of the table of Services.

use std::cmp::Ordering;

use super::IngressFacts;
use super::claim_table::Members;
use super::ingress_claim::{Slots, are_of_group, order, variant_order};
use super::plane_key::PlaneKey;
use super::slot::Slot;
use crate::kinds::Ingress;
use crate::kinds::ingress::Backend;
use crate::kinds::size::MAX_ENTRIES;
use crate::matching::{Mark, route};

/// The Services of an Ingress with their ports, sorted, without duplicates and separated by spaces: `cart:80 pay:http`.
/// An Ingress may name thousands of Services, so they share one string.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IngressServices(Box<str>);

impl IngressServices {
    /// The Services of `ingress`; none of a canary, which has no requests of its own.
    pub fn of(ingress: &Ingress<'_>) -> Self {
        if Mark::of_ingress(ingress) == Mark::Canary {
            return Self::default();
        }
        let mut all: Vec<String> =
            route::of_ingress(ingress).iter().filter_map(|route| service_key(route.backend)).collect();
        all.sort_unstable();
        all.dedup();
        all.truncate(MAX_ENTRIES);
        Self(all.join(" ").into())
    }

    /// The Service with its port, if there is only one.
    pub fn single(&self) -> Option<&str> {
        (!self.0.is_empty() && !self.0.contains(' ')).then_some(&self.0)
    }

    /// The Services, each with its port and its byte offset.
    fn with_offsets(&self) -> impl Iterator<Item = (u32, &str)> {
        let services = self.0.split(' ').filter(|service| !service.is_empty());
        let mut next = 0;
        services.map_while(move |service| {
            let offset = u32::try_from(next).ok()?;
            next += service.len() + 1;
            Some((offset, service))
        })
    }

    /// The Service at an offset.
    fn at(&self, offset: u32) -> Option<&str> {
        self.0.get(offset as usize..)?.split(' ').next()
    }
}

/// The Service and the port of a backend; `None` for other backends.
pub fn service_key(backend: &Backend<'_>) -> Option<String> {
    let service = backend.only_service()?;
    let name = &service.name;
    match (service.port.name(), service.port.number()) {
        (Some(port), _) => Some(format!("{name}:{port}")),
        (None, Some(port)) => Some(format!("{name}:{port}")),
        (None, None) => None,
    }
}

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
