//! The phases in which a server ends. Signals set the phase; the accept loop and the connections follow it.

use std::sync::Arc;

use tokio::sync::watch;

/// How far the end of a server has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The server accepts connections and serves them.
    #[default]
    Serving,
    /// The server accepts connections and serves them, and each response has `Connection: close`. Idle
    /// connections stay open, because the API server does not repeat a request that meets a closing connection.
    Draining,
    /// The server accepts no connection, closes idle ones, and answers the requests in flight.
    Closing,
    /// The server closes every connection at once.
    Aborting,
}

/// The phase of one or more servers; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Shutdown(Arc<watch::Sender<Phase>>);

impl Shutdown {
    /// Enters `phase`, unless a later one has been entered already.
    pub fn enter(&self, phase: Phase) {
        self.0.send_if_modified(|current| {
            let is_later = phase > *current;
            *current = phase.max(*current);
            is_later
        });
    }

    /// The current phase.
    pub fn phase(&self) -> Phase {
        *self.0.borrow()
    }

    /// Resolves when `phase` or a later one has been entered.
    pub async fn reached(&self, phase: Phase) {
        let reached = self.0.subscribe().wait_for(|current| *current >= phase).await.is_ok();
        debug_assert!(reached, "the sender lives as long as this borrow of it");
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn phases_are_entered_forward_only_and_include_the_ones_before() {
        let shutdown = Shutdown::default();
        assert_eq!(shutdown.phase(), Phase::Serving);
        assert!(shutdown.reached(Phase::Draining).now_or_never().is_none());
        shutdown.clone().enter(Phase::Closing);
        shutdown.enter(Phase::Draining);
        assert_eq!(shutdown.phase(), Phase::Closing);
        assert!(shutdown.reached(Phase::Draining).now_or_never().is_some());
        assert!(shutdown.reached(Phase::Aborting).now_or_never().is_none());
    }
}
