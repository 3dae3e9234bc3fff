//! IngressRoutes and HTTPProxies by reference, by host and by target of their delegations. Events maintain the indexes,
//! and look-ups never scan. An update changes only the indexes in which the two versions differ: most updates change neither the host nor
//! the targets.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::Arc;

use hashbrown::{Equivalent, HashMap};

use super::delegation_facts::{CertificateFacts, DelegationFacts};
use super::dirty::Dirty;
use super::hosts::{HOST_HOLDERS, HostIndex};
use super::service_uses::{ServiceUse, ServiceUsers};
use super::small_set::SmallSet;
use crate::kinds::{Kind, KindSet, ObjectRef};
use crate::matching::Host;

/// The kinds whose [`SyncState`](super::SyncState) affects the verdict on every IngressRoute.
pub const VERDICT_KINDS: KindSet =
    KindSet::of(&[Kind::IngressRoute, Kind::Service, Kind::TlsCertificateDelegation, Kind::HostClaim])
        .union(HOST_HOLDERS);

/// Object references in order.
type ObjectRefs = SmallSet<Arc<ObjectRef>>;

/// IngressRoutes, HTTPProxies and TLSCertificateDelegations.
#[derive(Debug, Default)]
pub struct Delegations {
    objects: HashMap<Arc<ObjectRef>, DelegationFacts>,
    /// The objects that delegate to a target, by target. The target need not exist.
    referrers: HashMap<Arc<ObjectRef>, ObjectRefs>,
    /// Roots by kind, class and host.
    roots: HashMap<Claim, ObjectRefs>,
    /// TLSCertificateDelegations of both API groups.
    certificates: BTreeMap<ObjectRef, CertificateFacts>,
    counts: [usize; Kind::ALL.len()],
    /// The objects of which only some delegations are kept.
    truncated: BTreeSet<Arc<ObjectRef>>,
    users: ServiceUsers,
    /// The objects that use a certificate of another namespace, by that namespace.
    certificate_users: HashMap<Box<str>, ObjectRefs>,
    dirty: Dirty,
}

/// The key of a root: kind, class and host. Usually only one object has a given key.
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
    /// The key and the host of `facts`, if they belong to a root.
    fn of(facts: &DelegationFacts) -> Option<(Self, &Host<'static>)> {
        let host = facts.root.as_ref()?;
        Some((Self(facts.object_ref.kind, facts.class.clone(), host.clone()), host))
    }
}

