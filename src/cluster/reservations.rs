//! Reservations of what admitted writes claim. The view shows a write only after the watch has delivered it; until then a
//! second object with the same claim would be admitted too.
//!
//! A reservation keeps the admitted object's facts, so that the checks that judge conflicts with seen objects judge those
//! with reserved ones as well.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::Facts;
use super::unseen_claims::UnseenClaims;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

/// How long a reservation lives if its object does not appear: another admission step may refuse it.
const LIFETIME: SignedDuration = SignedDuration::from_secs(2);
/// How many reservations there are at most.
const MAX_RESERVATIONS: usize = 1024;
/// How many hosts they have together at most.
const MAX_HOSTS: usize = 1 << 16;

/// What one write claims.
#[derive(Debug, Clone)]
pub struct Claim {
    place: ObjectRef,
    facts: Arc<Facts>,
    /// Each once, [from the right](Host::from_the_right); empty for every host. For routes of connections it is their parents.
    hosts: Arc<[Box<str>]>,
    /// The same, and the hosts that the object claims beside those that its facts hold: where it may meet the claims of others.
    asked: Arc<[Box<str>]>,
    is_creation: bool,
}

impl Claim {
    /// What a write of an object with these facts claims, and `further` hosts that they do not hold; none where its kind is not reserved,
    /// or claims nothing.
    pub fn of<'h>(facts: Facts, further: impl IntoIterator<Item = Host<'h>>, is_creation: bool) -> Option<Self> {
        let hosts: BTreeSet<Box<str>> = hosts(&facts)?.collect();
        let further = further.into_iter().map(|host| host.from_the_right().into());
        let asked: BTreeSet<Box<str>> = further.chain(hosts.iter().cloned()).collect();
        let (hosts, asked) = (hosts.into_iter().collect(), asked.into_iter().collect::<Arc<[_]>>());
        let place = facts.place();
        (!asked.is_empty()).then(|| Self { place, facts: Arc::new(facts), hosts, asked, is_creation })
    }

    /// The facts of the object.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }
}

/// Whether objects of `kind` claim what is reserved.
pub const fn is_reserved(kind: Kind) -> bool {
    use Kind::{GrpcRoute, HttpProxy, HttpRoute, Ingress, IngressRoute, TcpRoute, TlsRoute, UdpRoute};
    matches!(kind, Ingress | IngressRoute | HttpProxy | HttpRoute | GrpcRoute | TlsRoute | TcpRoute | UdpRoute)
}

/// The hosts that an object claims; none for a kind that is not reserved.
fn hosts(facts: &Facts) -> Option<Box<dyn Iterator<Item = Box<str>> + '_>> {
    let key = |host: &Host<'_>| host.from_the_right().into();
    match facts {
        Facts::Ingress(facts) => Some(Box::new(facts.routes.iter().map(move |route| key(&route.host())))),
        Facts::Delegation(facts) => Some(Box::new(facts.root.iter().filter(|host| **host != Host::Any).map(key))),
        // A listener sends all connections to one route, whatever their host.
        Facts::GatewayRoute(facts) if matches!(facts.place.kind, Kind::TcpRoute | Kind::UdpRoute) => {
            let key = |target: &ObjectRef| format!("/{}/{}/{}", target.kind.api().kind, target.namespace, target.name);
            Some(Box::new(facts.parents.iter().map(move |parent| key(&parent.target).into())))
        }
        Facts::GatewayRoute(facts) if is_reserved(facts.place.kind) => {
            // A route without hosts claims those of its listeners, whichever they are.
            let every = facts.hosts.is_empty().then(Box::default);
            Some(Box::new(facts.hosts.iter().map(key).chain(every)))
        }
        _ => None,
    }
}

/// Whether two states of one object claim the same.
fn claims_same(one: &Facts, other: &Facts) -> bool {
    match (one, other) {
        (Facts::Ingress(one), Facts::Ingress(other)) => {
            let has_one_plane = one.classes().eq(other.classes()) && one.balancer == other.balancer;
            has_one_plane && one.mark == other.mark && one.routes == other.routes
        }
        (Facts::Delegation(one), Facts::Delegation(other)) => one.class == other.class && one.root == other.root,
        (Facts::GatewayRoute(one), Facts::GatewayRoute(other)) => {
            one.parents == other.parents && one.hosts == other.hosts && one.matches == other.matches
        }
        _ => false,
    }
}

/// The reservations whose claims meet one claim.
#[derive(Debug, Default)]
pub struct Rivals {
    /// The facts of their objects, the oldest first.
    pub facts: Vec<Arc<Facts>>,
    /// Up to which reservation this is known.
    seen: u64,
}

#[derive(Debug)]
struct Reservation {
    claim: Claim,
    until: Timestamp,
}

/// The reservations that hold.
#[derive(Debug, Default)]
pub struct ClaimReservations {
    /// By number, the oldest first.
    all: BTreeMap<u64, Reservation>,
    by_place: HashMap<ObjectRef, u64>,
    by_host: BTreeSet<(Box<str>, u64)>,
    next: u64,
    unseen: UnseenClaims,
}

