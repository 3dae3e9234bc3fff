//! Reserves the claims of an admitted write until the view shows its object, and checks a write against the claims that
//! other writes have reserved.
//!
//! If another write has reserved one of the hosts, or if the namespace may have too many paths and matches with those that are reserved,
//! the same checks run again with the reserved facts in the overlay. A write that only then would be denied gets 503 with
//! `Retry-After: 1`, so that no finding names an object that cannot be read yet.

use std::time::Duration;

use super::error::ReviewError;
use super::request::AdmissionRequest;
use crate::checks::{Operation, Outcome, Plan, Write};
use crate::cluster::reservations::{Rivals, ShownChanges, claims_same, is_reserved};
use crate::cluster::{ClaimReservations, Cluster, CpuClock, Facts, Overlay, ReservedClaim, SharedCluster, SharedView};
use crate::kinds::{Object, walk};
use crate::matching::alias::Alias;
use crate::matching::{Claims, Host};
use crate::routing::Hosts;

/// How often a write is checked again because another one has reserved a claim in the meantime.
const ATTEMPTS: usize = 8;

/// A write that passed its checks, with everything needed to check it again.
pub struct Admission<'r, 'o> {
    pub request: &'r AdmissionRequest<'o>,
    pub object: &'r Object<'o>,
    pub plan: &'r Plan,
    pub cluster: &'r SharedCluster,
    pub write: &'r Write<'r>,
    /// How many reserved objects the view had shown before the checks ran. A check may have missed those shown later.
    pub since: ShownChanges,
    /// The clock by which the time of the review is limited.
    pub cpu: Option<CpuClock<'r>>,
    /// The time, on the clock of the reservations.
    pub elapsed: Duration,
}

impl Admission<'_, '_> {
    /// Reserves the claims of the write if it is admitted, and returns whether an update changes what the object claims. Fails
    /// with [`ReviewError::Reserved`] if they conflict with a claim that another write has reserved. If that takes too long, the
    /// denial replaces `judgement`.
    pub fn reserve<'o>(
        &self,
        judgement: &mut Outcome,
        old: impl Fn() -> Option<Object<'o>>,
    ) -> Result<bool, ReviewError> {
        let Write { operation, this, .. } = *self.write;
        let now = self.elapsed;
        if judgement.denies() || !judgement.waiting.is_empty() {
            return Ok(false);
        }
        if !is_reserved(this.kind) {
            return Ok(operation == Operation::Update && self.changes_listeners(old));
        }
        if operation == Operation::Delete {
            self.release();
            return Ok(false);
        }
        let Some(facts) = self.facts() else { return Ok(false) };
        let Some(claim) = ReservedClaim::of(facts, self.further_hosts(), operation == Operation::Create) else {
            if operation == Operation::Update {
                self.release();
            }
            return Ok(false);
        };
        for _ in 0..ATTEMPTS {
            let rivals = {
                let view = self.cluster.read();
                let mut reservations = view.reservations();
                let is_crowded = self.is_crowded(&claim, &view, &reservations);
                reservations.rivals(&claim, is_crowded, self.since, now)
            };
            if !rivals.facts.is_empty() {
                let reserved = Cluster::of_facts(&rivals.facts);
                let view = SharedView { cluster: self.cluster, this, reserved: Some(&reserved), cpu: self.cpu };
                let again = self.plan.check(self.object, &old, &view, self.write);
                if again.is_too_costly() {
                    *judgement = again;
                    return Ok(false);
                }
                if again.denies() {
                    return Err(ReviewError::Reserved);
                }
            }
            if self.request.is_dry_run || self.reserve_beside(&claim, &rivals) {
                let is_same = |old: Object<'_>| claims_same(&Facts::of(&old), claim.facts());
                let is_changed = operation == Operation::Update && !old().is_some_and(is_same);
                if is_changed && !self.request.is_dry_run {
                    self.cluster.read().reservations().give_up(this, now);
                }
                return Ok(is_changed);
            }
        }
        Err(ReviewError::Reserved)
    }

    /// Whether the listeners of a Gateway or a ListenerSet have changed, which are not reserved.
    fn changes_listeners<'o>(&self, old: impl Fn() -> Option<Object<'o>>) -> bool {
        let is_same = |old: Object<'_>| claims_same(&Facts::of(&old), &Facts::of(self.object));
        self.object.listeners().is_some() && !old().is_some_and(is_same)
    }

    /// Reserves the claim; false if the rivals are not all of them any more.
    fn reserve_beside(&self, claim: &ReservedClaim, rivals: &Rivals) -> bool {
        let view = self.cluster.read();
        let mut reservations = view.reservations();
        let is_crowded = self.is_crowded(claim, &view, &reservations);
        reservations.reserve(claim, is_crowded, rivals, self.elapsed)
    }

    /// Whether the namespace may have too many paths and matches together with those that are reserved.
    fn is_crowded(&self, claim: &ReservedClaim, view: &Cluster, reservations: &ClaimReservations) -> bool {
        let namespace = &*self.write.this.namespace;
        let stored = view.namespace_entries(namespace) + reservations.entries_in(namespace);
        claim.entries() > 0 && stored + claim.entries() > self.plan.lowest_namespace_limit()
    }

    /// Remembers that the object gives up what it claimed.
    fn release(&self) {
        if !self.request.is_dry_run {
            self.cluster.read().reservations().release(self.write.this, self.elapsed);
        }
    }

    /// The facts of the written object; `None` if the view already shows exactly these.
    fn facts(&self) -> Option<Facts> {
        let this = self.write.this;
        // The name may not be generated yet. Like the name, the uid of the review belongs to no other object.
        let name = if this.name.is_empty() { &*self.request.uid } else { &*this.name };
        let facts = Facts::of(self.object).named(name);
        let is_shown = self.cluster.read().holds(&facts);
        (!is_shown).then_some(facts)
    }

    /// The hosts in annotations and in `spec.tls`, which are not part of the facts.
    fn further_hosts(&self) -> Vec<Host<'_>> {
        let cluster = self.cluster.read();
        let overlay = Overlay::new(&cluster, self.write.this);
        let annotations = &self.object.metadata().annotations;
        let has_alias = annotations.iter().any(|(key, _)| Alias::find(key).is_some_and(Alias::may_serve));
        let served = |hosts: Hosts<'_, '_>| -> Vec<Host<'static>> {
            hosts.served(&overlay).iter().map(|claim| claim.host.clone().into_owned()).collect()
        };
        match self.object {
            Object::Ingress(ingress) if has_alias => served(Hosts::OfIngress(&Claims::of_ingress(ingress))),
            Object::Ingress(ingress) => {
                let named = walk::tls_hosts(ingress).filter(|(_, host)| !host.is_empty());
                named.map(|(_, host)| Host::parse(host)).collect()
            }
            object if has_alias => served(Hosts::OfObject(object)),
            _ => Vec::new(),
        }
    }
}
