//! The Ingresses, indexed by claim, host, class and reference. Events maintain the indexes, and look-ups never scan.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::ops::Bound;
use std::sync::Arc;

use hashbrown::hash_table::OccupiedEntry;
use hashbrown::{DefaultHashBuilder, HashMap, HashSet, HashTable};

use super::claim_table::{ClaimTable, oldest_of_each};
use super::facts::{IngressFacts, RouteFacts};
use super::ingress_claim::{Claimant, HostMember, IngressClaim, Slots, claim_key, variant_order};
use super::plane_key::PlaneKey;
use super::reach::Reach;
use super::service_member::ServiceMember;
use super::slot::Slot;
use crate::kinds::ObjectRef;
use crate::matching::alias::Alias;
use crate::matching::path_interpretation::{NotatedPath, may_be_alike};
use crate::matching::{DataPlaneHints, Host, host::Form};

/// The Ingresses: facts in slots, and slots by reference, by claim, by host and by class.
#[derive(Debug, Default)]
pub struct IngressIndex {
    slots: Vec<Option<IngressFacts>>,
    free: Vec<Slot>,
    hasher: DefaultHashBuilder,
    /// Slots by the hash of namespace and name.
    by_place: HashTable<Slot>,
    /// By plane key, host and path; both those of rules and those that annotations add.
    claims: ClaimTable<Claimant>,
    /// By host, including those that annotations add. `Host::Any` is left out, since too many Ingresses have it.
    hosts: ClaimTable<HostMember>,
    /// By host, those whose annotations list it without adding it to all rules.
    described: ClaimTable<HostMember>,
    /// By host, the Ingresses because of which ingress-nginx may read all paths of the host as expressions.
    expressions: ClaimTable<HostMember>,
    /// The number of Ingresses whose annotations add hosts.
    adding_hosts: usize,
    /// All hosts except `Host::Any`. Hosts with the same suffix are adjacent, including the wildcard that covers them.
    by_host: BTreeSet<(Sibling, Slot)>,
    by_class: HashMap<Arc<str>, HashSet<Slot>>,
    /// By plane key, namespace and Service.
    services: ClaimTable<ServiceMember>,
}

impl IngressIndex {
    /// The number of Ingresses.
    pub fn count(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// All Ingresses, unordered.
    pub fn iter(&self) -> impl Iterator<Item = &IngressFacts> {
        self.slots.iter().flatten()
    }

    /// The Ingress with this namespace and name.
    pub fn get(&self, namespace: &str, name: &str) -> Option<&IngressFacts> {
        let hash = self.hasher.hash_one((namespace, name));
        self.facts(*self.by_place.find(hash, |slot| is_at(&self.slots, *slot, namespace, name))?)
    }

    /// The claims of Ingresses under this key for exactly this host and a path that some controller treats as equal to
    /// `path`, in variants that no comparison distinguishes; of each, the oldest one for which `is_wanted` is true. Of each
    /// namespace, the first variants and those with these `hints` are looked at.
    pub fn with_claim(
        &self,
        plane: PlaneKey<'_>,
        host: &Host<'_>,
        path: NotatedPath<'_>,
        hints: Option<&DataPlaneHints>,
        is_wanted: impl Fn(&ObjectRef) -> bool,
    ) -> Vec<IngressClaim<'_>> {
        let (short_hash, members) =
            (self.claims.short_hash(claim_key(plane, host.parts(), path.kind, path.text)), self.members());
        let claim = |member| {
            let claim = members.claim(member)?;
            // Only half of a hash is compared.
            let is_searched = claim.host_parts() == host.parts() && may_be_alike(claim.route.notated(), path);
            (is_searched && is_wanted(&claim.facts.object_ref)).then_some(claim)
        };
        let hints_of = |member: Claimant| members.facts(member.slot).and_then(|facts| facts.hints.as_deref());
        let mut found = Vec::new();
        for group in self.claims.groups(short_hash) {
            let of_hints = group.from(|member| hints_of(member) < hints).filter(|_| hints.is_some());
            let variants =
                group.variants(members).chain(of_hints.into_iter().flat_map(|group| group.variants(members)));
            found.extend(variants.filter_map(|variant| variant.iter().find_map(claim)));
        }
        found
    }

