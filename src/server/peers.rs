//! What is remembered about client addresses: what they hold now, and when they last sent a complete review.
//!
//! This is heuristic knowledge for one purpose: to choose which connection or body to drop when connections or memory
//! run out. An address is *proven* for some time after it sent a complete review. Every client that reaches the port
//! can become proven, so this only gives an address priority over those that never completed a review. Among equals,
//! the network that holds most loses first, and within it the address that holds most.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long an address stays proven. The API server of a quiet cluster may send nothing for minutes.
const PROVEN: Duration = Duration::from_secs(300);
/// The number of addresses at which those that hold nothing begin to be forgotten.
const REMEMBERED: usize = 4096;

/// All addresses that one server remembers. Clones share the same table.
#[derive(Debug, Clone)]
pub struct PeerTable {
    start: Instant,
    maps: Arc<Mutex<AddressMaps>>,
}

#[derive(Debug, Default)]
struct AddressMaps {
    peers: HashMap<IpAddr, Arc<Peer>>,
    networks: HashMap<IpAddr, Arc<Usage>>,
}

/// One client address.
#[derive(Debug)]
pub struct Peer {
    start: Instant,
    /// Milliseconds from `start` to the last complete review, plus one. Zero means that there was none.
    last_review: AtomicU64,
    /// What the address holds.
    pub own: Usage,
    /// What the /24 or /64 network of the address holds.
    pub network: Arc<Usage>,
}

/// The connections and body bytes that an address or a network holds.
#[derive(Debug, Default)]
pub struct Usage {
    connections: AtomicUsize,
    bytes: AtomicUsize,
}

/// How much of one resource a peer holds. The greatest weight loses first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weight {
    network: usize,
    own: usize,
}

/// The priority of a connection or an unfinished body. The lowest one loses first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RetentionPriority {
    /// Slow, of an unproven peer; or an idle connection of an unproven peer.
    UnprovenSlow,
    /// Slow, of a proven peer.
    ProvenSlow,
    /// In time, of an unproven peer.
    UnprovenInTime,
    /// In time, of a proven peer.
    ProvenInTime,
    /// An idle connection of a proven peer.
    ProvenIdle,
}

impl RetentionPriority {
    /// Whether a connection or a body with this priority is not slow.
    pub fn is_in_time(self) -> bool {
        self >= Self::UnprovenInTime
    }
}

impl Default for PeerTable {
    fn default() -> Self {
        Self { start: Instant::now(), maps: Arc::default() }
    }
}

impl PeerTable {
    /// The peer with this address.
    pub fn peer(&self, address: IpAddr) -> Arc<Peer> {
        let address = address.to_canonical();
        let mut maps = self.maps.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(peer) = maps.peers.get(&address) {
            return Arc::clone(peer);
        }
        if maps.peers.len() >= REMEMBERED {
            maps.forget();
        }
        let network = Arc::clone(maps.networks.entry(network(address)).or_default());
        let (start, last_review, own) = (self.start, AtomicU64::new(0), Usage::default());
        let peer = Arc::new(Peer { start, last_review, own, network });
        maps.peers.insert(address, Arc::clone(&peer));
        peer
    }
}

impl AddressMaps {
    /// Forgets the half of the unused addresses with the oldest last reviews.
    fn forget(&mut self) {
        let idle = |peer: &Arc<Peer>| Arc::strong_count(peer) == 1;
        let last_review = |peer: &Arc<Peer>| peer.last_review.load(Ordering::Relaxed);
        let mut last: Vec<u64> = self.peers.values().filter(|peer| idle(peer)).map(last_review).collect();
        let middle = last.len() / 2;
        if middle == 0 {
            return;
        }
        let (_, median, _) = last.select_nth_unstable(middle);
        let median = *median;
        self.peers.retain(|_, peer| !idle(peer) || last_review(peer) > median);
        self.networks.retain(|_, network| Arc::strong_count(network) > 1);
    }
}

/// The /24 or /64 network of an address, in which one tenant can usually choose addresses freely.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() & (!0 << 8)).into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (!0 << 64)).into(),
    }
}

impl Peer {
    /// Records that a complete review of this peer was answered.
    pub fn reviewed(&self, now: Instant) {
        self.last_review.store(self.milliseconds(now).saturating_add(1), Ordering::Relaxed);
    }

    /// Whether this peer sent a complete review recently.
    pub fn is_proven(&self, now: Instant) -> bool {
        let last = self.last_review.load(Ordering::Relaxed);
        let age = self.milliseconds(now).saturating_sub(last.saturating_sub(1));
        last > 0 && u128::from(age) < PROVEN.as_millis()
    }