impl Delegations {
    /// Adds or replaces an IngressRoute or an HTTPProxy. An index whose entries for the object do not change is not
    /// touched, because most edits change what is served but not the host or the delegations.
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
        match facts.is_truncated {
            true => drop(self.truncated.insert(Arc::clone(&facts.object_ref))),
            false => drop(self.truncated.remove(&facts.object_ref)),
        }
        self.objects.insert(facts.object_ref.clone(), facts);
    }

    /// Removes an IngressRoute or an HTTPProxy.
    pub fn remove(&mut self, object_ref: &ObjectRef, hosts: &mut HostIndex) {
        let Some(facts) = self.objects.remove(object_ref) else { return };
        self.counts[object_ref.kind as usize] -= 1;
        self.truncated.remove(object_ref);
        self.touch(&facts);
        self.relate(Some(&facts), None, hosts);
    }

    /// Replaces the index entries of the `before` state of an object by those of the `after` state.
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
            before.into_iter().chain(after).for_each(|facts| self.touch_fellow_users(facts));
            if let Some(before) = before {
                self.users.leave(&before.object_ref, before.class.as_deref(), &before.uses);
            }
            if let Some(after) = after {
                self.users.enter(&after.object_ref, after.class.as_deref(), &after.uses);
            }
        }
        if !stays(|before, after| before.owner_namespace() == after.owner_namespace()) {
            if let Some(owner_namespace) = before.and_then(DelegationFacts::owner_namespace) {
                forget(&mut self.certificate_users, owner_namespace, object_ref);
            }
            if let Some(owner_namespace) = after.and_then(DelegationFacts::owner_namespace) {
                self.certificate_users.entry_ref(owner_namespace).or_default().insert(object_ref.clone());
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
        self.touch_certificate_users(&facts.object_ref);
        self.certificates.insert(facts.object_ref.clone(), facts);
    }

    /// Removes a TLSCertificateDelegation.
    pub fn remove_certificates(&mut self, object_ref: &ObjectRef) {
        self.touch_certificate_users(object_ref);
        self.certificates.remove(object_ref);
    }

    /// Marks the object, the targets of its delegations, and the roots with the same host as dirty.
    fn touch(&mut self, facts: &DelegationFacts) {
        if facts.object_ref.kind != Kind::IngressRoute {
            return;
        }
        self.dirty.add(&facts.object_ref);
        facts.shared_targets().for_each(|target| self.dirty.add(target));
        if let Some(host) = &facts.root {
            let claim = Borrowed(facts.object_ref.kind, facts.class.as_deref(), host);
            self.roots
                .get(&claim)
                .into_iter()
                .flat_map(ObjectRefs::iter)
                .for_each(|object_ref| self.dirty.add(object_ref));
        }
    }

    /// Marks the objects that refer to a Service as dirty.
    pub fn touch_users(&mut self, namespace: &str, name: &str) {
        self.users.of(namespace, name).for_each(|object_ref| self.dirty.add(object_ref));
    }

    /// Marks the objects that use the same Services as dirty, because two strategies for one Service may conflict.
    fn touch_fellow_users(&mut self, facts: &DelegationFacts) {
        if self.collects_dirty() {
            let namespace = &facts.object_ref.namespace;
            facts.uses.iter().for_each(|used| self.touch_users(namespace, used.name));
        }
    }

    /// Marks the IngressRoute at `object_ref` as dirty, because what is known of it has changed, or because another object
    /// that serves its host has. Another kind has no effect.
    pub fn touch_object(&mut self, object_ref: &Arc<ObjectRef>) {
        if object_ref.kind == Kind::IngressRoute {
            self.dirty.add(object_ref);
        }
    }

    /// Whether single objects are collected, instead of all being dirty.
    pub fn collects_dirty(&self) -> bool {
        matches!(self.dirty, Dirty::Objects(_))
    }

    /// Marks the roots in a namespace as dirty, because its labels may decide which hosts it owns.
    pub fn touch_roots_in(&mut self, namespace: &str) {
        if self.collects_dirty() {
            let is_root =
                |facts: &&DelegationFacts| facts.object_ref.kind == Kind::IngressRoute && facts.root.is_some();
            let roots = self.objects.values().filter(is_root).filter(|facts| facts.object_ref.namespace == namespace);
            roots.for_each(|facts| self.dirty.add(&facts.object_ref));
        }
    }

    /// Marks the objects that may use certificates of the namespace of `delegation`, a TLSCertificateDelegation, as dirty.
    fn touch_certificate_users(&mut self, delegation: &ObjectRef) {
        let certificate_users = self
            .certificate_users
            .get(&*delegation.namespace)
            .filter(|_| delegation.kind == Kind::TlsCertificateDelegation);
        certificate_users.into_iter().flat_map(ObjectRefs::iter).for_each(|object_ref| self.dirty.add(object_ref));
    }

    /// Marks every IngressRoute as dirty.
    pub fn touch_everything(&mut self) {
        self.dirty = Dirty::Everything;
    }

    /// The IngressRoutes whose verdict may have changed since [`take_dirty`](Self::take_dirty) was called.
    pub fn dirty(&self) -> &Dirty {
        &self.dirty
    }

    /// Returns the dirty IngressRoutes and resets the set.
    pub fn take_dirty(&mut self) -> Dirty {
        std::mem::replace(&mut self.dirty, Dirty::Objects(BTreeSet::new()))
    }

    /// The number of objects of `kind`.
    pub fn count(&self, kind: Kind) -> usize {
        if delegates_certificate(kind) { self.all_certificates(kind).count() } else { self.counts[kind as usize] }
    }

    /// References to all objects of `kind`, unordered.
    pub fn object_refs(&self, kind: Kind) -> Vec<ObjectRef> {
        match delegates_certificate(kind) {
            true => self.all_certificates(kind).map(|facts| facts.object_ref.clone()).collect(),
            false => self
                .objects
                .keys()
                .filter(|object_ref| object_ref.kind == kind)
                .map(|object_ref| (**object_ref).clone())
                .collect(),
        }
    }

    /// References to the IngressRoutes and HTTPProxies, unordered.
    pub fn delegation_object_refs(&self) -> impl Iterator<Item = &ObjectRef> {
        self.objects.keys().map(|object_ref| &**object_ref)
    }

    /// The IngressRoute or HTTPProxy at `object_ref`.
    pub fn get(&self, object_ref: &ObjectRef) -> Option<&DelegationFacts> {
        self.objects.get(object_ref)
    }

    /// The objects that delegate to `object_ref`, ordered by reference.
    pub fn referrers(&self, object_ref: &ObjectRef) -> impl Iterator<Item = &DelegationFacts> {
        self.referrers
            .get(object_ref)
            .into_iter()
            .flat_map(ObjectRefs::iter)
            .filter_map(|object_ref| self.objects.get(object_ref))
    }

    /// Whether some object of `kind` has delegations that are not kept, so that the known referrers of an object may be
    /// incomplete.
    pub fn has_truncated(&self, kind: Kind) -> bool {
        self.truncated.iter().any(|object_ref| object_ref.kind == kind)
    }

    /// The IngressRoutes of `class` that use another load balancing strategy than `strategy` for this port of a Service, given by namespace
    /// and name, each with its strategy, ordered by strategy and reference.
    pub fn users_with_other_strategy<'d>(
        &'d self,
        (namespace, name): (&str, &str),
        port: i64,
        class: Option<&str>,
        strategy: &str,
    ) -> impl Iterator<Item = (&'static str, &'d ObjectRef)> {
        let users = move |port| {
            let users = self.users.with_other_strategy((namespace, name), port, class, strategy);
            users.filter(move |(strategy, user)| {
                let uses = self.get(user).filter(|facts| facts.is_of(class)).map(|facts| &facts.uses);
                user.namespace == *namespace
                    && uses.is_some_and(|uses| uses.contains(ServiceUse { name, port, strategy }))
            })
        };
        u16::try_from(port).into_iter().flat_map(users)
    }

    /// The roots of `kind` and `class` that claim exactly this host, ordered by reference.
    pub fn roots(&self, kind: Kind, class: Option<&str>, host: &Host<'_>) -> impl Iterator<Item = &DelegationFacts> {
        let roots = self.roots.get(&Borrowed(kind, class, host));
        roots.into_iter().flat_map(ObjectRefs::iter).filter_map(|object_ref| self.objects.get(object_ref))
    }

    /// The TLSCertificateDelegation at `object_ref`.
    pub fn certificate(&self, object_ref: &ObjectRef) -> Option<&CertificateFacts> {
        self.certificates.get(object_ref)
    }

    /// The TLSCertificateDelegations of `kind` in `namespace`, ordered by name.
    pub fn certificates<'d>(&'d self, kind: Kind, namespace: &'d str) -> impl Iterator<Item = &'d CertificateFacts> {
        let from = self.certificates.range(ObjectRef::new(kind, namespace, "")..).map(|(_, facts)| facts);
        from.take_while(move |facts| facts.object_ref.kind == kind && facts.object_ref.namespace == namespace)
    }

    /// All TLSCertificateDelegations of `kind`.
    fn all_certificates(&self, kind: Kind) -> impl Iterator<Item = &CertificateFacts> {
        let from = self.certificates.range(ObjectRef::new(kind, "", "")..).map(|(_, facts)| facts);
        from.take_while(move |facts| facts.object_ref.kind == kind)
    }
}

/// Whether objects of `kind` delegate certificates.
const fn delegates_certificate(kind: Kind) -> bool {
    matches!(kind, Kind::TlsCertificateDelegation | Kind::ProxyCertificateDelegation)
}

/// Removes `object_ref` from the set at `key`, and removes the set if it becomes empty.
fn forget<K, Q>(sets: &mut HashMap<K, ObjectRefs>, key: &Q, object_ref: &ObjectRef)
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
