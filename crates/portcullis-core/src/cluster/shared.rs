//! The view that watches change while reviews read it.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{RwLock, RwLockReadGuard};

use super::{Cluster, Event, Overlay};
use crate::kinds::ObjectRef;

/// The number of object entries that are applied while the write lock is held once. Each event counts as one more.
const BATCH: usize = 4096;

/// A [`Cluster`] behind a lock that is fair: a review that releases the view and asks for it again waits for the writers
/// that came before. A panic of a writer leaves at worst one incomplete change, so the view stays usable.
#[derive(Debug, Default)]
pub struct SharedCluster {
    cluster: RwLock<Cluster>,
    /// The number of writers that wait for the lock or hold it.
    writers: AtomicUsize,
    listener: OnceLock<Listener>,
}

/// Called after events are applied.
struct Listener(Box<dyn Fn() + Send + Sync>);

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

impl SharedCluster {
    /// Returns a view with the initial state `cluster`.
    pub fn new(cluster: Cluster) -> Self {
        Self { cluster: RwLock::new(cluster), writers: AtomicUsize::new(0), listener: OnceLock::new() }
    }

    /// The view, locked against changes.
    pub fn read(&self) -> RwLockReadGuard<'_, Cluster> {
        self.cluster.read()
    }

    /// Makes one change to the view.
    pub fn change<T>(&self, change: impl FnOnce(&mut Cluster) -> T) -> T {
        let _waiting = Waiting::new(&self.writers);
        change(&mut self.cluster.write())
    }

    /// Applies many events in batches, so that no review waits for all of them.
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
        if let Some(Listener(listener)) = self.listener.get() {
            listener();
        }
    }

    /// Sets what is called after events are applied, without a lock. Only the first call has an effect.
    pub fn set_listener(&self, listener: impl Fn() + Send + Sync + 'static) {
        let _ = self.listener.set(Listener(Box::new(listener)));
    }

    /// Whether a writer waits for the lock or holds it.
    pub fn has_waiting_writer(&self) -> bool {
        self.writers.load(Ordering::Relaxed) > 0
    }
}

/// Counts a writer from before it waits until its change is complete.
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

/// A review's access to the cluster. The review releases the view after each part of an object and, if a writer waits,
/// between two checks, so that it delays other reviews by one part at most.
pub trait View {
    /// Calls `ask` with the current view.
    fn look(&self, ask: &mut dyn FnMut(&Overlay<'_>));

    /// Whether the view should be released soon.
    fn is_wanted(&self) -> bool;

    /// The CPU time that the review has taken; zero where no limit applies.
    fn spent(&self) -> Duration {
        Duration::ZERO
    }

    /// Called after a check has looked at a part of an object, with the number of its look-ups.
    fn looked_up(&self, _check: &'static str, _lookups: usize) {}
}

/// Measures the CPU time that a review takes.
#[derive(Clone, Copy)]
pub struct CpuClock<'v> {
    clock: &'v dyn Fn() -> Duration,
    begun: Duration,
}

impl<'v> CpuClock<'v> {
    /// Begins to measure. `clock` returns the CPU time that the current thread has taken.
    pub fn start(clock: &'v dyn Fn() -> Duration) -> Self {
        Self { clock, begun: clock() }
    }

    /// The CPU time since the start.
    pub fn spent(&self) -> Duration {
        (self.clock)().saturating_sub(self.begun)
    }
}

impl fmt::Debug for CpuClock<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CpuClock")
    }
}

/// A view for which no writer waits.
impl View for Overlay<'_> {
    fn look(&self, ask: &mut dyn FnMut(&Overlay<'_>)) {
        ask(self);
    }

    fn is_wanted(&self) -> bool {
        false
    }
}

/// A shared view from the perspective of one object.
#[derive(Debug, Clone, Copy)]
pub struct SharedView<'v> {
    /// The view.
    pub cluster: &'v SharedCluster,
    /// The reference to the object under review.
    pub this: &'v ObjectRef,
    /// Admitted objects that are not shown yet, if they count.
    pub reserved: Option<&'v Cluster>,
    /// The clock of the review, if its time is limited.
    pub cpu: Option<CpuClock<'v>>,
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

    fn spent(&self) -> Duration {
        self.cpu.map_or(Duration::ZERO, |cpu| cpu.spent())
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
