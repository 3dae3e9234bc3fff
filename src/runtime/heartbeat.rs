//! Whether the threads that accept reviews still run tasks. The liveness probe has a thread of its own, which would answer without them.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::sleep;

use crate::lease::Moment;

/// The time between two beats.
const INTERVAL: Duration = Duration::from_secs(1);

/// After this time without a beat the process is to be restarted. A task of a busy process waits far less.
const LIMIT: Duration = Duration::from_secs(60);

/// The time of the last beat.
#[derive(Debug)]
pub(super) struct Heartbeat(Mutex<Moment>);

impl Heartbeat {
    /// One that has just begun.
    pub(super) fn new(now: Moment) -> Self {
        Self(Mutex::new(now))
    }

    /// Beats for as long as the threads of the current runtime run tasks.
    pub(super) async fn beat(&self) {
        loop {
            self.record(Moment::now());
            sleep(INTERVAL).await;
        }
    }

    /// Whether there was a beat within the last minute.
    pub(super) fn is_alive(&self, now: Moment) -> bool {
        now - *self.0.lock().unwrap_or_else(PoisonError::into_inner) <= LIMIT
    }

    fn record(&self, now: Moment) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    #[test]
    fn heartbeat_is_dead_after_a_minute() {
        let at = |seconds| Moment::since_start(Duration::from_secs(seconds));
        let heartbeat = Heartbeat::new(at(100));
        assert!(heartbeat.is_alive(at(160)));
        assert!(!heartbeat.is_alive(at(161)));
        heartbeat.record(at(161));
        assert!(heartbeat.is_alive(at(162)));
    }

    #[tokio::test]
    async fn a_runtime_beats_as_long_as_it_runs_tasks() {
        let before = Moment::now();
        let heartbeat = Arc::new(Heartbeat::new(before));
        let beating = Arc::clone(&heartbeat);
        let beats = tokio::spawn(async move { beating.beat().await });
        let last = || *heartbeat.0.lock().expect("no test panics with it");
        // The only thread of this runtime is blocked, so no other task runs.
        thread::sleep(Duration::from_millis(10));
        assert_eq!(last(), before);
        tokio::task::yield_now().await;
        assert!(last() > before);
        beats.abort();
    }
}
