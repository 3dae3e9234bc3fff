//! The memory that all request bodies in flight share, and the choice of the body to drop when that memory runs out.
//!
//! Memory is allocated as bodies arrive. When none is left, an unfinished body is dropped: a slow one before one that
//! arrives in time, one of an unproven peer before one of a proven peer, and among equals one of the network and the
//! address with the most bytes. A complete body is never dropped. The last eighth of the memory is reserved for small
//! bodies, so that complete large bodies cannot occupy all of it.

use std::cmp::Reverse;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use slab::Slab;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::peers::{Peer, PeerTable};
use super::{Limits, Rejection};

/// Bodies with more than this many bytes are large.
const LARGE: usize = 1 << 20;

/// The memory that all bodies in flight share. Clones share the same memory.
#[derive(Debug, Clone)]
pub struct Budget(Arc<Ledger>);

/// The memory of one body, which is released when this is dropped.
#[derive(Debug)]
pub struct Allocation {
    ledger: Arc<Ledger>,
    number: usize,
    peer: Arc<Peer>,
    dropped: Arc<Notify>,
}

#[derive(Debug)]
struct Ledger {
    capacity: usize,
    slow_after: Duration,
    /// The peer of requests without a connection, such as those in tests of the handlers.
    unknown_peer: Arc<Peer>,
    accounts: Mutex<Accounts>,
    /// Notified when memory is released.
    freed: Notify,
}

#[derive(Debug, Default)]
struct Accounts {
    used: usize,
    /// Bytes of dropped bodies that have not been released yet.
    pending_release: usize,
    all: Slab<Account>,
}

#[derive(Debug)]
struct Account {
    peer: Arc<Peer>,
    bytes: usize,
    since: Instant,
    state: State,
    drop: Arc<Notify>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Arriving,
    Complete,
    Dropped,
}

/// The result of a request for more memory.
enum GrowOutcome {
    Granted,
    Refused,
    /// Another body was dropped and will release its memory soon.
    Wait,
}

impl Budget {
    /// A budget of `limits.in_flight` bytes.
    pub fn new(limits: &Limits) -> Self {
        Self(Arc::new(Ledger {
            capacity: limits.in_flight,
            slow_after: limits.slow_after,
            unknown_peer: PeerTable::default().peer(std::net::Ipv4Addr::UNSPECIFIED.into()),
            accounts: Mutex::default(),
            freed: Notify::new(),
        }))
    }

    /// Opens an empty allocation for a new body.
    pub fn open(&self, peer: Option<Arc<Peer>>) -> Allocation {
        let ledger = Arc::clone(&self.0);
        let (peer, dropped) = (peer.unwrap_or_else(|| Arc::clone(&ledger.unknown_peer)), Arc::new(Notify::new()));
        let account = Account {
            peer: Arc::clone(&peer),
            bytes: 0,
            since: Instant::now(),
            state: State::Arriving,
            drop: Arc::clone(&dropped),
        };
        let number = ledger.lock().all.insert(account);
        Allocation { ledger, number, peer, dropped }
    }

    /// The number of bytes that are allocated now.
    pub fn used(&self) -> usize {
        self.0.lock().used
    }
}

impl Allocation {
    /// Allocates `more` bytes, and drops other bodies if that is necessary and allowed.
    pub async fn grow(&self, more: usize) -> Result<(), Rejection> {
        loop {
            // Registered before the attempt, so that no release between the attempt and the wait is missed.
            let freed = self.ledger.freed.notified();
            let outcome = self.ledger.lock().try_grow(self.number, more, &self.ledger, Instant::now());
            match outcome {
                GrowOutcome::Granted => return Ok(()),
                GrowOutcome::Refused => return Err(Rejection::Busy),
                GrowOutcome::Wait => freed.await,
            }
        }
    }

    /// Marks the body as complete, so that it is no longer dropped.
    pub fn complete(&self) {
        if let Some(account) = self.ledger.lock().all.get_mut(self.number)
            && account.state == State::Arriving
        {
            account.state = State::Complete;
        }
    }

    /// Resolves when the body is dropped in favor of another one.
    pub async fn dropped(&self) {
        self.dropped.notified().await;
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        let mut accounts = self.ledger.lock();
        let Some(account) = accounts.all.try_remove(self.number) else { return };
        accounts.used -= account.bytes;
        if account.state == State::Dropped {
            accounts.pending_release -= account.bytes;
        }
        self.peer.released(account.bytes);
        drop(accounts);
        self.ledger.freed.notify_waiters();
    }
}

impl Ledger {
    /// Every change is finished before anything can panic, so a poisoned lock never guards inconsistent data.
    fn lock(&self) -> MutexGuard<'_, Accounts> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Accounts {
    fn try_grow(&mut self, number: usize, more: usize, ledger: &Ledger, now: Instant) -> GrowOutcome {
        let Some(account) = self.all.get_mut(number) else { return GrowOutcome::Refused };
        let is_large = account.bytes + more > LARGE;
        let room = if is_large { ledger.capacity - ledger.capacity / 8 } else { ledger.capacity };
        if self.used + more <= room {
            account.bytes += more;
            account.peer.allocated(more);
            self.used += more;
            return GrowOutcome::Granted;
        }
        if account.state == State::Dropped {
            return GrowOutcome::Refused;
        }
        while self.used - self.pending_release + more > room {
            if !self.drop_one(number, more, ledger.slow_after, now) {
                return GrowOutcome::Refused;
            }
        }
        GrowOutcome::Wait
    }

    /// Drops the body with the lowest priority. Returns `false` if that is the requesting body itself, or a body of the
    /// same peer that arrives in time.
    fn drop_one(&mut self, requester: usize, more: usize, slow_after: Duration, now: Instant) -> bool {
        let Some(requesting_peer) = self.all.get(requester).map(|account| Arc::clone(&account.peer)) else {
            return false;
        };
        let arriving = self.all.iter().filter(|(_, account)| account.state == State::Arriving);
        let arriving = arriving.filter_map(|(number, account)| {
            let requested = if number == requester { more } else { 0 };
            let bytes = account.bytes + requested;
            let weight = account.peer.bytes_if(&requesting_peer, more);
            let order =
                (Reverse(account.peer.priority(account.since, slow_after, now)), weight, bytes, Reverse(account.since));
            (bytes > 0).then_some((order, number))
        });
        let Some(((Reverse(priority), ..), number)) = arriving.max() else { return false };
        let Some(account) = self.all.get_mut(number) else { return false };
        if number == requester || (priority.is_in_time() && Arc::ptr_eq(&account.peer, &requesting_peer)) {
            return false;
        }
        account.state = State::Dropped;
        account.drop.notify_one();
        self.pending_release += account.bytes;
        true
    }
}
