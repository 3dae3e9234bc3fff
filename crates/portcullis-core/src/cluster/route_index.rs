//! The routes with hosts, indexed by host and by match, so that conflicting routes are found without looking at the
//! others.

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

/// Object references in order.
type ObjectRefs = SmallSet<Arc<ObjectRef>>;

/// A route with more pairs of a host and a match than this is indexed by its hosts only. The largest route that the
/// schemas allow has 2,048 pairs.
const MAX_PAIRS: usize = 256;

/// The match under which routes are indexed by host only. No real match has this text.
const EVERY_MATCH: &str = "\0";

/// HTTPRoutes, GRPCRoutes and TLSRoutes, by the hosts that they name, and by parent if they name none.
#[derive(Debug, Default)]
pub struct RouteIndex {
    /// By host (labels in reverse order). A route has one entry per host for all its parents, since few routes of
    /// different parents name the same host.
    named: BTreeMap<Arc<str>, ObjectRefs>,
    /// Routes without hosts, by parent.
    unnamed: HashMap<ObjectRef, ObjectRefs>,
    /// Slots by the hash of host and match, and of the parent for routes without hosts. There are many entries, so half
    /// of the hash is stored: a growing table need not compute it again.
    matched: HashTable<(u32, Slot)>,
    /// The number of routes that are in `matched` by their hosts only.
    by_host_alone: usize,
    /// The facts of each route, because look-ups by match need them.
    slots: Vec<Option<Arc<GatewayRouteFacts>>>,
    free: Vec<Slot>,
    slot_of: HashMap<Arc<ObjectRef>, Slot>,
    hasher: DefaultHashBuilder,
    /// Routes that delegate to other routes.
    delegating: BTreeSet<Arc<ObjectRef>>,
}

impl RouteIndex {
    /// Adds the route at `object_ref`.
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
        let keys = IndexKeys::of(facts, &hosts);
        self.by_host_alone += usize::from(keys.is_by_host_alone());
        for half in keys.hashes(&self.hasher) {
            self.matched.insert_unique(whole(half), (half, slot), |(half, _)| whole(*half));
        }
        self.slots[slot as usize] = Some(Arc::clone(facts));
        if facts.delegates {
            self.delegating.insert(Arc::clone(object_ref));
        }
        self.slot_of.insert(Arc::clone(object_ref), slot);
    }

    /// Removes a route that was added with these facts.
    pub fn leave(&mut self, facts: &GatewayRouteFacts) {
        let Some(hosts) = hosts(facts) else { return };
        for host in &hosts {
            let Some(object_refs) = self.named.get_mut(host) else { continue };
            object_refs.remove(&facts.object_ref);
            if object_refs.is_empty() {
                self.named.remove(host);
            }
        }
        for parent in unnamed(facts) {
            let Some(object_refs) = self.unnamed.get_mut(parent) else { continue };
            object_refs.remove(&facts.object_ref);
            if object_refs.is_empty() {
                self.unnamed.remove(parent);
            }
        }
        self.delegating.remove(&facts.object_ref);
        let Some(slot) = self.slot_of.remove(&facts.object_ref) else { return };
        let keys = IndexKeys::of(facts, &hosts);
        self.by_host_alone -= usize::from(keys.is_by_host_alone());
        for half in keys.hashes(&self.hasher) {
            let entry = self.matched.find_entry(whole(half), |entry| *entry == (half, slot));
            drop(entry.map(OccupiedEntry::remove));
        }
        self.slots[slot as usize] = None;
        self.free.push(slot);
    }

    /// The routes that delegate to other routes, ordered by reference.
    pub fn delegating(&self) -> impl Iterator<Item = &ObjectRef> {
        self.delegating.iter().map(|object_ref| &**object_ref)
    }

    /// The routes that name exactly this host, ordered by reference. For `Host::Any`, the routes without hosts that
    /// refer to `parent`.
    pub fn with_host(&self, parent: &ObjectRef, host: &Host<'_>) -> impl Iterator<Item = &ObjectRef> {
        let object_refs = match host {
            Host::Any => self.unnamed.get(parent),
            host => self.named.get(host.from_the_right().as_str()),
        };
        object_refs.into_iter().flat_map(ObjectRefs::iter).map(|object_ref| &**object_ref)
    }

    /// The routes that name a host covered by the wildcard `host` or the wildcard itself, ordered by host. A route
    /// appears once per such host. There are none for a precise host and for `Host::Any`.
    pub fn covered(&self, host: &Host<'_>) -> impl Iterator<Item = &ObjectRef> {
        let prefix = if *host == Host::Any { None } else { host.prefix_of_covered() };
        prefix
            .into_iter()
            .flat_map(move |prefix| {
                let from: (Bound<&str>, Bound<&str>) = (Bound::Included(&prefix), Bound::Unbounded);
                let covered = self.named.range::<str, _>(from);
                covered
                    .take_while(move |(name, _)| name.starts_with(&prefix))
                    .flat_map(|(_, object_refs)| object_refs.iter())
            })
            .map(|object_ref| &**object_ref)
    }

    /// The routes that name exactly this host (labels in reverse order) and may have exactly this match, unordered. For
    /// the empty host, the routes without hosts that refer to `parent`. Only half of a hash is compared, so a caller
    /// that needs certainty compares the facts.
    pub fn with_match(
        &self,
        parent: &ObjectRef,
        host: &str,
        match_key: &str,
    ) -> impl Iterator<Item = &GatewayRouteFacts> {
        let any = (self.by_host_alone > 0).then_some(EVERY_MATCH);
        [match_key].into_iter().chain(any).flat_map(move |match_key| {
            let half = half(&self.hasher, (scope(parent, host), host, match_key));
            let slots = self.matched.iter_hash(whole(half)).filter(move |(own, _)| *own == half).map(|(_, slot)| *slot);
            slots.filter_map(|slot| self.slots.get(slot as usize)?.as_deref())
        })
    }
}

