//! The current verdicts on all IngressRoutes, shared by the loop that reconciles them and the metrics that count them.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use crate::telemetry::VerdictSource;
use portcullis_core::routing::delegation::{Counts, GraphState};

/// The verdicts, and when they were last current.
#[derive(Debug, Default)]
pub struct VerdictCache(Mutex<CachedVerdicts>);

/// The content of the cache.
#[derive(Debug, Default)]
pub(super) struct CachedVerdicts {
    pub(super) verdicts: GraphState,
    /// The time at which all verdicts were last current; `None` until all objects are known.
    pub(super) current_at: Option<Timestamp>,
}

impl VerdictCache {
    /// Locks the verdicts. After a panic under the lock, [`VerdictCache::clear`] resets them, so poisoning is ignored.
    pub(super) fn lock(&self) -> MutexGuard<'_, CachedVerdicts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes all verdicts. The metrics show none until the next reconciliation is complete.
    pub(super) fn clear(&self) {
        *self.lock() = CachedVerdicts::default();
    }
}

impl VerdictSource for VerdictCache {
    fn read(&self, encode: &mut dyn FnMut(&Counts, Timestamp) -> fmt::Result) -> fmt::Result {
        let entry = self.lock();
        entry.current_at.map_or(Ok(()), |at| encode(entry.verdicts.counts(), at))
    }
}
