//! The routes with hosts by host and by match: what finds those that contradict another without looking at the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;
use std::ops::Bound;
use std::sync::Arc;

use hashbrown::hash_table::OccupiedEntry;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::gateway_facts::GatewayRouteFacts;
use super::small_set::SmallSet;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

type Slot = u32;

/// Places in order.
type Places = SmallSet<Arc<ObjectRef>>;

/// Of a route with more pairs of a host and a match than this only the hosts are entered: the largest that the schemas allow has 2,048.
const MAX_PAIRS: usize = 256;

/// What stands for every match in the table: no match asks for it.
const EVERY_MATCH: &str = "\0";

/// HTTPRoutes, GRPCRoutes and TLSRoutes, by the hosts that they name and by what they refer to where they name none.
#[derive(Debug, Default)]
pub struct RouteIndex {
    /// By host, read from the right. A route stands here once for each host, whatever it refers to: few of different parents name one.
    named: BTreeMap<Arc<str>, Places>,
    /// Those that name no host, by parent.
    unnamed: HashMap<ObjectRef, Places>,
    /// Slots under the hash of host and match, for every host of parent and match, of which there are many: half of it is kept, so that a
    /// growing table need not make it again.
    matched: HashTable<(u32, Slot)>,
    /// How many routes stand in the table by their hosts alone.
    by_host_alone: usize,
    /// What is kept of each route, since who asks for a match looks at it.
    slots: Vec<Option<Arc<GatewayRouteFacts>>>,
    free: Vec<Slot>,
    slot_of: HashMap<Arc<ObjectRef>, Slot>,
    hasher: DefaultHashBuilder,
    /// Those that lead to other routes.
    delegating: BTreeSet<Arc<ObjectRef>>,
}

impl RouteIndex {
    /// Enters the route at `object_ref`.
    pub fn enter(&mut self, object_ref: &Arc<ObjectRef>, facts: &Arc<GatewayRouteFacts>) {
        let Some(hosts) = hosts(facts) else { return };
        for host in &hosts {
            self.named.entry(Arc::clone(host)).or_default().insert(Arc::clone(object_ref));
        }
        for parent in unnamed(facts) {
            self.unnamed.entry(parent.clone()).or_default().insert(Arc::clone(object_ref));
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            Slot::try_from(self.slots.len() - 1).expect("fewer than 2^32 routes fit in memory")
        });
        let asked = Asked::of(facts, &hosts);
        self.by_host_alone += usize::from(asked.is_by_host_alone());
        for half in asked.hashes(&self.hasher) {
            self.matched.insert_unique(whole(half), (half, slot), |(half, _)| whole(*half));
        }
        self.slots[slot as usize] = Some(Arc::clone(facts));
        if facts.delegates {
            self.delegating.insert(Arc::clone(object_ref));
        }
        self.slot_of.insert(Arc::clone(object_ref), slot);
    }

    /// Takes out a route that was entered with these facts.
    pub fn leave(&mut self, facts: &GatewayRouteFacts) {
        let Some(hosts) = hosts(facts) else { return };
        for host in &hosts {
            let Some(places) = self.named.get_mut(host) else { continue };
            places.remove(&facts.object_ref);
            if places.is_empty() {
                self.named.remove(host);
            }
        }
        for parent in unnamed(facts) {
            let Some(places) = self.unnamed.get_mut(parent) else { continue };
            places.remove(&facts.object_ref);
            if places.is_empty() {
                self.unnamed.remove(parent);
            }
        }
        self.delegating.remove(&facts.object_ref);
        let Some(slot) = self.slot_of.remove(&facts.object_ref) else { return };
        let asked = Asked::of(facts, &hosts);
        self.by_host_alone -= usize::from(asked.is_by_host_alone());
        for half in asked.hashes(&self.hasher) {
            let entry = self.matched.find_entry(whole(half), |entry| *entry == (half, slot));
            drop(entry.map(OccupiedEntry::remove));
        }
        self.slots[slot as usize] = None;
        self.free.push(slot);
    }

    /// The routes that lead to other routes.
    pub fn delegating(&self) -> impl Iterator<Item = &ObjectRef> {
        self.delegating.iter().map(|object_ref| &**object_ref)
    }

    /// The routes that name just this host, by place; of those that name none the ones that refer to `parent`.
    pub fn with_host(&self, parent: &ObjectRef, host: &Host<'_>) -> impl Iterator<Item = &ObjectRef> {
        let places = match host {
            Host::Any => self.unnamed.get(parent),
            host => self.named.get(host.from_the_right().as_str()),
        };
        places.into_iter().flat_map(Places::iter).map(|object_ref| &**object_ref)
    }

    /// The routes that name a host that the wildcard `host` covers, itself included, by host; a route comes once for each. None for a
    /// precise host, and none for every host.
    pub fn covered(&self, host: &Host<'_>) -> impl Iterator<Item = &ObjectRef> {
        let prefix = if *host == Host::Any { None } else { host.prefix_of_covered() };
        prefix
            .into_iter()
            .flat_map(move |prefix| {
                let from: (Bound<&str>, Bound<&str>) = (Bound::Included(&prefix), Bound::Unbounded);
                let covered = self.named.range::<str, _>(from);
                covered.take_while(move |(name, _)| name.starts_with(&prefix)).flat_map(|(_, places)| places.iter())
            })
            .map(|object_ref| &**object_ref)
    }

    /// The routes that name just this host, read from the right, and may ask for just this, in no order; of those that name none the ones
    /// that refer to `parent`. Half a hash decides: whoever must be certain looks at the facts.
    pub fn with_match(&self, parent: &ObjectRef, host: &str, asked: &str) -> impl Iterator<Item = &GatewayRouteFacts> {
        let any = (self.by_host_alone > 0).then_some(EVERY_MATCH);
        [asked].into_iter().chain(any).flat_map(move |asked| {
            let half = half(&self.hasher, (scope(parent, host), host, asked));
            let slots = self.matched.iter_hash(whole(half)).filter(move |(own, _)| *own == half).map(|(_, slot)| *slot);
            slots.filter_map(|slot| self.slots.get(slot as usize)?.as_deref())
        })
    }
}

