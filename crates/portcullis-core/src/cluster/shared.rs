//! The view that watches change while reviews ask it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::{Cluster, Event, Overlay};
use crate::kinds::ObjectRef;

/// How many entries of objects one hold of the lock takes in; each event counts as one more.
const BATCH: usize = 4096;

/// A [`Cluster`] behind a lock. A panic of a writer leaves at worst one change half done, so that the view stays usable.
#[derive(Debug, Default)]
pub struct SharedCluster {
    cluster: RwLock<Cluster>,
    /// How many writers wait for the lock, or hold it.
    writers: AtomicUsize,
}

impl SharedCluster {
    /// A view that begins as `cluster`.
    pub fn new(cluster: Cluster) -> Self {
        Self { cluster: RwLock::new(cluster), writers: AtomicUsize::new(0) }
    }

    /// The view, locked against changes.
    pub fn read(&self) -> RwLockReadGuard<'_, Cluster> {
        self.cluster.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes one change of the view.
    pub fn change<T>(&self, change: impl FnOnce(&mut Cluster) -> T) -> T {
        let _waiting = Waiting::new(&self.writers);
        let mut cluster: RwLockWriteGuard<'_, _> = self.cluster.write().unwrap_or_else(PoisonError::into_inner);
        change(&mut cluster)
    }

    /// Takes in many events, a batch at a time, so that no review waits for all of them.
    pub fn apply(&self, events: Vec<Event>) {
        let mut events = events.into_iter().peekable();
        while events.peek().is_some() {
            self.change(|cluster| {
                let mut taken = 0;
                while taken < BATCH
                    && let Some(event) = events.next()
                {
                    taken += 1 + event.entries();
                    cluster.apply(event);
                }
            });
        }
    }

    /// Whether a writer waits for the lock.
    pub fn has_waiting_writer(&self) -> bool {
        self.writers.load(Ordering::Relaxed) > 0
    }
}

/// Counts a writer from before it waits until its change is made.
struct Waiting<'w>(&'w AtomicUsize);

impl<'w> Waiting<'w> {
    fn new(writers: &'w AtomicUsize) -> Self {
        writers.fetch_add(1, Ordering::Relaxed);
        Self(writers)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What a review asks of the cluster. Between two checks it gives the view back if somebody waits for it, so that no review delays the
/// others by more than one check.
pub trait View {
    /// Lets `ask` have the view, as it is now.
    fn look(&self, ask: &mut dyn FnMut(&Overlay<'_>));

    /// Whether the view should be given back soon.
    fn is_wanted(&self) -> bool;
}

/// A view that nobody else waits for.
impl View for Overlay<'_> {
    fn look(&self, ask: &mut dyn FnMut(&Overlay<'_>)) {
        ask(self);
    }

    fn is_wanted(&self) -> bool {
        false
    }
}

/// A shared view, seen from one object.
#[derive(Debug, Clone, Copy)]
pub struct SharedView<'v> {
    /// The view.
    pub cluster: &'v SharedCluster,
    /// Where the object under review is.
    pub this: &'v ObjectRef,
    /// Objects that were admitted and are not shown yet, if they count.
    pub reserved: Option<&'v Cluster>,
}

impl View for SharedView<'_> {
    fn look(&self, ask: &mut dyn FnMut(&Overlay<'_>)) {
        let cluster = self.cluster.read();
        let overlay = Overlay::new(&cluster, self.this);
        match self.reserved {
            Some(reserved) => ask(&overlay.with_reserved(reserved)),
            None => ask(&overlay),
        }
    }

    fn is_wanted(&self) -> bool {
        self.cluster.has_waiting_writer()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use super::*;
    use crate::cluster::SyncState;
    use crate::kinds::Kind;

    #[test]
    fn a_waiting_writer_is_known_until_its_change_is_made() {
        let shared = SharedCluster::new(Cluster::with(SyncState::NotSynced));
        let (learned, is_done) = (Event::SyncState(Kind::Ingress, SyncState::Complete), AtomicBool::new(false));
        thread::scope(|scope| {
            let view = shared.read();
            assert!(!shared.has_waiting_writer());
            scope.spawn(|| {
                shared.apply(vec![learned]);
                is_done.store(true, Ordering::SeqCst);
            });
            while !shared.has_waiting_writer() {
                thread::yield_now();
            }
            assert_eq!((view.knowledge(Kind::Ingress), is_done.load(Ordering::SeqCst)), (SyncState::NotSynced, false));
        });
        assert_eq!((shared.read().knowledge(Kind::Ingress), shared.has_waiting_writer()), (SyncState::Complete, false));
    }
}
