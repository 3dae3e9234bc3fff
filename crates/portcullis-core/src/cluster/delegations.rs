//! IngressRoutes and HTTPProxies by place, by host and by who delegates to them; kept by event and asked by look-up, never by scan.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::Arc;

use hashbrown::{Equivalent, HashMap};

use super::delegation_facts::{CertificateFacts, DelegationFacts};
use super::dirty::Dirty;
use super::hosts::HostIndex;
use super::service_users::ServiceUsers;
use super::small_set::SmallSet;
use crate::kinds::{Kind, KindSet, ObjectRef};
use crate::matching::Host;

/// The kinds of which more knowledge may change any verdict on an IngressRoute.
pub const ASKED: KindSet = KindSet::of(&[Kind::IngressRoute, Kind::Service, Kind::TlsCertificateDelegation]);

/// Places in order.
type Places = SmallSet<Arc<ObjectRef>>;

/// The objects that hosts are delegated by.
#[derive(Debug, Default)]
pub struct Delegations {
    objects: HashMap<Arc<ObjectRef>, DelegationFacts>,
    /// Who delegates to a place, be it empty.
    referrers: HashMap<Arc<ObjectRef>, Places>,
    /// Roots by kind, class and host.
    roots: HashMap<Claim, Places>,
    /// Of both kinds that lend any.
    certificates: BTreeMap<ObjectRef, CertificateFacts>,
    counts: [usize; Kind::ALL.len()],
    /// The objects of which not all delegations are kept.
    cut: BTreeSet<Arc<ObjectRef>>,
    users: ServiceUsers,
    /// Who uses a certificate of another namespace, by that namespace.
    borrowers: HashMap<Box<str>, Places>,
    dirty: Dirty,
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

impl Claim {
    /// What `facts` claim, if they are of a root, and the host.
    fn of(facts: &DelegationFacts) -> Option<(Self, &Host<'static>)> {
        let host = facts.root.as_ref()?;
        Some((Self(facts.object_ref.kind, facts.class.clone(), host.clone()), host))
    }
}

impl Delegations {
    /// Adds or replaces an IngressRoute or an HTTPProxy. An index in which the object is to stand as it stood is left alone: most edits
    /// change what is served, not by whom or where.
    pub fn put(&mut self, mut facts: DelegationFacts, hosts: &mut HostIndex) {
        let before = self.objects.remove(&facts.object_ref);
        match &before {
            Some(before) => self.touch(before),
            None => self.counts[facts.object_ref.kind as usize] += 1,
        }
        self.relate(before.as_ref(), Some(&facts), hosts);
        self.touch(&facts);
        if let Some(before) = before {
            facts.share_with(before);
        }
        match facts.is_cut {
            true => drop(self.cut.insert(Arc::clone(&facts.object_ref))),
            false => drop(self.cut.remove(&facts.object_ref)),
        }
        self.objects.insert(facts.object_ref.clone(), facts);
    }

    /// Takes one out.
    pub fn remove(&mut self, object_ref: &ObjectRef, hosts: &mut HostIndex) {
        let Some(facts) = self.objects.remove(object_ref) else { return };
        self.counts[object_ref.kind as usize] -= 1;
        self.cut.remove(object_ref);
        self.touch(&facts);
        self.relate(Some(&facts), None, hosts);
    }

    /// Enters what an object refers to and claims, for what it did before.
    fn relate(&mut self, before: Option<&DelegationFacts>, after: Option<&DelegationFacts>, hosts: &mut HostIndex) {
        let Some(object_ref) = after.or(before).map(|facts| &facts.object_ref) else { return };
        let stays = |part: fn(&DelegationFacts, &DelegationFacts) -> bool| {
            before.zip(after).is_some_and(|(before, after)| part(before, after))
        };
        if !stays(|before, after| before.targets().eq(after.targets())) {
            for target in before.into_iter().flat_map(DelegationFacts::targets) {
                forget(&mut self.referrers, target, object_ref);
            }
            for target in after.into_iter().flat_map(DelegationFacts::shared_targets) {
                self.referrers.entry(target.clone()).or_default().insert(object_ref.clone());
            }
        }
        if !stays(|before, after| (&before.class, &before.uses) == (&after.class, &after.uses)) {
            before.into_iter().for_each(|before| self.users.leave(before));
            after.into_iter().for_each(|after| self.users.enter(after));
        }
        if !stays(|before, after| before.owner_namespace() == after.owner_namespace()) {
            if let Some(owner_namespace) = before.and_then(DelegationFacts::owner_namespace) {
                forget(&mut self.borrowers, owner_namespace, object_ref);
            }
            if let Some(owner_namespace) = after.and_then(DelegationFacts::owner_namespace) {
                self.borrowers.entry_ref(owner_namespace).or_default().insert(object_ref.clone());
            }
        }
        if !stays(|before, after| (&before.class, &before.root) == (&after.class, &after.root)) {
            if let Some((claim, host)) = before.and_then(Claim::of) {
                hosts.leave(object_ref, std::iter::once(host));
                forget(&mut self.roots, &claim, object_ref);
            }
            if let Some((claim, host)) = after.and_then(Claim::of) {
                hosts.enter(object_ref, std::iter::once(host));
                self.roots.entry(claim).or_default().insert(object_ref.clone());
            }
        }
    }

    /// Adds or replaces a TLSCertificateDelegation.
    pub fn put_certificates(&mut self, facts: CertificateFacts) {
        self.touch_borrowers(&facts.object_ref);
        self.certificates.insert(facts.object_ref.clone(), facts);
    }

