//! The current verdicts on all IngressRoutes, shared by the loop that reconciles them, the metrics that count them, and the
//! controller that writes them.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use jiff::Timestamp;
use tokio::sync::Notify;

use crate::telemetry::VerdictSource;
use portcullis_core::checks::Plan;
use portcullis_core::kinds::ObjectRef;
use portcullis_core::routing::delegation::{Counts, GraphState};

/// The verdicts, and when they were last current.
#[derive(Debug, Default)]
pub struct VerdictCache {
    cached: Mutex<CachedVerdicts>,
    /// Notified when the view has changed, if anything reports its changes.
    view_changed: Notify,
    /// Notified when verdicts have changed, if they are tracked.
    tracker: OnceLock<Arc<Notify>>,
}

/// The content of the cache.
#[derive(Debug, Default)]
pub struct CachedVerdicts {
    /// The verdicts.
    pub verdicts: GraphState,
    /// The time at which all verdicts were last current; `None` until all objects are known.
    pub(super) current_at: Option<Timestamp>,
    /// The plan of which all verdicts were last current.
    pub(super) plan: Option<Arc<Plan>>,
    /// The objects whose verdict has changed, if they are tracked.
    pub(super) changed: Vec<Arc<ObjectRef>>,
}

impl VerdictCache {
    /// Locks the verdicts. After a panic under the lock, `VerdictCache::clear` resets them, so poisoning is ignored.
    pub fn lock(&self) -> MutexGuard<'_, CachedVerdicts> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes all verdicts. The metrics show none until the next reconciliation is complete.
    pub(super) fn clear(&self) {
        let changed = std::mem::take(&mut self.lock().changed);
        *self.lock() = CachedVerdicts { changed, ..CachedVerdicts::default() };
    }

    /// Tracks from now on which verdicts change, and notifies `tracker` then.
    pub fn track(&self, tracker: Arc<Notify>) {
        let _ = self.tracker.set(tracker);
    }

    /// Records that verdicts have changed, or that they are current again.
    pub(super) fn note(&self, entry: &mut CachedVerdicts, changed: Vec<Arc<ObjectRef>>) {
        if let Some(tracker) = self.tracker.get() {
            entry.changed.extend(changed);
            tracker.notify_one();
        }
    }

    /// Makes the reconciler look for changes of the view at once.
    pub fn view_changed(&self) {
        self.view_changed.notify_one();
    }

    /// Waits for [`view_changed`](Self::view_changed).
    pub(super) async fn changed_view(&self) {
        self.view_changed.notified().await;
    }
}

impl CachedVerdicts {
    /// The objects whose verdict has changed since the last call.
    pub fn take_changed(&mut self) -> Vec<Arc<ObjectRef>> {
        std::mem::take(&mut self.changed)
    }

    /// Whether all verdicts are those of `plan`, and none is to be evaluated again.
    pub fn is_current(&self, plan: &Arc<Plan>) -> bool {
        let is_of_plan = self.plan.as_ref().is_some_and(|current| Arc::ptr_eq(current, plan));
        is_of_plan && self.current_at.is_some() && !self.verdicts.has_pending()
    }
}

impl VerdictSource for VerdictCache {
    fn read(&self, encode: &mut dyn FnMut(&Counts, Timestamp) -> fmt::Result) -> fmt::Result {
        let entry = self.lock();
        entry.current_at.map_or(Ok(()), |at| encode(entry.verdicts.counts(), at))
    }
}
