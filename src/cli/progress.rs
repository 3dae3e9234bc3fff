//! Shows on standard error that a long list is still being read.

use std::time::{Duration, Instant};

use portcullis_core::kinds::Kind;

/// How long nothing is shown at first, and between two messages.
const INTERVAL: Duration = Duration::from_secs(1);

/// The progress of the lists of one command.
pub(super) struct Progress {
    /// When something was shown last, or when the lists began; `None` if nothing is shown.
    shown: Option<Instant>,
}

impl Progress {
    /// Begins now. Nothing is shown unless notes are wanted.
    pub(super) fn start(notes: bool) -> Self {
        Self { shown: notes.then(Instant::now) }
    }

    /// Shows how many objects of a kind have been read, at most once a second.
    pub(super) fn show(&mut self, kind: Kind, objects: usize) {
        if let Some(message) = self.message(kind, objects, Instant::now()) {
            eprintln!("portcullis: {message}");
        }
    }

    /// What to show at `now`; `None` for nothing.
    fn message(&mut self, kind: Kind, objects: usize, now: Instant) -> Option<String> {
        let shown = self.shown.as_mut().filter(|shown| now.duration_since(**shown) >= INTERVAL)?;
        *shown = now;
        Some(format!("reading {}: {objects} objects so far", kind.resource()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_shown_once_a_second_unless_notes_are_unwanted() {
        let start = Instant::now();
        let shown = |mut progress: Progress| {
            let at = |milliseconds| start + Duration::from_millis(milliseconds);
            let pages = [(500, 999), (1000, 1000), (1500, 1999), (2000, 3000)];
            pages.map(|(objects, time)| progress.message(Kind::Ingress, objects, at(time)))
        };
        let message = |objects| Some(format!("reading ingresses: {objects} objects so far"));
        assert_eq!(shown(Progress { shown: Some(start) }), [None, message(1000), None, message(2000)]);
        assert_eq!(shown(Progress::start(false)), [None, None, None, None]);
    }
}