    /// The Ingresses that have exactly this host in a rule, or by the annotation, for which `is_wanted` is true; the first
    /// ones of each namespace and mark by age, then name. There are none for `Host::Any`, which is not in the index.
    pub fn with_host(
        &self,
        host: &Host<'_>,
        is_wanted: impl Fn(&ObjectRef) -> bool,
    ) -> Vec<(&IngressFacts, Option<&'static Alias>)> {
        self.in_table(&self.hosts, host, is_wanted)
    }

    /// The Ingresses with an annotation that lists this host without adding it to all rules.
    pub fn describing(&self, host: &Host<'_>) -> Vec<(&IngressFacts, Option<&'static Alias>)> {
        self.in_table(&self.described, host, |_| true)
    }

    fn in_table(
        &self,
        table: &ClaimTable<HostMember>,
        host: &Host<'_>,
        is_wanted: impl Fn(&ObjectRef) -> bool,
    ) -> Vec<(&IngressFacts, Option<&'static Alias>)> {
        let members = self.members();
        let holder = |member: HostMember| {
            let facts = self.facts(member.slot).filter(|facts| is_wanted(&facts.object_ref))?;
            (members.host_parts(member) == Some(host.parts())).then(|| (facts, members.alias(member)))
        };
        let are_alike =
            |(one, _): &(&IngressFacts, _), (other, _): &(&IngressFacts, _)| variant_order(one, other).is_eq();
        let groups = table.groups(table.short_hash(host.parts()));
        let oldest = groups.flat_map(|group| oldest_of_each(group.iter().filter_map(holder), are_alike));
        oldest.map(|(holder, _)| holder).collect()
    }

