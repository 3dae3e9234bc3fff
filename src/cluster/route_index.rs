//! The routes with hosts by parent, host and match: what finds those that contradict another without looking at the rest.

use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::hash_table::OccupiedEntry;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::gateway_facts::GatewayRouteFacts;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

/// A route of a kind under one of its hosts, read from the right.
type Named = (Kind, Arc<str>, Arc<ObjectRef>);

type Slot = u32;

/// HTTPRoutes, GRPCRoutes and TLSRoutes, by what they refer to.
#[derive(Debug, Default)]
pub struct RouteIndex {
    /// By parent and section; an empty section is the whole parent, an empty host every host.
    named: HashMap<ObjectRef, HashMap<Box<str>, BTreeSet<Named>>>,
    /// Slots under the hash of host and match, for every host of parent and match, of which there are many: half of it is kept, so that a
    /// growing table need not make it again.
    matched: HashTable<(u32, Slot)>,
    slots: Vec<Option<Arc<ObjectRef>>>,
    free: Vec<Slot>,
    slot_of: HashMap<Arc<ObjectRef>, Slot>,
    hasher: DefaultHashBuilder,
    /// Those that lead to other routes.
    delegating: BTreeSet<Arc<ObjectRef>>,
}

impl RouteIndex {
    /// Enters a route.
    pub fn enter(&mut self, facts: &GatewayRouteFacts) {
        let Some(hosts) = hosts(facts) else { return };
        let place = Arc::new(facts.place.clone());
        for parent in &facts.parents {
            let sections = self.named.entry(parent.target.clone()).or_default();
            let named = sections.entry(parent.section.clone().unwrap_or_default()).or_default();
            named.extend(hosts.iter().map(|host| (place.kind, Arc::clone(host), Arc::clone(&place))));
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            Slot::try_from(self.slots.len() - 1).expect("fewer than 2^32 routes fit in memory")
        });
        for half in self.hashes(facts, &hosts) {
            self.matched.insert_unique(whole(half), (half, slot), |(half, _)| whole(*half));
        }
        self.slots[slot as usize] = Some(Arc::clone(&place));
        if facts.delegates {
            self.delegating.insert(Arc::clone(&place));
        }
        self.slot_of.insert(place, slot);
    }

    /// Takes out a route that was entered with these facts.
    pub fn leave(&mut self, facts: &GatewayRouteFacts) {
        let Some(hosts) = hosts(facts) else { return };
        let place = Arc::new(facts.place.clone());
        for parent in &facts.parents {
            let Some(sections) = self.named.get_mut(&parent.target) else { continue };
            let section = parent.section.as_deref().unwrap_or_default();
            let Some(named) = sections.get_mut(section) else { continue };
            for host in &hosts {
                named.remove(&(place.kind, Arc::clone(host), Arc::clone(&place)));
            }
            if named.is_empty() {
                sections.remove(section);
            }
            if sections.is_empty() {
                self.named.remove(&parent.target);
            }
        }
        self.delegating.remove(&place);
        let Some(slot) = self.slot_of.remove(&facts.place) else { return };
        for half in self.hashes(facts, &hosts) {
            let entry = self.matched.find_entry(whole(half), |entry| *entry == (half, slot));
            drop(entry.map(OccupiedEntry::remove));
        }
        self.slots[slot as usize] = None;
        self.free.push(slot);
    }

    /// The routes that lead to other routes.
    pub fn delegating(&self) -> impl Iterator<Item = &ObjectRef> {
        self.delegating.iter().map(|place| &**place)
    }

    /// The routes of `kind` that refer to a section of a parent and name just this host, by place.
    pub fn with_host(
        &self,
        (parent, section): (&ObjectRef, &str),
        kind: Kind,
        host: &Host<'_>,
    ) -> impl Iterator<Item = &ObjectRef> {
        let host = Arc::<str>::from(host.from_the_right());
        let named = self.from((parent, section), kind, Arc::clone(&host));
        named.take_while(move |(own, name, _)| *own == kind && *name == host).map(|(.., place)| &**place)
    }

    /// The routes of `kind` that refer to a section of a parent and name a host that `host`, every host or a wildcard, covers, itself
    /// included, by host; a route comes once for each.
    pub fn covered(
        &self,
        (parent, section): (&ObjectRef, &str),
        kind: Kind,
        host: &Host<'_>,
    ) -> impl Iterator<Item = &ObjectRef> {
        host.prefix_of_covered().into_iter().flat_map(move |prefix| {
            let named = self.from((parent, section), kind, prefix.as_str().into());
            let is_covered = move |(own, name, _): &&Named| *own == kind && name.starts_with(&prefix);
            named.take_while(is_covered).map(|(.., place)| &**place)
        })
    }

    /// The routes that name just this host, read from the right, and ask for just this, in no order; of those that name none the ones that
    /// refer to `parent`. Half a hash decides: whoever must be certain looks at the facts.
    pub fn with_match(&self, parent: &ObjectRef, host: &str, asked: &str) -> impl Iterator<Item = &ObjectRef> {
        let half = self.half((scope(parent, host), host, asked));
        let slots = self.matched.iter_hash(whole(half)).filter(move |(own, _)| *own == half).map(|(_, slot)| *slot);
        slots.filter_map(|slot| self.slots.get(slot as usize)?.as_deref())
    }

    /// What is entered for a section from this kind and host on.
    fn from(&self, (parent, section): (&ObjectRef, &str), kind: Kind, host: Arc<str>) -> impl Iterator<Item = &Named> {
        let named = self.named.get(parent).and_then(|sections| sections.get(section));
        let first = ObjectRef { kind: Kind::ALL[0], namespace: String::new(), name: String::new() };
        let from = (kind, host, Arc::new(first));
        named.into_iter().flat_map(move |named| named.range(&from..))
    }

    /// Half the hash of a host and a match, with the parent where that is every host.
    fn half(&self, of: (Option<&ObjectRef>, &str, &str)) -> u32 {
        (self.hasher.hash_one(of) >> 32) as u32
    }

    /// Half the hash of each host with each match.
    fn hashes(&self, facts: &GatewayRouteFacts, hosts: &BTreeSet<Arc<str>>) -> Vec<u32> {
        let parents: BTreeSet<_> = facts.parents.iter().map(|parent| &parent.target).collect();
        let mut hashes = Vec::with_capacity(hosts.len() * facts.matches.len());
        for host in hosts {
            // Whoever refers to no parent with listeners is nobody's rival.
            let scopes: BTreeSet<_> = parents.iter().map(|parent| scope(parent, host)).collect();
            for scope in scopes {
                hashes.extend(facts.matches.iter().map(|asked| self.half((scope, host, asked))));
            }
        }
        hashes
    }
}

/// The parent where that tells routes apart: few routes of different parents name one host, but many name none.
fn scope<'p>(parent: &'p ObjectRef, host: &str) -> Option<&'p ObjectRef> {
    host.is_empty().then_some(parent)
}

/// What the table goes by: all of its bits tell hashes apart.
fn whole(half: u32) -> u64 {
    u64::from(half).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The hosts of a route, read from the right, each once: every host where it names none. `None` for routes that have no hosts.
fn hosts(facts: &GatewayRouteFacts) -> Option<BTreeSet<Arc<str>>> {
    if !matches!(facts.place.kind, Kind::HttpRoute | Kind::GrpcRoute | Kind::TlsRoute) {
        return None;
    }
    let named: BTreeSet<_> = facts.hosts.iter().map(|host| Arc::from(host.from_the_right())).collect();
    Some(if named.is_empty() { BTreeSet::from([Arc::from("")]) } else { named })
}
