//! IngressRoutes and HTTPProxies by place, by host and by who delegates to them; kept by event and asked by look-up, never by scan.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::Arc;

use hashbrown::{Equivalent, HashMap};

use super::delegation_facts::{CertificateFacts, DelegationFacts};
use super::hosts::HostIndex;
use super::service_users::ServiceUsers;
use super::small_set::SmallSet;
use super::touched::Touched;
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

impl Claim {
    /// What `facts` claim, if they are of a root, and the host.
    fn of(facts: &DelegationFacts) -> Option<(Self, &Host<'static>)> {
        let host = facts.root.as_ref()?;
        Some((Self(facts.place.kind, facts.class.clone(), host.clone()), host))
    }
}

impl Delegations {
    /// Adds or replaces an IngressRoute or an HTTPProxy. An index in which the object is to stand as it stood is left alone: most edits
    /// change what is served, not by whom or where.
    pub fn put(&mut self, mut facts: DelegationFacts, hosts: &mut HostIndex) {
        let before = self.objects.remove(&facts.place);
        match &before {
            Some(before) => self.touch(before),
            None => self.counts[facts.place.kind as usize] += 1,
        }
        self.relate(before.as_ref(), Some(&facts), hosts);
        self.touch(&facts);
        if let Some(before) = before {
            facts.share_with(before);
        }
        match facts.is_cut {
            true => drop(self.cut.insert(Arc::clone(&facts.place))),
            false => drop(self.cut.remove(&facts.place)),
        }
        self.objects.insert(facts.place.clone(), facts);
    }

    /// Takes one out.
    pub fn remove(&mut self, place: &ObjectRef, hosts: &mut HostIndex) {
        let Some(facts) = self.objects.remove(place) else { return };
        self.counts[place.kind as usize] -= 1;
        self.cut.remove(place);
        self.touch(&facts);
        self.relate(Some(&facts), None, hosts);
    }

    /// Enters what an object refers to and claims, for what it did before.
    fn relate(&mut self, before: Option<&DelegationFacts>, after: Option<&DelegationFacts>, hosts: &mut HostIndex) {
        let Some(place) = after.or(before).map(|facts| &facts.place) else { return };
        let stays = |part: fn(&DelegationFacts, &DelegationFacts) -> bool| {
            before.zip(after).is_some_and(|(before, after)| part(before, after))
        };
        if !stays(|before, after| before.targets().eq(after.targets())) {
            for target in before.into_iter().flat_map(DelegationFacts::targets) {
                forget(&mut self.referrers, target, place);
            }
            for target in after.into_iter().flat_map(DelegationFacts::shared_targets) {
                self.referrers.entry(target.clone()).or_default().insert(place.clone());
            }
        }
        if !stays(|before, after| (&before.class, &before.uses) == (&after.class, &after.uses)) {
            before.into_iter().for_each(|before| self.users.leave(before));
            after.into_iter().for_each(|after| self.users.enter(after));
        }
        if !stays(|before, after| before.lender() == after.lender()) {
            if let Some(lender) = before.and_then(DelegationFacts::lender) {
                forget(&mut self.borrowers, lender, place);
            }
            if let Some(lender) = after.and_then(DelegationFacts::lender) {
                self.borrowers.entry_ref(lender).or_default().insert(place.clone());
            }
        }
        if !stays(|before, after| (&before.class, &before.root) == (&after.class, &after.root)) {
            if let Some((claim, host)) = before.and_then(Claim::of) {
                hosts.leave(place, std::iter::once(host));
                forget(&mut self.roots, &claim, place);
            }
            if let Some((claim, host)) = after.and_then(Claim::of) {
                hosts.enter(place, std::iter::once(host));
                self.roots.entry(claim).or_default().insert(place.clone());
            }
        }
    }

    /// Adds or replaces a TLSCertificateDelegation.
    pub fn put_certificates(&mut self, facts: CertificateFacts) {
        self.touch_borrowers(&facts.place);
        self.certificates.insert(facts.place.clone(), facts);
    }

    /// Takes a TLSCertificateDelegation out.
    pub fn remove_certificates(&mut self, place: &ObjectRef) {
        self.touch_borrowers(place);
        self.certificates.remove(place);
    }