    /// Takes a TLSCertificateDelegation out.
    pub fn remove_certificates(&mut self, object_ref: &ObjectRef) {
        self.touch_borrowers(object_ref);
        self.certificates.remove(object_ref);
    }

    /// Notes the object, where it delegates, and who claims the same host.
    fn touch(&mut self, facts: &DelegationFacts) {
        if facts.object_ref.kind != Kind::IngressRoute {
            return;
        }
        self.dirty.add(&facts.object_ref);
        facts.shared_targets().for_each(|target| self.dirty.add(target));
        if let Some(host) = &facts.root {
            let claim = Borrowed(facts.object_ref.kind, facts.class.as_deref(), host);
            self.roots.get(&claim).into_iter().flat_map(Places::iter).for_each(|object_ref| self.dirty.add(object_ref));
        }
    }

    /// Notes the objects that refer to a Service.
    pub fn touch_users(&mut self, namespace: &str, name: &str) {
        self.users.of(namespace, name).for_each(|object_ref| self.dirty.add(object_ref));
    }

    /// Notes the objects that may use what `owner_namespace` lends.
    fn touch_borrowers(&mut self, owner_namespace: &ObjectRef) {
        let borrowers = self
            .borrowers
            .get(&*owner_namespace.namespace)
            .filter(|_| owner_namespace.kind == Kind::TlsCertificateDelegation);
        borrowers.into_iter().flat_map(Places::iter).for_each(|object_ref| self.dirty.add(object_ref));
    }

    /// Notes that any verdict may be another.
    pub fn touch_everything(&mut self) {
        self.dirty = Dirty::Everything;
    }

    /// The IngressRoutes whose verdict may be another since they were last taken.
    pub fn dirty(&self) -> &Dirty {
        &self.dirty
    }

    /// The same, to begin anew.
    pub fn take_dirty(&mut self) -> Dirty {
        std::mem::replace(&mut self.dirty, Dirty::Places(BTreeSet::new()))
    }

    /// How many objects of `kind` there are.
    pub fn count(&self, kind: Kind) -> usize {
        if delegates_certificate(kind) { self.lenders(kind).count() } else { self.counts[kind as usize] }
    }

    /// The places of all objects of `kind`, in no order.
    pub fn places(&self, kind: Kind) -> Vec<ObjectRef> {
        match delegates_certificate(kind) {
            true => self.lenders(kind).map(|facts| facts.object_ref.clone()).collect(),
            false => self
                .objects
                .keys()
                .filter(|object_ref| object_ref.kind == kind)
                .map(|object_ref| (**object_ref).clone())
                .collect(),
        }
    }

    /// The places of the IngressRoutes and HTTPProxies, in no order.
    pub fn object_places(&self) -> impl Iterator<Item = &ObjectRef> {
        self.objects.keys().map(|object_ref| &**object_ref)
    }

    /// The IngressRoute or HTTPProxy at `object_ref`.
    pub fn get(&self, object_ref: &ObjectRef) -> Option<&DelegationFacts> {
        self.objects.get(object_ref)
    }

    /// Those that delegate to `object_ref`, by place.
    pub fn referrers(&self, object_ref: &ObjectRef) -> impl Iterator<Item = &DelegationFacts> {
        self.referrers
            .get(object_ref)
            .into_iter()
            .flat_map(Places::iter)
            .filter_map(|object_ref| self.objects.get(object_ref))
    }

    /// Whether of an object of `kind` not all delegations are kept, so that who delegates to a place is not known to be all.
    pub fn has_cut(&self, kind: Kind) -> bool {
        self.cut.iter().any(|object_ref| object_ref.kind == kind)
    }

    /// Who uses which Service how.
    pub fn users(&self) -> &ServiceUsers {
        &self.users
    }

    /// The roots of `kind` and `class` that claim just this host, by place.
    pub fn roots(&self, kind: Kind, class: Option<&str>, host: &Host<'_>) -> impl Iterator<Item = &DelegationFacts> {
        let roots = self.roots.get(&Borrowed(kind, class, host));
        roots.into_iter().flat_map(Places::iter).filter_map(|object_ref| self.objects.get(object_ref))
    }

    /// The TLSCertificateDelegation at `object_ref`.
    pub fn certificate(&self, object_ref: &ObjectRef) -> Option<&CertificateFacts> {
        self.certificates.get(object_ref)
    }

    /// The TLSCertificateDelegations of `kind` and `namespace`, by name.
    pub fn certificates<'d>(&'d self, kind: Kind, namespace: &'d str) -> impl Iterator<Item = &'d CertificateFacts> {
        let from = self.certificates.range(ObjectRef::new(kind, namespace, "")..).map(|(_, facts)| facts);
        from.take_while(move |facts| facts.object_ref.kind == kind && facts.object_ref.namespace == namespace)
    }

    /// All of `kind`.
    fn lenders(&self, kind: Kind) -> impl Iterator<Item = &CertificateFacts> {
        let from = self.certificates.range(ObjectRef::new(kind, "", "")..).map(|(_, facts)| facts);
        from.take_while(move |facts| facts.object_ref.kind == kind)
    }
}

/// Whether objects of `kind` lend certificates.
const fn delegates_certificate(kind: Kind) -> bool {
    matches!(kind, Kind::TlsCertificateDelegation | Kind::ProxyCertificateDelegation)
}

/// Takes `object_ref` out of the set of `key`.
fn forget<K, Q>(sets: &mut HashMap<K, Places>, key: &Q, object_ref: &ObjectRef)
where
    K: Eq + Hash,
    Q: Equivalent<K> + Hash + ?Sized,
{
    let Some(set) = sets.get_mut(key) else { return };
    set.remove(object_ref);
    if set.is_empty() {
        sets.remove(key);
    }
}
