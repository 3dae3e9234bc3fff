//! Reservations of the claims of admitted writes. The view shows a write only after the watch has delivered it; until
//! then, a second object with the same claim would be admitted, too.
//!
//! A reservation keeps the admitted object's facts, so the checks that detect conflicts with visible objects detect
//! conflicts with reserved ones as well. It holds what the object claims: the hosts and paths of an Ingress, the host of a root, the
//! matches of a route, the parents of a TCPRoute or UDPRoute, the role of the default class, and the number of its paths and matches.
//! Dry runs reserve nothing, and neither do reviews over files, whose view never shows a write.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use super::Facts;
use super::claim_set::ClaimSet;
use super::namespace_entries::entries;
use super::released_claims::ReleasedClaims;
use super::unseen_claims::UnseenClaims;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

/// The lifetime of a reservation whose object does not appear, for example because a later admission step rejected it.
const LIFETIME: Duration = Duration::from_secs(2);
/// The maximum number of reservations.
const MAX_RESERVATIONS: usize = 1024;
/// The maximum total number of reserved hosts.
const MAX_HOSTS: usize = 1 << 16;

/// The claim of one write.
#[derive(Debug, Clone)]
pub struct ReservedClaim {
    object_ref: ObjectRef,
    facts: Arc<Facts>,
    /// Each host once, [labels in reverse order](Host::from_the_right); empty text for every host. For TCPRoutes and
    /// UDPRoutes these are the parents, for a class the role of the default class of its kind.
    hosts: Arc<[Box<str>]>,
    /// `hosts` and the further claimed hosts that the facts do not contain. Reservations with one of these hosts are
    /// rivals.
    all_hosts: Arc<[Box<str>]>,
    /// The number of paths and matches.
    entries: usize,
    is_creation: bool,
}

impl ReservedClaim {
    /// Returns the claim of a write of an object with these facts and with `further` hosts that the facts do not
    /// contain; `None` if the kind is not reserved, or if the object claims nothing and has no paths or matches.
    pub fn of<'h>(facts: Facts, further: impl IntoIterator<Item = Host<'h>>, is_creation: bool) -> Option<Self> {
        let hosts: BTreeSet<Box<str>> = hosts(&facts)?.collect();
        let further = further.into_iter().map(|host| host.from_the_right().into());
        let all_hosts: BTreeSet<Box<str>> = further.chain(hosts.iter().cloned()).collect();
        let (hosts, all_hosts) = (hosts.into_iter().collect(), all_hosts.into_iter().collect::<Arc<[_]>>());
        let (object_ref, entries) = (facts.object_ref(), entries(&facts));
        let is_empty = all_hosts.is_empty() && entries == 0;
        (!is_empty).then(|| Self { object_ref, facts: Arc::new(facts), hosts, all_hosts, entries, is_creation })
    }

    /// The facts of the object.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The number of paths and matches of its object.
    pub fn entries(&self) -> usize {
        self.entries
    }
}

/// Whether claims of objects of `kind` are reserved.
pub const fn is_reserved(kind: Kind) -> bool {
    use Kind::{GrpcRoute, HttpProxy, HttpRoute, Ingress, IngressRoute, TcpRoute, TlsRoute, UdpRoute};
    matches!(kind, Ingress | IngressRoute | HttpProxy | HttpRoute | GrpcRoute | TlsRoute | TcpRoute | UdpRoute)
        || matches!(kind, Kind::IngressClass | Kind::GatewayClass)
}

/// Whether admitted writes of objects of `kind` are looked at again: those whose claims are reserved, and listeners.
pub const fn is_looked_at(kind: Kind) -> bool {
    is_reserved(kind) || matches!(kind, Kind::Gateway | Kind::ListenerSet)
}