    /// Notes the object, where it delegates, and who claims the same host.
    fn touch(&mut self, facts: &DelegationFacts) {
        if facts.place.kind != Kind::IngressRoute {
            return;
        }
        self.touched.add(&facts.place);
        facts.shared_targets().for_each(|target| self.touched.add(target));
        if let Some(host) = &facts.root {
            let claim = Borrowed(facts.place.kind, facts.class.as_deref(), host);
            self.roots.get(&claim).into_iter().flat_map(Places::iter).for_each(|place| self.touched.add(place));
        }
    }

    /// Notes the objects that refer to a Service.
    pub fn touch_users(&mut self, namespace: &str, name: &str) {
        self.users.of(namespace, name).for_each(|place| self.touched.add(place));
    }

    /// Notes the objects that may use what `lender` lends.
    fn touch_borrowers(&mut self, lender: &ObjectRef) {
        let borrowers =
            self.borrowers.get(&*lender.namespace).filter(|_| lender.kind == Kind::TlsCertificateDelegation);
        borrowers.into_iter().flat_map(Places::iter).for_each(|place| self.touched.add(place));
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
        if lends(kind) { self.lenders(kind).count() } else { self.counts[kind as usize] }
    }

    /// The places of all objects of `kind`, in no order.
    pub fn places(&self, kind: Kind) -> Vec<ObjectRef> {
        match lends(kind) {
            true => self.lenders(kind).map(|facts| facts.place.clone()).collect(),
            false => self.objects.keys().filter(|place| place.kind == kind).map(|place| (**place).clone()).collect(),
        }
    }

    /// The IngressRoute or HTTPProxy at `place`.
    pub fn get(&self, place: &ObjectRef) -> Option<&DelegationFacts> {
        self.objects.get(place)
    }

    /// Those that delegate to `place`, by place.
    pub fn referrers(&self, place: &ObjectRef) -> impl Iterator<Item = &DelegationFacts> {
        self.referrers.get(place).into_iter().flat_map(Places::iter).filter_map(|place| self.objects.get(place))
    }

    /// Whether of an object of `kind` not all delegations are kept, so that who delegates to a place is not known to be all.
    pub fn has_cut(&self, kind: Kind) -> bool {
        self.cut.iter().any(|place| place.kind == kind)
    }

    /// Who uses which Service how.
    pub fn users(&self) -> &ServiceUsers {
        &self.users
    }

    /// The roots of `kind` and `class` that claim just this host, by place.
    pub fn roots(&self, kind: Kind, class: Option<&str>, host: &Host<'_>) -> impl Iterator<Item = &DelegationFacts> {
        let roots = self.roots.get(&Borrowed(kind, class, host));
        roots.into_iter().flat_map(Places::iter).filter_map(|place| self.objects.get(place))
    }

    /// The TLSCertificateDelegation at `place`.
    pub fn certificate(&self, place: &ObjectRef) -> Option<&CertificateFacts> {
        self.certificates.get(place)
    }

    /// The TLSCertificateDelegations of `kind` and `namespace`, by name.
    pub fn certificates<'d>(&'d self, kind: Kind, namespace: &'d str) -> impl Iterator<Item = &'d CertificateFacts> {
        let from = self.certificates.range(ObjectRef::new(kind, namespace, "")..).map(|(_, facts)| facts);
        from.take_while(move |facts| facts.place.kind == kind && facts.place.namespace == namespace)
    }

    /// All of `kind`.
    fn lenders(&self, kind: Kind) -> impl Iterator<Item = &CertificateFacts> {
        let from = self.certificates.range(ObjectRef::new(kind, "", "")..).map(|(_, facts)| facts);
        from.take_while(move |facts| facts.place.kind == kind)
    }
}

/// Whether objects of `kind` lend certificates.
const fn lends(kind: Kind) -> bool {
    matches!(kind, Kind::TlsCertificateDelegation | Kind::ProxyCertificateDelegation)
}

/// Takes `place` out of the set of `key`.
fn forget<K, Q>(sets: &mut HashMap<K, Places>, key: &Q, place: &ObjectRef)
where
    K: Eq + Hash,
    Q: Equivalent<K> + Hash + ?Sized,
{
    let Some(set) = sets.get_mut(key) else { return };
    set.remove(place);
    if set.is_empty() {
        sets.remove(key);
    }
}
