//! Who may hold a connection when there are more peers than places.
//!
//! A flood must not keep out the API server, whether its peers say nothing or ask once and then sit there. So every
//! connection that nobody waits for can be told to go, and in this order: first those that are *unproven*, which have
//! not sent one whole request head; then those that are *idle* between two requests. Of either, the peer (one source
//! address) that has the most loses the one that has been so for the longest: a flood from one place pushes out itself,
//! and the pool of an API server is small beside it. A request that has begun is never cut off for another; instead one
//! peer may hold only a share of all places, so that requests that never end cannot take them all.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::Limits;

/// The places of one server.
#[derive(Debug)]
pub struct Places {
    free: Arc<Semaphore>,
    share: usize,
    seats: Arc<Seats>,
}

/// One connection's place; dropping it frees it.
#[derive(Debug)]
pub struct Place {
    peer: IpAddr,
    standing: Standing,
    call: Arc<Notify>,
    seats: Arc<Seats>,
    _permit: OwnedSemaphorePermit,
}

/// Resolves when the place that it came with is wanted by a newer connection.
#[derive(Debug)]
pub struct Eviction(Arc<Notify>);

/// Why a connection can be told to go; the first go first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rank {
    Unproven,
    Idle,
}

/// How a connection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It can be told to go, and has this number in the queue of its peer; told to go, it is there no more.
    Dispensable(Rank, u64),
    /// Somebody waits for it.
    Busy,
}

/// Who holds a place and can be told to go.
#[derive(Debug, Default)]
struct Seats {
    book: Mutex<Book>,
    /// A connection can be told to go that could not before.
    freed: Notify,
}

#[derive(Debug, Default)]
struct Book {
    next: u64,
    peers: HashMap<IpAddr, Peer>,
}

/// The connections of one peer. Numbers only grow, so the first key of a queue has waited for the longest.
#[derive(Debug, Default)]
struct Peer {
    unproven: BTreeMap<u64, Arc<Notify>>,
    idle: BTreeMap<u64, Arc<Notify>>,
    busy: usize,
}

impl Places {
    /// Room for `limits.connections` at once, of which one peer has `limits.peer_connections`.
    pub fn new(limits: &Limits) -> Self {
        let free = Arc::new(Semaphore::new(limits.connections));
        Self { free, share: limits.peer_connections, seats: Arc::default() }
    }

    /// A place for a new connection from `peer`; `None` where that peer holds its share and is busy with all of it. When no
    /// place is free, somebody is told to go; as long as everybody is busy, this waits.
    pub async fn take(&self, peer: IpAddr) -> Option<(Place, Eviction)> {
        // An IPv4 peer of an IPv6 socket is the same peer.
        let peer = peer.to_canonical();
        if !self.seats.lock().keep_share(peer, self.share) {
            return None;
        }
        let permit = self.permit().await;
        let call = Arc::new(Notify::new());
        let standing = self.seats.lock().queue(peer, Rank::Unproven, &call);
        let place = Place { peer, standing, call: Arc::clone(&call), seats: Arc::clone(&self.seats), _permit: permit };
        Some((place, Eviction(call)))
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
                () = self.seats.freed.notified() => {}
            }
        }
    }

    /// Tells one connection to make room, if any can be told; whether one was.
    pub fn evict(&self) -> bool {
        self.seats.lock().evict()
    }
}

impl Place {
    /// A request has begun, or its head is complete: until it is answered, nobody is told to go from here.
    pub fn busy(&mut self) {
        if let Standing::Dispensable(rank, number) = self.standing {
            let mut book = self.seats.lock();
            let peer = book.peers.entry(self.peer).or_default();
            // Who was told to go already is counted no more.
            if peer.queue(rank).remove(&number).is_some() {
                peer.busy += 1;
                self.standing = Standing::Busy;
            }
        }
    }

    /// The answer is written: until the next request, this place can be wanted.
    pub fn idle(&mut self) {
        if self.standing == Standing::Busy {
            let mut book = self.seats.lock();
            book.peers.entry(self.peer).or_default().busy -= 1;
            self.standing = book.queue(self.peer, Rank::Idle, &self.call);
            drop(book);
            self.seats.freed.notify_one();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut book = self.seats.lock();
        let Some(peer) = book.peers.get_mut(&self.peer) else { return };
        match self.standing {
            Standing::Dispensable(rank, number) => drop(peer.queue(rank).remove(&number)),
            Standing::Busy => peer.busy -= 1,
        }
        if peer.holds() == 0 {
            book.peers.remove(&self.peer);
        }
    }
}

impl Eviction {
    /// Waits until the connection is told to go.
    pub async fn wanted(self) {
        self.0.notified().await;
    }
}

impl Seats {
    /// Every change of the book is whole before anything can panic, so a panic elsewhere cannot have left it half changed.
    fn lock(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    fn queue(&mut self, peer: IpAddr, rank: Rank, call: &Arc<Notify>) -> Standing {
        let number = self.next;
        self.next += 1;
        self.peers.entry(peer).or_default().queue(rank).insert(number, Arc::clone(call));
        Standing::Dispensable(rank, number)
    }

    /// Makes sure that `peer` holds less than `share` places, if need be by telling one of its own to go.
    fn keep_share(&mut self, peer: IpAddr, share: usize) -> bool {
        match self.peers.get_mut(&peer) {
            Some(peer) if peer.holds() >= share => peer.evict(Rank::Unproven) || peer.evict(Rank::Idle),
            _ => true,
        }
    }

    /// Tells one connection to go, of the peer that can best do without.
    fn evict(&mut self) -> bool {
        [Rank::Unproven, Rank::Idle].into_iter().any(|rank| {
            let most = self.peers.values_mut().max_by_key(|peer| peer.count(rank));
            most.is_some_and(|peer| peer.evict(rank))
        })
    }
}

impl Peer {
    fn queue(&mut self, rank: Rank) -> &mut BTreeMap<u64, Arc<Notify>> {
        match rank {
            Rank::Unproven => &mut self.unproven,
            Rank::Idle => &mut self.idle,
        }
    }

    fn count(&self, rank: Rank) -> usize {
        match rank {
            Rank::Unproven => self.unproven.len(),
            Rank::Idle => self.idle.len(),
        }
    }

    fn holds(&self) -> usize {
        self.unproven.len() + self.idle.len() + self.busy
    }

    /// Tells the connection to go that has been of this rank for the longest.
    fn evict(&mut self, rank: Rank) -> bool {
        let longest = self.queue(rank).pop_first();
        longest.inspect(|(_, call)| call.notify_one()).is_some()
    }
}
