//! The current verdicts on all IngressRoutes, shared by the loop that reconciles them and the metrics that count them.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use crate::telemetry::VerdictSource;
use portcullis_core::routing::delegation::{Counts, GraphState};

/// The verdicts, and when they were last current.
#[derive(Debug, Default)]
pub struct VerdictCache(Mutex<Entry>);

/// What the cache holds.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) verdicts: GraphState,
    /// When all objects had their current verdict; `None` until all objects are known.
    pub(super) current_at: Option<Timestamp>,
}

impl VerdictCache {
    /// Exclusive access to the verdicts. A panic while they are held is answered by [`VerdictCache::clear`], so a poisoned
    /// lock is not an error here.
    pub(super) fn lock(&self) -> MutexGuard<'_, Entry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets all verdicts: the metrics show none until the next reconciliation is complete.
    pub(super) fn clear(&self) {
        *self.lock() = Entry::default();
    }
}

impl VerdictSource for VerdictCache {
    fn read(&self, encode: &mut dyn FnMut(&Counts, Timestamp) -> fmt::Result) -> fmt::Result {
        let entry = self.lock();
        entry.current_at.map_or(Ok(()), |at| encode(entry.verdicts.counts(), at))
    }
}