    /// The hosts after `last` within `reach`, each with an Ingress that names it and the slot of that Ingress, ordered by host
    /// and slot.
    pub fn hosts<'i>(
        &'i self,
        reach: Reach<'_>,
        last: Option<(&str, Slot)>,
    ) -> impl Iterator<Item = (&'i str, Slot, &'i IngressFacts)> {
        let first = match reach {
            Reach::Exactly(host) => Some(Sibling::new(&*host.text())),
            Reach::OneLabelUnder(suffix) => Some(Sibling::new(format!(".{suffix}"))),
            Reach::All => None,
        };
        let last = last.map(|(host, slot)| (Sibling::new(host), slot));
        let start = match (last, &first) {
            (Some(last), _) => Bound::Excluded(last),
            (None, Some(first)) => Bound::Included((first.clone(), 0)),
            (None, None) => Bound::Unbounded,
        };
        let is_exact = matches!(reach, Reach::Exactly(_));
        // A `*` sorts before the dot with which the first one begins, so the wildcard itself is not among the hosts.
        let is_within = move |host: &Sibling| match &first {
            Some(first) if is_exact => host == first,
            Some(first) => host.suffix() == first.suffix(),
            None => true,
        };
        let hosts = self.by_host.range((start, Bound::Unbounded)).take_while(move |(host, _)| is_within(host));
        hosts.filter_map(|(host, slot)| Some((&*host.host, *slot, self.facts(*slot)?)))
    }

    /// The Ingresses with a rule for exactly this host. There are none for `Host::Any`, which is not in the index.
    pub fn naming(&self, host: &Host<'_>) -> impl Iterator<Item = &IngressFacts> {
        // One look-up by hash says of most hosts that no Ingress has them.
        let is_known = self.hosts.groups(self.hosts.short_hash(host.parts())).next().is_some();
        let known = is_known.then(|| self.hosts(Reach::Exactly(host), None).map(|(_, _, facts)| facts));
        known.into_iter().flatten()
    }

    /// The Ingresses of `namespace` under this key that send requests to `service`, a name with a port, except canaries, in
    /// variants that no comparison distinguishes; of each, the oldest one for which `is_wanted` is true.
    pub fn with_service(
        &self,
        plane: PlaneKey<'_>,
        namespace: &str,
        service: &str,
        is_wanted: impl Fn(&ObjectRef) -> bool,
    ) -> Vec<&IngressFacts> {
        let members = self.members();
        let user = |member| {
            let (facts, own) = members.user(member)?;
            let is_searched = facts.object_ref.namespace == namespace && own == service;
            (is_searched && is_wanted(&facts.object_ref)).then_some(facts)
        };
        let groups = self.services.groups(self.services.short_hash((plane, namespace, service)));
        let variants = groups.flat_map(|group| group.variants(members));
        variants.filter_map(|variant| variant.iter().find_map(user)).collect()
    }

    /// Whether ingress-nginx may read the paths of exactly this host as expressions because of an Ingress for which `is_wanted` is
    /// true.
    pub fn may_be_expressions(&self, host: &Host<'_>, is_wanted: impl Fn(&ObjectRef) -> bool) -> bool {
        let members = self.members();
        let has_host = |member: HostMember| {
            let facts = self.facts(member.slot).filter(|facts| is_wanted(&facts.object_ref));
            facts.is_some() && members.host_parts(member) == Some(host.parts())
        };
        let mut groups = self.expressions.groups(self.expressions.short_hash(host.parts()));
        groups.any(|group| group.iter().any(has_host))
    }

    /// Whether annotations of any Ingress add hosts.
    pub fn has_added_hosts(&self) -> bool {
        self.adding_hosts > 0
    }

    /// The Ingresses of `class`.
    pub fn of_class(&self, class: &str) -> impl Iterator<Item = &IngressFacts> {
        self.by_class.get(class).into_iter().flatten().filter_map(|slot| self.facts(*slot))
    }

    /// Adds or replaces an Ingress.
    pub fn put(&mut self, mut facts: IngressFacts) {
        self.remove(&facts.object_ref.namespace, &facts.object_ref.name);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            Slot::try_from(self.slots.len() - 1).expect("fewer than 2^32 Ingresses fit in memory")
        });
        self.share_class(&mut facts, slot);
        for route in &mut facts.routes {
            match route.form {
                Form::Precise => share_host(&mut self.by_host, route, slot),
                Form::Wildcard => drop(self.by_host.insert((Sibling::new(route.host().to_string()), slot))),
                Form::Any => {}
            }
        }
        self.slots[slot as usize] = Some(facts);
        self.enter(slot);
    }

    /// Adds the reference and the claims of a filled slot to the tables.
    fn enter(&mut self, slot: Slot) {
        let Self { slots, by_place, claims, hosts, described, expressions, services, hasher, .. } = self;
        let Some(facts) = &slots[slot as usize] else { return };
        by_place.insert_unique(hash_place(hasher, facts), slot, |slot| {
            slots[*slot as usize].as_ref().map_or(0, |facts| hash_place(hasher, facts))
        });
        let members = Slots(slots);
        for (key, member) in Claimant::all(slot, facts) {
            claims.insert(key, member, &members);
        }
        for (key, member) in HostMember::all(slot, facts) {
            hosts.insert(key, member, &members);
            if facts.nginx.may_be_expressions {
                expressions.insert(key, member, &members);
            }
        }
        for (key, member) in HostMember::described(slot, facts) {
            described.insert(key, member, &members);
        }
        for (key, member) in ServiceMember::all(slot, facts) {
            services.insert(key, member, &members);
        }
        self.adding_hosts += usize::from(adds_hosts(facts));
    }

    /// Removes an Ingress.
    pub fn remove(&mut self, namespace: &str, name: &str) {
        let hash = self.hasher.hash_one((namespace, name));
        let entry = self.by_place.find_entry(hash, |slot| is_at(&self.slots, *slot, namespace, name));
        let Ok((slot, _)) = entry.map(OccupiedEntry::remove) else { return };
        let members = Slots(&self.slots);
        let Some(facts) = &self.slots[slot as usize] else { return };
        for (key, member) in Claimant::all(slot, facts) {
            self.claims.remove(key, member, &members);
        }
        for (key, member) in HostMember::all(slot, facts) {
            self.hosts.remove(key, member, &members);
            self.expressions.remove(key, member, &members);
        }
        for (key, member) in HostMember::described(slot, facts) {
            self.described.remove(key, member, &members);
        }
        for (key, member) in ServiceMember::all(slot, facts) {
            self.services.remove(key, member, &members);
        }
        let Some(facts) = self.slots[slot as usize].take() else { return };
        for route in &facts.routes {
            let host = match route.form {
                Form::Precise => Arc::clone(&route.host),
                Form::Wildcard => route.host().to_string().into(),
                Form::Any => continue,
            };
            self.by_host.remove(&(Sibling::new(host), slot));
        }
        self.adding_hosts -= usize::from(adds_hosts(&facts));
        facts.classes().flatten().for_each(|class| self.forget_class(class, slot));
        self.free.push(slot);
    }

    fn members(&self) -> Slots<'_> {
        Slots(&self.slots)
    }

    fn facts(&self, slot: Slot) -> Option<&IngressFacts> {
        self.slots.get(slot as usize)?.as_ref()
    }

    fn share_class(&mut self, facts: &mut IngressFacts, slot: Slot) {
        for class in facts.class.iter_mut().chain(&mut facts.further_classes) {
            if let Some((shared, _)) = self.by_class.get_key_value(class) {
                *class = Arc::clone(shared);
            }
            self.by_class.entry(Arc::clone(class)).or_default().insert(slot);
        }
    }

    fn forget_class(&mut self, class: &str, slot: Slot) {
        let Some(slots) = self.by_class.get_mut(class) else { return };
        slots.remove(&slot);
        if slots.is_empty() {
            self.by_class.remove(class);
        }
    }
}

