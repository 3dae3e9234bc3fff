//! Shows on standard error that a long list is still being read.

use std::time::{Duration, Instant};

use portcullis_core::kinds::Kind;

/// How long nothing is shown at first, and between two messages.
const INTERVAL: Duration = Duration::from_secs(1);

/// The progress of the lists of one command.
pub(super) struct Progress {
    shown: Instant,
}

impl Progress {
    /// Begins now.
    pub(super) fn start() -> Self {
        Self { shown: Instant::now() }
    }

    /// Shows how many objects of a kind have been read, at most once a second.
    pub(super) fn show(&mut self, kind: Kind, objects: usize) {
        if self.shown.elapsed() >= INTERVAL {
            self.shown = Instant::now();
            eprintln!("portcullis: reading {}: {objects} objects so far", kind.resource());
        }
    }
}