/// The keys that an object claims; `None` for a kind that is not reserved.
fn hosts(facts: &Facts) -> Option<Box<dyn Iterator<Item = Box<str>> + '_>> {
    let key = |host: &Host<'_>| host.from_the_right().into();
    match facts {
        Facts::Ingress(facts) => Some(Box::new(facts.hosts().map(move |host| key(&host)))),
        Facts::Delegation(facts) => Some(Box::new(facts.root.iter().filter(|host| **host != Host::Any).map(key))),
        // A listener sends all connections to one route regardless of their host, so the parents are the claim.
        Facts::GatewayRoute(facts) if matches!(facts.object_ref.kind, Kind::TcpRoute | Kind::UdpRoute) => {
            let key = |target: &ObjectRef| format!("/{}/{}/{}", target.kind.api().kind, target.namespace, target.name);
            Some(Box::new(facts.parents.iter().map(move |parent| key(&parent.target).into())))
        }
        Facts::GatewayRoute(facts) if is_reserved(facts.object_ref.kind) => {
            // A route without hosts claims the hosts of its listeners, which are not known here.
            let every = facts.hosts.is_empty().then(Box::default);
            Some(Box::new(facts.hosts.iter().map(key).chain(every)))
        }
        Facts::IngressClass(facts) => {
            Some(Box::new(facts.default.then(|| default_role(Kind::IngressClass)).into_iter()))
        }
        // The configuration may name further annotations that mark a default class, and each may be one of them.
        Facts::GatewayClass(facts) => {
            Some(Box::new((!facts.marks.is_empty()).then(|| default_role(Kind::GatewayClass)).into_iter()))
        }
        _ => None,
    }
}

/// The key of the role of the default class. No host contains a slash.
fn default_role(kind: Kind) -> Box<str> {
    format!("/{}/default", kind.api().kind).into()
}

/// Whether two states of one object, of a kind that is looked at again, have the same claims.
pub fn claims_same(one: &Facts, other: &Facts) -> bool {
    one == other || ClaimSet::of(one) == ClaimSet::of(other)
}

/// The reservations that share a host with a claim.
#[derive(Debug, Default)]
pub struct Rivals {
    /// The facts of the reserved objects, the oldest first.
    pub facts: Vec<Arc<Facts>>,
    /// The numbers of the reservations.
    numbers: BTreeSet<u64>,
    /// Reservations whose objects the view already showed at this time are left out, since the checks find these
    /// objects in the view.
    since: ShownChanges,
}

/// The number of reserved objects that the view has come to show. It orders these events in time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShownChanges(u64);

#[derive(Debug)]
struct Reservation {
    claim: ReservedClaim,
    until: Duration,
    /// When the view came to show the object, if it did. A write that was being checked at that time may have missed
    /// the object.
    shown_at: Option<ShownChanges>,
}

/// The current reservations. Each time is the time since some moment, on a clock that never steps back.
#[derive(Debug, Default)]
pub struct ClaimReservations {
    /// By number, the oldest first.
    all: BTreeMap<u64, Reservation>,
    by_object_ref: HashMap<ObjectRef, u64>,
    by_host: BTreeSet<(Box<str>, u64)>,
    /// The number of paths and matches of the objects that are not shown, by namespace.
    entries: HashMap<String, usize>,
    next: u64,
    latest_shown: ShownChanges,
    unseen: UnseenClaims,
    released: ReleasedClaims,
}

impl ClaimReservations {
    /// Ends the reservation of an object that an admitted write deletes or changes, and remembers that the object gives up a claim.
    pub fn release(&mut self, object_ref: &ObjectRef, now: Duration) {
        self.end(object_ref);
        self.released.add(object_ref, now);
    }

    /// Remembers that an admitted update of an object, whose new claim is reserved, gives up a claim.
    pub fn give_up(&mut self, object_ref: &ObjectRef, now: Duration) {
        self.released.add(object_ref, now);
    }

    /// Whether the object gave up a claim a moment ago, so that the view may still show it.
    pub fn is_released(&self, object_ref: &ObjectRef, now: Duration) -> bool {
        self.released.holds(object_ref, now)
    }

    /// The number of reserved objects that the view has come to show until now.
    pub fn latest_shown(&self) -> ShownChanges {
        self.latest_shown
    }

    /// The number of paths and matches of the reserved objects of `namespace` that the view does not show, including one that
    /// the object of a new claim replaces.
    pub fn entries_in(&self, namespace: &str) -> usize {
        self.entries.get(namespace).copied().unwrap_or_default()
    }

    /// The reservations of other objects that share a host with `claim`, or its namespace if that `is_crowded`: with all of
    /// them, it may have too many paths and matches. Of the objects that the view shows, only those that appeared after
    /// `since` count.
    pub fn rivals(&mut self, claim: &ReservedClaim, is_crowded: bool, since: ShownChanges, now: Duration) -> Rivals {
        self.expire(now);
        let numbers = self.overlapping(claim, is_crowded, since);
        let facts = numbers.iter().filter_map(|number| self.all.get(number)).map(|held| Arc::clone(&held.claim.facts));
        Rivals { facts: facts.collect(), numbers, since }
    }

