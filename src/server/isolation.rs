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
pub(super) enum Course {
    /// As usual.
    Serve,
    /// As usual, as the last request of its connection.
    ServeLast,
    /// Not at all: it must be sent again on a new connection.
    RetryElsewhere,
}

impl Isolation {
    /// `outdated` returns for how long the view has been too old, and `None` if it is not.
    pub fn new(outdated: impl Fn() -> Option<Duration> + Send + Sync + 'static) -> Self {
        Self(Arc::new(outdated))
    }

    /// How a request on a connection of this age is answered now.
    pub(super) fn course(&self, age: Duration) -> Course {
        match (self.0)() {
            None => Course::Serve,
            Some(outdated) if age + REROUTED > outdated => Course::RetryElsewhere,
            Some(_) => Course::ServeLast,
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
    fn connections_from_before_lead_elsewhere() {
        let course = |cut_off: Option<u64>, age: u64| {
            Isolation::new(move || cut_off.map(Duration::from_secs)).course(Duration::from_secs(age))
        };
        assert_eq!(course(None, 3600), Course::Serve);
        assert_eq!(course(Some(0), 0), Course::RetryElsewhere, "the Service still leads here");
        assert_eq!(course(Some(60), 3600), Course::RetryElsewhere, "a connection that was idle since then");
        assert_eq!(course(Some(60), 56), Course::RetryElsewhere, "a connection of the first seconds");
        assert_eq!(course(Some(60), 55), Course::ServeLast, "no other replica is ready");
        assert_eq!(course(Some(60), 0), Course::ServeLast);
    }
}
