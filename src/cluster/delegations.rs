//! IngressRoutes and HTTPProxies by place, by host and by who delegates to them; kept by event and asked by look-up, never by scan.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashbrown::{Equivalent, HashMap};

use super::delegation_facts::{CertificateFacts, DelegationFacts, certificates_of};
use super::hosts::HostIndex;
use super::touched::Touched;
use crate::kinds::{Kind, KindSet, ObjectRef};
use crate::matching::Host;

/// The kinds of which more knowledge may change any verdict on an IngressRoute.
pub const ASKED: KindSet = KindSet::of(&[Kind::IngressRoute, Kind::Service, Kind::TlsCertificateDelegation]);

/// The objects that hosts are delegated by.
#[derive(Debug, Default)]
pub struct Delegations {
    objects: HashMap<ObjectRef, DelegationFacts>,
    /// Who delegates to a place, be it empty.
    referrers: HashMap<ObjectRef, BTreeSet<ObjectRef>>,
    /// Roots by kind, class and host.
    roots: HashMap<Claim, BTreeSet<ObjectRef>>,
    /// By namespace and name.
    certificates: BTreeMap<ObjectRef, CertificateFacts>,
    counts: [usize; Kind::ALL.len()],
    /// Who refers to a Service, or to certificates of another namespace (under its name and none of their own).
    users: HashMap<ObjectRef, BTreeSet<ObjectRef>>,
    touched: Touched,
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
        for target in facts.targets() {
            self.referrers.entry(target.clone()).or_default().insert(place.clone());
        }
        for used in facts.refers_to() {
            self.users.entry(used).or_default().insert(place.clone());
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
        facts.targets().for_each(|target| forget(&mut self.referrers, target, place));
        facts.refers_to().for_each(|used| forget(&mut self.users, &used, place));
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
        self.touch_users(|| certificates_of(&facts.place.namespace));
        self.certificates.insert(facts.place.clone(), facts);
    }

    /// Takes a TLSCertificateDelegation out.
    pub fn remove_certificates(&mut self, place: &ObjectRef) {
        self.touch_users(|| certificates_of(&place.namespace));
        self.certificates.remove(place);
    }

    /// Notes the object, where it delegates, and who claims the same host.
    fn touch(&mut self, facts: &DelegationFacts) {
        if facts.place.kind != Kind::IngressRoute {
            return;
        }
        self.touched.add(&facts.place);
        facts.targets().for_each(|target| self.touched.add(target));
        if let Some(host) = &facts.root {
            let claim = Borrowed(facts.place.kind, facts.class.as_deref(), host);
            self.roots.get(&claim).into_iter().flatten().for_each(|place| self.touched.add(place));
        }
    }

    /// Notes the objects that refer to the Service, or to the certificates of the namespace, that `used` names.
    pub fn touch_users(&mut self, used: impl FnOnce() -> ObjectRef) {
        if !self.users.is_empty() {
            self.users.get(&used()).into_iter().flatten().for_each(|place| self.touched.add(place));
        }
    }

    /// Notes that any verdict may be another.
    pub fn touch_everything(&mut self) {
        self.touched = Touched::Everything;
    }

    /// The IngressRoutes whose verdict may be another since they were last taken.
    pub fn touched(&self) -> &Touched {
        &self.touched
    }

    /// The same, to begin anew.
    pub fn take_touched(&mut self) -> Touched {
        std::mem::replace(&mut self.touched, Touched::Places(BTreeSet::new()))
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
        let from = self.certificates.range(certificates_of(namespace)..);
        from.map(|(_, facts)| facts).take_while(move |facts| facts.place.namespace == namespace)
    }
}

/// Takes `place` out of the set of `key`.
fn forget(sets: &mut HashMap<ObjectRef, BTreeSet<ObjectRef>>, key: &ObjectRef, place: &ObjectRef) {
    let Some(set) = sets.get_mut(key) else { return };
    set.remove(place);
    if set.is_empty() {
        sets.remove(key);
    }
}
