//! Decides whether the API server is reachable, and what follows for connections and for readiness.
//!
//! All decisions are functions of recorded events and a given time. `api_server` records the events.

use std::time::Duration;

use crate::lease::Moment;

/// The silence after which the API server is probed. Watches of quiet kinds receive one byte a minute.
pub(super) const QUIET: Duration = Duration::from_secs(2);

/// The silence after which a replica counts as cut off.
pub const CUT_OFF: Duration = Duration::from_secs(15);

/// How long readiness waits for the watches once the API server is reachable again. They reopen within milliseconds.
/// One that does not has another fault, which must not make the replica unavailable.
const CATCH_UP: Duration = Duration::from_secs(2);

/// When the last byte came from the API server, and what probes have shown since.
#[derive(Debug)]
pub(super) struct ApiServerContact {
    heard: Moment,
    /// Whether a probe has timed out since then. The connections of that time may be dead without any error, and TCP
    /// would use them again only after a delay that grows with the silence.
    is_doubtful: bool,
    /// The end of the last time in which the replica was cut off.
    outage: Option<Outage>,
}

/// A time in which the replica was cut off.
#[derive(Debug, Clone, Copy)]
struct Outage {
    /// The time of the last byte before it.
    heard: Moment,
    /// The time of the first byte after it.
    back: Moment,
}

/// Whether the API server is reachable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reachability {
    /// A byte came from the API server recently.
    Connected,
    /// The API server is reachable again, but some watches are not open yet, so changes may be unknown. This time is the age of the
    /// view.
    CatchingUp(Duration),
    /// No byte came from the API server for this time, which is the age of the view.
    CutOff(Duration),
}

impl Reachability {
    /// For how long the view has been too old; none if it is current.
    pub fn outdated(self) -> Option<Duration> {
        match self {
            Self::Connected => None,
            Self::CatchingUp(age) | Self::CutOff(age) => Some(age.saturating_sub(CUT_OFF)),
        }
    }
}

impl ApiServerContact {
    /// Starts with `now` as the time of the last byte.
    pub(super) fn new(now: Moment) -> Self {
        Self { heard: now, is_doubtful: false, outage: None }
    }

    /// Records a byte from the API server. Returns whether the connections from before may be dead.
    pub(super) fn heard(&mut self, now: Moment) -> bool {
        if self.age(now) >= CUT_OFF {
            self.outage = Some(Outage { heard: self.heard, back: now });
        }
        self.heard = now;
        std::mem::take(&mut self.is_doubtful)
    }

    /// Whether the connections may be dead.
    pub(super) fn is_doubtful(&self) -> bool {
        self.is_doubtful
    }

    /// Records that the probe sent at `sent` timed out. Returns whether the API server is reachable all the same,
    /// because a byte has come since: then only the connections from before are dead.
    pub(super) fn timed_out(&mut self, sent: Moment) -> bool {
        let is_reachable = self.heard > sent;
        self.is_doubtful = !is_reachable;
        is_reachable
    }

    /// The time since the last byte.
    pub(super) fn age(&self, now: Moment) -> Duration {
        now - self.heard
    }

    /// Whether the API server is reachable. `has_caught_up` says whether all watches have been open since a given time.
    pub(super) fn reachability(&self, now: Moment, has_caught_up: impl FnOnce(Moment) -> bool) -> Reachability {
        let age = self.age(now);
        match self.outage {
            _ if age >= CUT_OFF => Reachability::CutOff(age),
            Some(Outage { heard, back }) if now < back + CATCH_UP && !has_caught_up(back) => {
                Reachability::CatchingUp(now - heard)
            }
            _ => Reachability::Connected,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn fifteen_seconds_of_silence_cut_a_replica_off() {
        let start = Moment::now();
        let mut contact = ApiServerContact::new(start);
        let reachability = |contact: &ApiServerContact, at: u64| contact.reachability(start + seconds(at), |_| false);
        assert_eq!(reachability(&contact, 14), Reachability::Connected);
        assert_eq!(reachability(&contact, 15), Reachability::CutOff(seconds(15)));
        assert!(!contact.heard(start + seconds(14)));
        assert_eq!(reachability(&contact, 28), Reachability::Connected, "the replica was never cut off");
        assert_eq!(reachability(&contact, 30), Reachability::CutOff(seconds(16)));
    }

    #[test]
    fn readiness_waits_for_watches_but_not_for_long() {
        let start = Moment::now();
        let mut contact = ApiServerContact::new(start);
        contact.heard(start + seconds(20));
        let after = |at: u64, caught_up: bool| {
            contact.reachability(start + seconds(at), |since| {
                assert_eq!(since, start + seconds(20));
                caught_up
            })
        };
        assert_eq!(after(20, false), Reachability::CatchingUp(seconds(20)));
        assert_eq!(after(21, true), Reachability::Connected);
        assert_eq!(after(21, false), Reachability::CatchingUp(seconds(21)));
        assert_eq!(after(22, false), Reachability::Connected);
        // Until then, reviews are answered as while the replica was cut off.
        assert_eq!(after(21, false).outdated(), Some(seconds(6)));
        assert_eq!(after(21, true).outdated(), None);
    }

    #[test]
    fn connections_are_in_doubt_only_after_a_probe_timed_out() {
        let start = Moment::now();
        let mut contact = ApiServerContact::new(start);
        assert!(!contact.heard(start + seconds(60)), "silence alone kills no connection");
        assert!(!contact.timed_out(start + seconds(61)));
        assert!(!contact.timed_out(start + seconds(62)));
        assert!(contact.heard(start + seconds(65)));
        assert!(!contact.heard(start + seconds(66)), "the connections were replaced");
    }

    #[test]
    fn probe_that_is_overtaken_by_a_byte_shows_that_its_connection_is_dead() {
        let start = Moment::now();
        let mut contact = ApiServerContact::new(start);
        contact.heard(start + seconds(3));
        assert!(contact.timed_out(start + seconds(2)));
        assert!(!contact.heard(start + seconds(6)), "the connections are replaced already");
    }
}
