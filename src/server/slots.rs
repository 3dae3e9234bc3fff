//! Decides which connections may exist when there are more peers than slots.
//!
//! As long as slots are free, no connection is limited. When none is free, a new connection takes the slot of the
//! evictable one with the lowest [`RetentionPriority`], so a flood displaces its own connections, whether its peers
//! send nothing, never finish a request, or stay idle after one. A connection is never evicted while its complete
//! request is being evaluated, nor while a proven peer sends a request in time.

use std::cmp::Reverse;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use slab::Slab;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep};

use super::Limits;
use super::peers::{Peer, PeerTable, RetentionPriority, Weight};

/// How often to look for a connection that has become slow while none can be evicted.
const LOOK: Duration = Duration::from_millis(100);

/// The connections that one server may hold.
#[derive(Debug)]
pub struct ConnectionLimiter {
    free: Arc<Semaphore>,
    slow_after: Duration,
    peers: PeerTable,
    slots: Arc<Slots>,
}

/// The slot of one connection, which becomes free when this is dropped.
#[derive(Debug)]
pub struct ConnectionSlot {
    number: usize,
    peer: Arc<Peer>,
    slots: Arc<Slots>,
    _permit: OwnedSemaphorePermit,
}

/// Resolves when the slot is needed for another connection.
#[derive(Debug)]
pub struct Eviction(Arc<Notify>);

/// What a connection is doing, as far as it matters for eviction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotState {
    /// No request head has arrived yet.
    AwaitingFirstHead,
    /// A request has begun and is not complete.
    Receiving,
    /// A request is complete and is being evaluated.
    Answering,
    /// The response is being written.
    Sending,
    /// The response is written and the next request has not begun.
    Idle,
    /// The connection is being closed to make room for another one.
    Evicted,
}

#[derive(Debug, Default)]
struct Slots {
    table: Mutex<Table>,
    /// Notified when a connection becomes evictable.
    evictable: Notify,
}

#[derive(Debug, Default)]
struct Table {
    entries: Slab<Entry>,
}

#[derive(Debug)]
struct Entry {
    peer: Arc<Peer>,
    state: SlotState,
    since: Instant,
    evict: Arc<Notify>,
}

impl ConnectionLimiter {
    /// As many slots as `limits` allow.
    pub fn new(limits: &Limits) -> Self {
        Self {
            free: Arc::new(Semaphore::new(limits.connections)),
            slow_after: limits.slow_after,
            peers: PeerTable::default(),
            slots: Arc::default(),
        }
    }

    /// Assigns a slot to a new connection from `address`, after evicting another connection if necessary. Waits while
    /// none can be evicted.
    pub async fn take(&self, address: IpAddr) -> (ConnectionSlot, Eviction) {
        let permit = self.permit().await;
        let (peer, evict) = (self.peers.peer(address), Arc::new(Notify::new()));
        peer.connected();
        let (state, since) = (SlotState::AwaitingFirstHead, Instant::now());
        let entry = Entry { peer: Arc::clone(&peer), state, since, evict: Arc::clone(&evict) };
        let number = self.slots.lock().entries.insert(entry);
        (ConnectionSlot { number, peer, slots: Arc::clone(&self.slots), _permit: permit }, Eviction(evict))
    }

    async fn permit(&self) -> OwnedSemaphorePermit {
        let acquire = || Arc::clone(&self.free).acquire_owned();
        loop {
            if let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() {
                return permit;
            }
            if self.evict() {
                return acquire().await.expect("the semaphore is never closed");
            }
            tokio::select! {
                permit = acquire() => return permit.expect("the semaphore is never closed"),
                () = self.slots.evictable.notified() => {}
                () = sleep(LOOK) => {}
            }
        }
    }

    /// Evicts one connection and returns whether there was one that could be evicted.
    pub fn evict(&self) -> bool {
        self.slots.lock().evict(Instant::now(), self.slow_after)
    }
}

impl ConnectionSlot {
    /// The peer of the connection.
    pub fn peer(&self) -> &Arc<Peer> {
        &self.peer
    }

    /// Records that the connection is in `state` since `now`.
    pub fn enter(&self, state: SlotState, now: Instant) {
        let mut table = self.slots.lock();
        let Some(entry) = table.entries.get_mut(self.number) else { return };
        if entry.state != SlotState::Evicted && entry.state != state {
            (entry.state, entry.since) = (state, now);
            drop(table);
            if state == SlotState::Idle {
                self.slots.evictable.notify_one();
            }
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.peer.disconnected();
        self.slots.lock().entries.try_remove(self.number);
    }
}

impl Eviction {
    /// Waits until the connection must close.
    pub async fn wanted(self) {
        self.0.notified().await;
    }
}

impl Slots {
    /// Every change of the table is finished before anything can panic, so a poisoned lock never guards inconsistent
    /// data.
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn evict(&mut self, now: Instant, slow_after: Duration) -> bool {
        let entries = self.entries.iter_mut().map(|(_, entry)| entry);
        let evictable = entries.filter_map(|entry| Some((entry.order(now, slow_after)?, entry)));
        let Some((_, entry)) = evictable.max_by_key(|(order, _)| *order) else { return false };
        entry.state = SlotState::Evicted;
        entry.evict.notify_one();
        true
    }
}

impl Entry {
    /// The entry with the greatest order is evicted first: the lowest priority, then the network and the address with
    /// the most connections, then the longest time in its state. `None` if the connection must not be evicted.
    fn order(
        &self,
        now: Instant,
        slow_after: Duration,
    ) -> Option<(Reverse<RetentionPriority>, Weight, Reverse<Instant>)> {
        let priority = self.priority(now, slow_after)?;
        Some((Reverse(priority), self.peer.connections(), Reverse(self.since)))
    }

    /// The priority of the connection; `None` if it must not be evicted.
    fn priority(&self, now: Instant, slow_after: Duration) -> Option<RetentionPriority> {
        let priority = match self.state {
            SlotState::Answering | SlotState::Evicted => return None,
            SlotState::Idle => self.peer.idle_priority(now),
            SlotState::AwaitingFirstHead | SlotState::Receiving | SlotState::Sending => {
                self.peer.priority(self.since, slow_after, now)
            }
        };
        let is_evictable = match priority {
            RetentionPriority::UnprovenSlow | RetentionPriority::ProvenSlow | RetentionPriority::ProvenIdle => true,
            RetentionPriority::UnprovenInTime => self.state != SlotState::Sending,
            RetentionPriority::ProvenInTime => self.state == SlotState::AwaitingFirstHead,
        };
        is_evictable.then_some(priority)
    }
}