/// The keys of a route in the table of matches.
struct IndexKeys<'f> {
    facts: &'f GatewayRouteFacts,
    /// Each host of the route; the parent is present only for the empty host, which represents every host.
    hosts: Vec<(Option<&'f ObjectRef>, &'f str)>,
}

impl<'f> IndexKeys<'f> {
    fn of(facts: &'f GatewayRouteFacts, hosts: &'f BTreeSet<Arc<str>>) -> Self {
        // A route without a parent that has listeners cannot conflict with another route.
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
            hashes.extend(self.facts.matches.iter().map(|match_key| half(hasher, (*scope, host, match_key))));
        }
        hashes
    }
}

/// Half of the hash of a host and a match, and of the parent for routes without hosts.
fn half(hasher: &DefaultHashBuilder, of: (Option<&ObjectRef>, &str, &str)) -> u32 {
    (hasher.hash_one(of) >> 32) as u32
}

/// The parent if it distinguishes routes: few routes of different parents name the same host, but many name none.
fn scope<'p>(parent: &'p ObjectRef, host: &str) -> Option<&'p ObjectRef> {
    host.is_empty().then_some(parent)
}

/// The hash that the table uses. The multiplication spreads the half over all 64 bits.
fn whole(half: u32) -> u64 {
    u64::from(half).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The hosts that a route names (labels in reverse order), each once; `None` for kinds without hosts.
fn hosts(facts: &GatewayRouteFacts) -> Option<BTreeSet<Arc<str>>> {
    if !matches!(facts.object_ref.kind, Kind::HttpRoute | Kind::GrpcRoute | Kind::TlsRoute) {
        return None;
    }
    let named = facts.hosts.iter().filter(|host| **host != Host::Any);
    Some(named.map(|host| Arc::from(host.from_the_right())).collect())
}

/// The parents of a route that serves every host, each once.
fn unnamed(facts: &GatewayRouteFacts) -> BTreeSet<&ObjectRef> {
    let is_unnamed = facts.hosts.is_empty() || facts.hosts.contains(&Host::Any);
    facts.parents.iter().filter(|_| is_unnamed).map(|parent| &parent.target).collect()
}