impl ClaimReservations {
    /// The reservations of other objects with a host in common with `claim`.
    pub fn rivals(&mut self, claim: &Claim, now: Timestamp) -> Rivals {
        self.expire(now);
        let numbers = self.meeting(claim);
        let facts = numbers.iter().filter_map(|number| self.all.get(number)).map(|held| Arc::clone(&held.claim.facts));
        Rivals { facts: facts.collect(), seen: self.next }
    }

    /// Reserves a claim whose `rivals` do not stand against it; false where another rival has come since.
    pub fn reserve(&mut self, claim: &Claim, rivals: &Rivals, now: Timestamp) -> bool {
        self.expire(now);
        if self.meeting(claim).range(rivals.seen..).next().is_some() {
            return false;
        }
        self.end(&claim.place);
        let free = claim.hosts.iter().filter(|host| !self.unseen.holds(&claim.place.namespace, host));
        let hosts: Arc<[_]> = free.cloned().collect();
        if !hosts.is_empty() {
            self.make_room(hosts.len());
            self.insert(Claim { hosts, ..claim.clone() }, now);
        }
        true
    }

    /// Ends the reservation of an object that the view shows now; an older state of an object that was updated ends nothing.
    pub fn appeared(&mut self, facts: &Facts) {
        if self.all.is_empty() && self.unseen.is_empty() {
            return;
        }
        let Some(hosts) = hosts(facts) else { return };
        let place = facts.place();
        hosts.for_each(|host| self.unseen.forget(&place.namespace, &host));
        let held = self.by_place.get(&place).and_then(|number| self.all.get(number));
        if held.is_some_and(|held| held.claim.is_creation || claims_same(&held.claim.facts, facts)) {
            self.end(&place);
        }
    }

    /// Ends the reservation of an object that is gone, or about to be.
    pub fn end(&mut self, place: &ObjectRef) {
        if let Some(number) = self.by_place.get(place).copied() {
            self.remove(number);
        }
    }

    /// Ends the reservations whose time is over without their objects having appeared.
    fn expire(&mut self, now: Timestamp) {
        while let Some((number, held)) = self.all.first_key_value() {
            if held.until > now {
                break;
            }
            let (number, until) = (*number, held.until);
            if let Some(claim) = self.remove(number) {
                claim.hosts.iter().for_each(|host| self.unseen.add(&claim.place.namespace, host, until));
            }
        }
        self.unseen.expire(now);
    }

    /// The numbers of the other objects' reservations with a host in common with `claim`.
    fn meeting(&self, claim: &Claim) -> BTreeSet<u64> {
        let mut numbers = BTreeSet::new();
        if self.all.is_empty() {
            return numbers;
        }
        for host in claim.asked.iter() {
            if host.is_empty() {
                numbers.extend(self.all.keys());
                break;
            }
            // Every host, the wildcards above, the host itself, and what a wildcard covers.
            let dots = host.match_indices('.').map(|(dot, _)| format!("{}.*", &host[..dot]));
            for above in dots.chain([String::new(), host.to_string()]) {
                numbers.extend(self.from(&above).take_while(|(name, _)| **name == *above).map(|(_, number)| *number));
            }
            if let Some(suffix) = host.strip_suffix('*') {
                numbers.extend(self.from(suffix).take_while(|(name, _)| name.starts_with(suffix)).map(|(_, it)| *it));
            }
        }
        if let Some(own) = self.by_place.get(&claim.place) {
            numbers.remove(own);
        }
        numbers
    }

    fn from(&self, host: &str) -> impl Iterator<Item = &(Box<str>, u64)> {
        self.by_host.range((Box::from(host), 0)..)
    }

    fn insert(&mut self, claim: Claim, now: Timestamp) {
        let number = self.next;
        self.next += 1;
        self.by_host.extend(claim.hosts.iter().map(|host| (host.clone(), number)));
        self.by_place.insert(claim.place.clone(), number);
        let until = now.saturating_add(LIFETIME).unwrap_or(now);
        self.all.insert(number, Reservation { claim, until });
    }

    fn remove(&mut self, number: u64) -> Option<Claim> {
        let Reservation { claim, .. } = self.all.remove(&number)?;
        self.by_place.remove(&claim.place);
        for host in claim.hosts.iter() {
            self.by_host.remove(&(host.clone(), number));
        }
        Some(claim)
    }

    /// Makes room for one more reservation: the namespace with the most loses its oldest.
    fn make_room(&mut self, hosts: usize) {
        while self.all.len() >= MAX_RESERVATIONS || self.by_host.len() + hosts > MAX_HOSTS {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for held in self.all.values() {
                *counts.entry(&held.claim.place.namespace).or_default() += 1;
            }
            let Some((largest, _)) = counts.into_iter().max_by_key(|(_, count)| *count) else { return };
            let is_its = |held: &Reservation| held.claim.place.namespace == largest;
            let Some(oldest) = self.all.iter().find(|(_, held)| is_its(held)).map(|(number, _)| *number) else {
                return;
            };
            self.remove(oldest);
        }
    }
}