    /// Reserves a claim that does not conflict with `rivals`. Returns false without reserving it if there are other rivals
    /// than those: reserved later, or in a namespace that became crowded.
    pub fn reserve(&mut self, claim: &ReservedClaim, is_crowded: bool, rivals: &Rivals, now: Duration) -> bool {
        self.expire(now);
        if !self.overlapping(claim, is_crowded, rivals.since).is_subset(&rivals.numbers) {
            return false;
        }
        self.end(&claim.object_ref);
        let free = claim.hosts.iter().filter(|host| !self.unseen.holds(&claim.object_ref.namespace, host));
        let hosts: Arc<[_]> = free.cloned().collect();
        if !hosts.is_empty() || claim.entries > 0 {
            self.make_room(hosts.len());
            self.insert(ReservedClaim { hosts, ..claim.clone() }, now);
        }
        true
    }

    /// Marks the reservation of an object as shown when the view shows the object. An older state of an updated object
    /// does not count.
    pub fn appeared(&mut self, facts: &Facts) {
        if self.all.is_empty() && self.unseen.is_empty() {
            return;
        }
        let Some(hosts) = hosts(facts) else { return };
        let object_ref = facts.object_ref();
        hosts.for_each(|host| self.unseen.forget(&object_ref.namespace, &host));
        let Some(held) = self.by_object_ref.get(&object_ref).and_then(|number| self.all.get_mut(number)) else {
            return;
        };
        let is_same = claims_same(&held.claim.facts, facts);
        if is_same {
            self.released.remove(&object_ref);
        }
        if held.shown_at.is_none() && (held.claim.is_creation || is_same) {
            self.latest_shown.0 += 1;
            held.shown_at = Some(self.latest_shown);
            let entries = held.claim.entries;
            self.count_entries(&object_ref.namespace, entries, 0);
        } else if !is_same && held.shown_at.is_some() {
            self.end(&object_ref);
        }
    }

    /// Ends the reservation of an object that is deleted or about to be deleted.
    pub fn end(&mut self, object_ref: &ObjectRef) {
        if let Some(number) = self.by_object_ref.get(object_ref).copied() {
            self.remove(number);
        }
    }

    /// Ends the reservations whose lifetime is over. Claims whose objects did not appear are recorded as unseen.
    fn expire(&mut self, now: Duration) {
        while let Some((number, held)) = self.all.first_key_value() {
            if held.until > now {
                break;
            }
            let (number, until, is_shown) = (*number, held.until, held.shown_at.is_some());
            if let Some(claim) = self.remove(number).filter(|_| !is_shown) {
                claim.hosts.iter().for_each(|host| self.unseen.add(&claim.object_ref.namespace, host, until));
            }
        }
        self.unseen.expire(now);
    }

    /// The numbers of the reservations of other objects that share a host with `claim`, or its namespace if that
    /// `is_crowded`, without those that were shown until `since`.
    fn overlapping(&self, claim: &ReservedClaim, is_crowded: bool, since: ShownChanges) -> BTreeSet<u64> {
        let mut numbers = BTreeSet::new();
        if self.all.is_empty() {
            return numbers;
        }
        for host in claim.all_hosts.iter() {
            if host.is_empty() {
                numbers.extend(self.all.keys());
                break;
            }
            // Looks up every host, the covering wildcards, the host itself, and the hosts that a wildcard covers.
            let dots = host.match_indices('.').map(|(dot, _)| format!("{}.*", &host[..dot]));
            for above in dots.chain([String::new(), host.to_string()]) {
                numbers.extend(self.from(&above).take_while(|(name, _)| **name == *above).map(|(_, number)| *number));
            }
            if let Some(suffix) = host.strip_suffix('*') {
                numbers.extend(self.from(suffix).take_while(|(name, _)| name.starts_with(suffix)).map(|(_, it)| *it));
            }
        }
        if is_crowded {
            let is_neighbor = |held: &Reservation| {
                held.claim.entries > 0 && held.claim.object_ref.namespace == claim.object_ref.namespace
            };
            numbers.extend(self.all.iter().filter(|(_, held)| is_neighbor(held)).map(|(number, _)| *number));
        }
        if let Some(own) = self.by_object_ref.get(&claim.object_ref) {
            numbers.remove(own);
        }
        let counts = |held: &Reservation| held.shown_at.is_none_or(|shown_at| shown_at > since);
        numbers.retain(|number| self.all.get(number).is_some_and(counts));
        numbers
    }