    /// The priority of a connection or a body that this peer began at `since` and has not finished. It is slow after
    /// `slow_after`.
    pub fn priority(&self, since: Instant, slow_after: Duration, now: Instant) -> RetentionPriority {
        let is_slow = now.saturating_duration_since(since) >= slow_after;
        match (is_slow, self.is_proven(now)) {
            (true, false) => RetentionPriority::UnprovenSlow,
            (true, true) => RetentionPriority::ProvenSlow,
            (false, false) => RetentionPriority::UnprovenInTime,
            (false, true) => RetentionPriority::ProvenInTime,
        }
    }

    /// The priority of an idle connection, however long it has been idle.
    pub fn idle_priority(&self, now: Instant) -> RetentionPriority {
        if self.is_proven(now) { RetentionPriority::ProvenIdle } else { RetentionPriority::UnprovenSlow }
    }

    /// The number of connections of this peer and of its network.
    pub fn connections(&self) -> Weight {
        self.weight(|holdings| &holdings.connections)
    }

    /// The bytes of bodies that this peer and its network would hold if `other` allocated `more`.
    pub fn bytes_if(&self, other: &Self, more: usize) -> Weight {
        let Weight { network, own } = self.weight(|holdings| &holdings.bytes);
        let if_same = |same: bool| if same { more } else { 0 };
        Weight {
            network: network + if_same(Arc::ptr_eq(&self.network, &other.network)),
            own: own + if_same(std::ptr::eq(self, other)),
        }
    }

    /// Counts a new connection.
    pub fn connected(&self) {
        self.both().into_iter().for_each(|holdings| {
            holdings.connections.fetch_add(1, Ordering::Relaxed);
        });
    }

    /// Counts a closed connection.
    pub fn disconnected(&self) {
        self.both().into_iter().for_each(|holdings| {
            holdings.connections.fetch_sub(1, Ordering::Relaxed);
        });
    }

    /// Counts allocated bytes of a body.
    pub fn allocated(&self, bytes: usize) {
        self.both().into_iter().for_each(|holdings| {
            holdings.bytes.fetch_add(bytes, Ordering::Relaxed);
        });
    }

    /// Counts released bytes of a body.
    pub fn released(&self, bytes: usize) {
        self.both().into_iter().for_each(|holdings| {
            holdings.bytes.fetch_sub(bytes, Ordering::Relaxed);
        });
    }

    fn both(&self) -> [&Usage; 2] {
        [&self.own, &self.network]
    }

    fn weight(&self, part: impl Fn(&Usage) -> &AtomicUsize) -> Weight {
        let [own, network] = self.both().map(|holdings| part(holdings).load(Ordering::Relaxed));
        Weight { network, own }
    }

    fn milliseconds(&self, now: Instant) -> u64 {
        u64::try_from(now.saturating_duration_since(self.start).as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_proven_for_some_time_after_a_review() {
        let (table, now) = (PeerTable::default(), Instant::now());
        let peer = table.peer(Ipv4Addr::LOCALHOST.into());
        assert!(!peer.is_proven(now));
        peer.reviewed(now);
        assert!(table.peer(Ipv4Addr::LOCALHOST.into()).is_proven(now + PROVEN / 2));
        assert!(!peer.is_proven(now + 2 * PROVEN));
    }

    #[test]
    fn networks_are_24_and_64() {
        let same = |a: &str, b: &str| {
            let table = PeerTable::default();
            let [a, b] = [a, b].map(|text| table.peer(text.parse().expect("an address")));
            a.connected();
            b.connections() == Weight { network: 1, own: 0 }
        };
        assert!(same("10.1.2.3", "10.1.2.200") && same("fd00::1:2", "fd00::ffff:0:0:1"));
        assert!(!same("10.1.2.3", "10.1.3.3") && !same("fd00::1", "fd00:0:0:1::1"));
        assert!(same("::ffff:10.1.2.3", "10.1.2.4"), "a mapped address is the one that it maps");
    }

    #[test]
    fn peers_without_connections_are_forgotten_first() {
        let table = PeerTable::default();
        let address = |number: usize| IpAddr::from(Ipv4Addr::from_bits(0x0a00_0000 + number as u32 * 256));
        let (kept, now) = (table.peer(address(0)), Instant::now());
        let proven = Arc::downgrade(&table.peer(address(1)));
        proven.upgrade().expect("it is remembered").reviewed(now);
        (2..REMEMBERED + 2).for_each(|number| drop(table.peer(address(number))));
        let maps = table.maps.lock().expect("nothing panicked");
        assert!(maps.peers.len() < REMEMBERED && maps.networks.len() == maps.peers.len());
        assert!(maps.peers.contains_key(&address(0)) && proven.upgrade().is_some());
        drop(kept);
    }
}