/// What a route stands under in the table of matches.
struct Asked<'f> {
    facts: &'f GatewayRouteFacts,
    /// Each of its hosts, with its parents where that is every host.
    hosts: Vec<(Option<&'f ObjectRef>, &'f str)>,
}

impl<'f> Asked<'f> {
    fn of(facts: &'f GatewayRouteFacts, hosts: &'f BTreeSet<Arc<str>>) -> Self {
        // Whoever refers to no parent with listeners is nobody's rival.
        let named = hosts.iter().filter(|_| !facts.parents.is_empty()).map(|host| (None, &**host));
        Self { facts, hosts: named.chain(unnamed(facts).into_iter().map(|parent| (Some(parent), ""))).collect() }
    }

    fn is_by_host_alone(&self) -> bool {
        self.hosts.len() * self.facts.matches.len() > MAX_PAIRS
    }

    fn hashes(&self, hasher: &DefaultHashBuilder) -> Vec<u32> {
        if self.is_by_host_alone() {
            return self.hosts.iter().map(|(scope, host)| half(hasher, (*scope, host, EVERY_MATCH))).collect();
        }
        let mut hashes = Vec::with_capacity(self.hosts.len() * self.facts.matches.len());
        for (scope, host) in &self.hosts {
            hashes.extend(self.facts.matches.iter().map(|asked| half(hasher, (*scope, host, asked))));
        }
        hashes
    }
}

/// Half the hash of a host and a match, with the parent where that is every host.
fn half(hasher: &DefaultHashBuilder, of: (Option<&ObjectRef>, &str, &str)) -> u32 {
    (hasher.hash_one(of) >> 32) as u32
}

/// The parent where that tells routes apart: few routes of different parents name one host, but many name none.
fn scope<'p>(parent: &'p ObjectRef, host: &str) -> Option<&'p ObjectRef> {
    host.is_empty().then_some(parent)
}

/// What the table goes by: all of its bits tell hashes apart.
fn whole(half: u32) -> u64 {
    u64::from(half).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The hosts that a route names, read from the right, each once. `None` for routes that have no hosts.
fn hosts(facts: &GatewayRouteFacts) -> Option<BTreeSet<Arc<str>>> {
    if !matches!(facts.object_ref.kind, Kind::HttpRoute | Kind::GrpcRoute | Kind::TlsRoute) {
        return None;
    }
    let named = facts.hosts.iter().filter(|host| **host != Host::Any);
    Some(named.map(|host| Arc::from(host.from_the_right())).collect())
}

/// The parents of a route that stands for every host, each once.
fn unnamed(facts: &GatewayRouteFacts) -> BTreeSet<&ObjectRef> {
    let is_unnamed = facts.hosts.is_empty() || facts.hosts.contains(&Host::Any);
    facts.parents.iter().filter(|_| is_unnamed).map(|parent| &parent.target).collect()
}
