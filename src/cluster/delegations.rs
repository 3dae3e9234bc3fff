//! IngressRoutes and HTTPProxies by place, by host and by who delegates to them; kept by event and asked by look-up, never by scan.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashbrown::{Equivalent, HashMap};

use super::delegation_facts::{CertificateFacts, DelegationFacts};
use super::hosts::HostIndex;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

/// The objects that hosts are delegated by.
#[derive(Debug, Default)]
pub struct Delegations {
    objects: HashMap<ObjectRef, DelegationFacts>,
    /// Who delegates to a place, be it empty.
    referrers: HashMap<ObjectRef, BTreeSet<ObjectRef>>,
    /// Roots by kind, class and host.
    roots: HashMap<Claim, BTreeSet<ObjectRef>>,
    /// Who uses a Service.
    users: HashMap<ObjectRef, BTreeSet<ObjectRef>>,
    /// By namespace and name.
    certificates: BTreeMap<ObjectRef, CertificateFacts>,
    counts: [usize; Kind::ALL.len()],
    /// Places whose verdict may be another since they were last taken: those that changed, and those that they touch.
    touched: BTreeSet<ObjectRef>,
}

/// The claim of a root: one object a kind, class and host is the rule.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Claim(Kind, Option<Arc<str>>, Host<'static>);

#[derive(Hash)]
struct Borrowed<'b>(Kind, Option<&'b str>, &'b Host<'b>);

impl Equivalent<Claim> for Borrowed<'_> {
    fn equivalent(&self, claim: &Claim) -> bool {
        (self.0, self.1, self.2.parts()) == (claim.0, claim.1.as_deref(), claim.2.parts())
    }
}

impl Delegations {
    /// Adds or replaces an IngressRoute or an HTTPProxy.
    pub fn put(&mut self, facts: DelegationFacts, hosts: &mut HostIndex) {
        self.remove(&facts.place, hosts);
        let place = facts.place.clone();
        self.counts[place.kind as usize] += 1;
        for edge in &facts.edges {
            self.referrers.entry(edge.target.clone()).or_default().insert(place.clone());
        }
        for service in services(&facts) {
            self.users.entry(service).or_default().insert(place.clone());
        }
        if let Some(host) = &facts.root {
            self.roots.entry(Claim(place.kind, facts.class.clone(), host.clone())).or_default().insert(place.clone());
            hosts.enter(&place, std::iter::once(host));
        }
        self.touch(&facts);
        self.objects.insert(place, facts);
    }

    /// Takes one out.
    pub fn remove(&mut self, place: &ObjectRef, hosts: &mut HostIndex) {
        let Some(facts) = self.objects.remove(place) else { return };
        self.counts[place.kind as usize] -= 1;
        self.touch(&facts);
        facts.edges.iter().for_each(|edge| leave(&mut self.referrers, &edge.target, place));
        services(&facts).for_each(|service| leave(&mut self.users, &service, place));
        let Some(host) = &facts.root else { return };
        hosts.leave(place, std::iter::once(host));
        let claim = Claim(place.kind, facts.class, host.clone());
        if let Some(roots) = self.roots.get_mut(&claim) {
            roots.remove(place);
            if roots.is_empty() {
                self.roots.remove(&claim);
            }
        }
    }

    /// Adds or replaces a TLSCertificateDelegation.
    pub fn put_certificates(&mut self, facts: CertificateFacts) {
        self.certificates.insert(facts.place.clone(), facts);
    }

    /// Takes a TLSCertificateDelegation out.
    pub fn remove_certificates(&mut self, place: &ObjectRef) {
        self.certificates.remove(place);
    }

    /// Notes the object, where it delegates, and who claims the same host.
    fn touch(&mut self, facts: &DelegationFacts) {
        self.touched.insert(facts.place.clone());
        self.touched.extend(facts.edges.iter().map(|edge| edge.target.clone()));
        if let Some(host) = &facts.root {
            let claim = Borrowed(facts.place.kind, facts.class.as_deref(), host);
            self.touched.extend(self.roots.get(&claim).into_iter().flatten().cloned());
        }
    }

    /// The places whose verdict may be another since the last call.
    pub fn take_touched(&mut self) -> BTreeSet<ObjectRef> {
        std::mem::take(&mut self.touched)
    }

    /// How many objects of `kind` there are.
    pub fn count(&self, kind: Kind) -> usize {
        if kind == Kind::TlsCertificateDelegation { self.certificates.len() } else { self.counts[kind as usize] }
    }

    /// The places of all objects of `kind`, in no order.
    pub fn places(&self, kind: Kind) -> Vec<ObjectRef> {
        match kind {
            Kind::TlsCertificateDelegation => self.certificates.keys().cloned().collect(),
            _ => self.objects.keys().filter(|place| place.kind == kind).cloned().collect(),
        }
    }

    /// The IngressRoute or HTTPProxy at `place`.
    pub fn get(&self, place: &ObjectRef) -> Option<&DelegationFacts> {
        self.objects.get(place)
    }

    /// Those that delegate to `place`, by place.
    pub fn referrers(&self, place: &ObjectRef) -> impl Iterator<Item = &DelegationFacts> {
        self.referrers.get(place).into_iter().flatten().filter_map(|place| self.objects.get(place))
    }

    /// Those that use `service`, by place.
    pub fn users(&self, service: &ObjectRef) -> impl Iterator<Item = &DelegationFacts> {
        self.users.get(service).into_iter().flatten().filter_map(|place| self.objects.get(place))
    }

    /// The roots of `kind` and `class` that claim just this host, by place.
    pub fn roots(&self, kind: Kind, class: Option<&str>, host: &Host<'_>) -> impl Iterator<Item = &DelegationFacts> {
        let roots = self.roots.get(&Borrowed(kind, class, host));
        roots.into_iter().flatten().filter_map(|place| self.objects.get(place))
    }

    /// The TLSCertificateDelegation at `place`.
    pub fn certificate(&self, place: &ObjectRef) -> Option<&CertificateFacts> {
        self.certificates.get(place)
    }

    /// The TLSCertificateDelegations of `namespace`, by name.
    pub fn certificates<'d>(&'d self, namespace: &'d str) -> impl Iterator<Item = &'d CertificateFacts> {
        let first = ObjectRef::new(Kind::TlsCertificateDelegation, namespace, "");
        let from = self.certificates.range(first..);
        from.map(|(_, facts)| facts).take_while(move |facts| facts.place.namespace == namespace)
    }
}

/// The Services that an object uses, one once for each use.
fn services(facts: &DelegationFacts) -> impl Iterator<Item = ObjectRef> {
    facts.uses.iter().map(|used| ObjectRef::new(Kind::Service, &facts.place.namespace, &used.name))
}

/// Takes `place` out of what an index has under `key`.
fn leave(index: &mut HashMap<ObjectRef, BTreeSet<ObjectRef>>, key: &ObjectRef, place: &ObjectRef) {
    let Some(places) = index.get_mut(key) else { return };
    places.remove(place);
    if places.is_empty() {
        index.remove(key);
    }
}