/// Whether annotations add hosts to all rules of the Ingress.
fn adds_hosts(facts: &IngressFacts) -> bool {
    facts.added.iter().any(|added| !added.is_described)
}

fn hash_place(hasher: &DefaultHashBuilder, facts: &IngressFacts) -> u64 {
    hasher.hash_one((&*facts.object_ref.namespace, &*facts.object_ref.name))
}

fn is_at(slots: &[Option<IngressFacts>], slot: Slot, namespace: &str, name: &str) -> bool {
    let object_ref = slots[slot as usize].as_ref().map(|facts| &facts.object_ref);
    object_ref.is_some_and(|object_ref| object_ref.namespace == namespace && object_ref.name == name)
}

/// Makes all routes with the same host share its text, and records that the slot names the host.
fn share_host(hosts: &mut BTreeSet<(Sibling, Slot)>, route: &mut RouteFacts, slot: Slot) {
    let from = (Sibling::new(Arc::clone(&route.host)), 0);
    if let Some((shared, _)) = hosts.range(from..).next().filter(|(host, _)| *host.host == *route.host) {
        route.host = Arc::clone(&shared.host);
    }
    hosts.insert((Sibling::new(Arc::clone(&route.host)), slot));
}

/// A host that sorts by the text after its first label and then by that label, so that all hosts covered by a wildcard
/// of one label are adjacent.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sibling {
    host: Arc<str>,
    /// The byte offset of the text after the first label; 0 for a host of one label. It is stored because a search
    /// compares many hosts.
    suffix_at: u32,
}

impl Sibling {
    fn new(host: impl Into<Arc<str>>) -> Self {
        let host = host.into();
        let suffix_at = host.find('.').and_then(|dot| u32::try_from(dot + 1).ok()).unwrap_or_default();
        Self { host, suffix_at }
    }

    /// The text after the first label; `None` for a host of one label.
    fn suffix(&self) -> Option<&str> {
        (self.suffix_at > 0).then(|| &self.host[self.suffix_at as usize..])
    }
}

impl Ord for Sibling {
    fn cmp(&self, other: &Self) -> Ordering {
        // If the suffixes are equal, the whole hosts are ordered by their first labels.
        self.suffix().cmp(&other.suffix()).then_with(|| self.host.cmp(&other.host))
    }
}

impl PartialOrd for Sibling {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of the hosts guarantees that no other host sorts between the first and the last one-label name under a
    /// suffix.
    #[test]
    fn siblings_are_adjacent_in_the_order_of_hosts() {
        let labels = ["a", "a-b", "0", "z", "com", ""];
        let deeper = |name: &String| labels.map(|label| format!("{label}.{name}"));
        let two: Vec<String> = labels.iter().flat_map(|label| deeper(&(*label).to_owned())).collect();
        let three = two.iter().flat_map(deeper);
        let mut hosts: Vec<Sibling> = three.chain(two.clone()).map(Sibling::new).collect();
        hosts.sort();
        hosts.dedup();
        for suffix in two.iter().map(String::as_str).chain(labels) {
            let positions = hosts.iter().enumerate().filter(|(_, host)| {
                let front = host.host.strip_suffix(suffix).and_then(|front| front.strip_suffix('.'));
                front.is_some_and(|front| !front.contains('.'))
            });
            let positions: Vec<usize> = positions.map(|(position, _)| position).collect();
            assert_eq!(positions.len(), labels.len(), "{suffix}");
            assert!(positions.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{suffix}: {positions:?}");
        }
    }
}
