//! What a replica does with the connections of the API server after it has lost contact with it, until it knows again what has changed.
//!
//! A Service leads no new connection to a replica that is not ready, but the API server goes on using those that it has, and would be
//! answered from an old view. So the replica asks for such a request again, on a new connection, which leads to a replica that is ready.
//! If there is none, and requests still come on new connections, the replica answers them from what it knows.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The time from lost contact until every node knows that the replica is not ready: three probes, one a second, and kube-proxy.
const REROUTED: Duration = Duration::from_secs(5);

/// Knows for how long the view of this replica has been too old, because it was cut off from the API server.
#[derive(Clone)]
pub struct Isolation(Arc<dyn Fn() -> Option<Duration> + Send + Sync>);

/// How a request is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReviewHandling {
    /// As usual.
    Answer,
    /// As usual; then the connection is closed.
    AnswerAndClose,
    /// With 503: the API server must send it again on a new connection.
    RetryElsewhere,
}

impl Isolation {
    /// `outdated` returns for how long the view has been too old, and `None` if it is not.
    pub fn new(outdated: impl Fn() -> Option<Duration> + Send + Sync + 'static) -> Self {
        Self(Arc::new(outdated))
    }

    /// How a request on a connection of this age is answered now.
    pub(super) fn decide(&self, age: Duration) -> ReviewHandling {
        match (self.0)() {
            None => ReviewHandling::Answer,
            Some(outdated) if age + REROUTED > outdated => ReviewHandling::RetryElsewhere,
            Some(_) => ReviewHandling::AnswerAndClose,
        }
    }
}

impl fmt::Debug for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Isolation({:?})", (self.0)())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_connections_are_sent_to_another_replica() {
        let decide = |cut_off: Option<u64>, age: u64| {
            Isolation::new(move || cut_off.map(Duration::from_secs)).decide(Duration::from_secs(age))
        };
        assert_eq!(decide(None, 3600), ReviewHandling::Answer);
        assert_eq!(decide(Some(0), 0), ReviewHandling::RetryElsewhere, "the Service still leads here");
        assert_eq!(decide(Some(60), 3600), ReviewHandling::RetryElsewhere, "a connection that was idle since then");
        assert_eq!(decide(Some(60), 56), ReviewHandling::RetryElsewhere, "a connection of the first seconds");
        assert_eq!(decide(Some(60), 55), ReviewHandling::AnswerAndClose, "no other replica is ready");
        assert_eq!(decide(Some(60), 0), ReviewHandling::AnswerAndClose);
    }
}
