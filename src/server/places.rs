//! Who may hold a connection when there are more peers than places.
//!
//! A flood of peers that never ask anything must not keep out the API server. So a connection is *unproven* until its
//! first request head is complete, and when all places are taken the oldest unproven connection makes room for the
//! newest. Connections that have proven themselves are never closed for another.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// The places of one server.
#[derive(Debug, Clone)]
pub struct Places {
    free: Arc<Semaphore>,
    unproven: Arc<Unproven>,
}

/// One connection's place; dropping it frees it.
#[derive(Debug)]
pub struct Place {
    number: u64,
    unproven: Arc<Unproven>,
    _permit: OwnedSemaphorePermit,
}

/// Resolves when the place that it came with is wanted by a newer connection; never, once that place is proven.
#[derive(Debug)]
pub struct Eviction(oneshot::Receiver<Evicted>);

#[derive(Debug)]
struct Evicted;

/// Unproven connections by age: numbers only grow, so the first key is the oldest.
#[derive(Debug, Default)]
struct Unproven(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    next: u64,
    waiting: BTreeMap<u64, oneshot::Sender<Evicted>>,
}

impl Places {
    /// Room for `connections` at once.
    pub fn new(connections: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(connections)), unproven: Arc::default() }
    }

    /// A place for a new connection. When none is free, the oldest unproven connection is told to go; when there is none
    /// of those either, this waits until somebody leaves.
    pub async fn take(&self) -> (Place, Eviction) {
        let permit = match self.free.clone().try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => {
                self.evict_oldest();
                self.free.clone().acquire_owned().await.expect("the semaphore is never closed")
            }
        };
        let (number, eviction) = self.unproven.enter();
        (Place { number, unproven: self.unproven.clone(), _permit: permit }, eviction)
    }

    /// Tells the oldest unproven connection, if there is one, to make room.
    pub fn evict_oldest(&self) {
        if let Some((_, oldest)) = self.unproven.lock().waiting.pop_first() {
            // An error means that the connection is leaving by itself, which serves as well.
            let _ = oldest.send(Evicted);
        }
    }
}

impl Place {
    /// The connection has sent a whole request head: from now on it is not closed for another.
    pub fn prove(&self) {
        self.unproven.leave(self.number);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.unproven.leave(self.number);
    }
}

impl Eviction {
    /// Waits until the connection is told to go.
    pub async fn wanted(self) {
        if self.0.await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Unproven {
    fn enter(&self) -> (u64, Eviction) {
        let (sender, receiver) = oneshot::channel();
        let mut queue = self.lock();
        let number = queue.next;
        queue.next += 1;
        queue.waiting.insert(number, sender);
        (number, Eviction(receiver))
    }

    fn leave(&self, number: u64) {
        self.lock().waiting.remove(&number);
    }

    /// The queue is whole after every statement, so a panic elsewhere cannot have left it half changed.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