    fn from(&self, host: &str) -> impl Iterator<Item = &(Box<str>, u64)> {
        self.by_host.range((Box::from(host), 0)..)
    }

    fn insert(&mut self, claim: ReservedClaim, now: Duration) {
        let number = self.next;
        self.next += 1;
        self.by_host.extend(claim.hosts.iter().map(|host| (host.clone(), number)));
        self.by_object_ref.insert(claim.object_ref.clone(), number);
        self.count_entries(&claim.object_ref.namespace, 0, claim.entries);
        self.all.insert(number, Reservation { claim, until: now + LIFETIME, shown_at: None });
    }

    fn remove(&mut self, number: u64) -> Option<ReservedClaim> {
        let Reservation { claim, shown_at, .. } = self.all.remove(&number)?;
        self.by_object_ref.remove(&claim.object_ref);
        if shown_at.is_none() {
            self.count_entries(&claim.object_ref.namespace, claim.entries, 0);
        }
        for host in claim.hosts.iter() {
            self.by_host.remove(&(host.clone(), number));
        }
        Some(claim)
    }

    fn count_entries(&mut self, namespace: &str, before: usize, after: usize) {
        if before == after {
            return;
        }
        let count = self.entries.entry(namespace.to_owned()).or_default();
        *count = *count + after - before;
        if *count == 0 {
            self.entries.remove(namespace);
        }
    }

    /// Removes reservations until another one fits: first all whose objects the view shows, then repeatedly the oldest
    /// one of the namespace with the most reservations.
    fn make_room(&mut self, hosts: usize) {
        let is_full = |own: &Self| own.all.len() >= MAX_RESERVATIONS || own.by_host.len() + hosts > MAX_HOSTS;
        if is_full(self) {
            let shown = self.all.iter().filter(|(_, held)| held.shown_at.is_some()).map(|(number, _)| *number);
            shown.collect::<Vec<_>>().into_iter().for_each(|number| drop(self.remove(number)));
        }
        while is_full(self) {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for held in self.all.values() {
                *counts.entry(&held.claim.object_ref.namespace).or_default() += 1;
            }
            let Some((largest, _)) = counts.into_iter().max_by_key(|(_, count)| *count) else { return };
            let is_its = |held: &Reservation| held.claim.object_ref.namespace == largest;
            let Some(oldest) = self.all.iter().find(|(_, held)| is_its(held)).map(|(number, _)| *number) else {
                return;
            };
            self.remove(oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::decode;

    fn claim(name: &str) -> ReservedClaim {
        let ingress = format!(
            r#"{{"metadata": {{"namespace": "{name}", "name": "{name}"}}, "spec": {{"rules": [{{"host": "shop.example.com",
                "http": {{"paths": [{{"path": "/", "pathType": "Prefix", "backend": {{"service": {{"name": "a"}}}}}}]}}}}]}}}}"#
        );
        let facts = Facts::of(&decode(Kind::Ingress, &ingress).expect("an Ingress"));
        ReservedClaim::of(facts, [], true).expect("an Ingress claims its hosts")
    }

    #[test]
    fn claim_shown_during_a_review_is_a_rival() {
        let (mut reservations, now) = (ClaimReservations::default(), Duration::ZERO);
        let (one, other) = (claim("one"), claim("other"));
        let before = reservations.latest_shown();
        let rivals = reservations.rivals(&one, false, before, now);
        assert!(rivals.facts.is_empty() && reservations.reserve(&one, false, &rivals, now));
        reservations.appeared(one.facts());
        let facts =
            |reservations: &mut ClaimReservations, since| reservations.rivals(&other, false, since, now).facts.len();
        assert_eq!(facts(&mut reservations, before), 1, "a check may have run before it was shown");
        let after = reservations.latest_shown();
        assert_eq!(facts(&mut reservations, after), 0, "every check has met it in the view");
        reservations.end(&one.object_ref);
        assert_eq!(facts(&mut reservations, before), 0, "it is gone");
    }

    #[test]
    fn claim_shown_after_the_rivals_were_read_is_a_rival() {
        let (mut reservations, now) = (ClaimReservations::default(), Duration::ZERO);
        let (one, other) = (claim("one"), claim("other"));
        let since = reservations.latest_shown();
        let rivals = reservations.rivals(&other, false, since, now);
        let none = reservations.rivals(&one, false, since, now);
        assert!(reservations.reserve(&one, false, &none, now));
        reservations.appeared(one.facts());
        assert!(!reservations.reserve(&other, false, &rivals, now), "the rivals are older than what is reserved");
    }
}
