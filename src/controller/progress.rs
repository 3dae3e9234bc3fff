//! How far the writes of one object have come.

use std::time::Instant;

use super::change::Desired;
use super::delay::{Backoff, CONFLICT, FAILURE, RIVAL};
use crate::telemetry::LastFailure;

/// The state of the writes of one object.
#[derive(Debug, Default)]
pub struct Progress {
    /// What is to be written.
    pub pending: Option<Box<Pending>>,
    /// Whether a write is under way.
    pub is_in_flight: bool,
    /// The fingerprint of what was stored last.
    pub confirmed: Option<u64>,
    /// When the change happened that made the stored status outdated, if it is.
    pub since: Option<Instant>,
    /// The delays before further writes, if anything went wrong.
    retries: Option<Box<RetryState>>,
}

/// A write that is to be made.
#[derive(Debug)]
pub struct Pending {
    /// What the object should be like.
    pub desired: Desired,
    /// Its fingerprint.
    pub fingerprint: u64,
    /// When it is to be made.
    pub due: Instant,
}

#[derive(Debug, Default)]
struct RetryState {
    conflict: Backoff,
    failure: Backoff,
    /// The fingerprint of the status whose write failed.
    failed: Option<u64>,
    last_failure: LastFailure,
    rival: Backoff,
}

impl Progress {
    /// Forgets everything about an object that was deleted and created again. What is queued under its name stays queued until the
    /// new object is evaluated.
    pub fn renew(&mut self) {
        *self = Self { pending: self.pending.take(), ..Self::default() };
    }

    /// Records that a write is under way. If it fails, the status that it should replace was not overwritten once more.
    pub fn begin(&mut self) {
        (self.is_in_flight, self.confirmed) = (true, None);
    }

    /// When a write of the status with this fingerprint may be made, and whether another writer has just overwritten it for the
    /// first time.
    pub fn due(&mut self, fingerprint: u64, now: Instant) -> (Instant, bool) {
        let is_overwritten = self.confirmed == Some(fingerprint);
        if !is_overwritten && self.retries.is_none() {
            return (now, false);
        }
        let retries = self.retries.get_or_insert_default();
        let mut is_first = false;
        if is_overwritten && retries.rival.pending(now).is_none() {
            is_first = retries.rival.is_over(RIVAL, now);
            if is_first {
                retries.rival = Backoff::default();
            }
            retries.rival.next(RIVAL, now);
        }
        let rival = retries.rival.pending(now).filter(|_| is_overwritten);
        let failure = retries.failure.pending(now).filter(|_| retries.failed == Some(fingerprint));
        let due = [rival, failure, retries.conflict.pending(now)].into_iter().flatten().max();
        (due.unwrap_or(now), is_first)
    }

    /// Records that the status with this fingerprint is stored.
    pub fn confirm(&mut self, fingerprint: u64) {
        self.confirmed = Some(fingerprint);
        (self.pending, self.since) = (None, None);
        if let Some(retries) = &mut self.retries {
            (retries.conflict, retries.failure, retries.failed) = (Backoff::default(), Backoff::default(), None);
            retries.last_failure.clear();
        }
    }

    /// Records that another write was first, which delays the next attempt.
    pub fn conflict(&mut self, now: Instant) {
        self.retries.get_or_insert_default().conflict.next(CONFLICT, now);
    }

    /// Records that the write of the status with this fingerprint failed, which delays the next attempt. Returns whether the last one
    /// failed, too.
    pub fn fail(&mut self, fingerprint: u64, now: Instant) -> bool {
        let retries = self.retries.get_or_insert_default();
        let is_repeated = retries.failed.replace(fingerprint) == Some(fingerprint);
        if !is_repeated {
            retries.failure = Backoff::default();
        }
        retries.failure.next(FAILURE, now);
        is_repeated
    }

    /// Records the error of a failure. Returns whether it differs from the last one, so that it should be logged.
    pub fn note_error(&mut self, error: &str) -> bool {
        self.retries.get_or_insert_default().last_failure.record(error)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_an_overwritten_status_waits_and_is_reported_once() {
        let (mut progress, start) = (Progress::default(), Instant::now());
        assert_eq!(progress.due(1, start), (start, false));
        progress.confirm(1);
        let later = start + Duration::from_secs(1);
        assert_eq!(progress.due(1, start), (later, true));
        assert_eq!(progress.due(1, start), (later, false), "it waits already");
        assert_eq!(progress.due(2, start), (start, false), "another status is written at once");
        progress.confirm(1);
        assert_eq!(progress.due(1, later), (later + Duration::from_secs(2), false));
        progress.confirm(1);
        let calm = later + Duration::from_secs(700);
        assert_eq!(progress.due(1, calm), (calm + Duration::from_secs(1), true));
    }

    #[test]
    fn a_failure_delays_only_the_same_status() {
        let (mut progress, now) = (Progress::default(), Instant::now());
        let second = now + Duration::from_secs(1);
        assert!(!progress.fail(1, now) && progress.note_error("invalid"));
        assert_eq!((progress.due(1, now).0, progress.due(2, now).0), (second, now));
        assert!(progress.fail(1, now) && !progress.note_error("invalid"));
        assert_eq!(progress.due(1, now).0, now + Duration::from_secs(2));
        assert!(!progress.fail(2, now) && !progress.note_error("invalid"));
        assert_eq!(progress.due(2, now).0, second);
        progress.confirm(2);
        assert!(!progress.fail(1, now) && progress.note_error("invalid"), "a success lies between");
        assert_eq!(progress.due(1, now).0, second);
    }

    #[test]
    fn a_failed_repair_is_not_overwritten_once_more() {
        let (mut progress, start) = (Progress::default(), Instant::now());
        let second = |seconds: u64| start + Duration::from_secs(seconds);
        progress.confirm(1);
        assert_eq!(progress.due(1, start), (second(1), true));
        progress.begin();
        progress.fail(1, second(1));
        assert_eq!(progress.due(1, second(1)), (second(2), false), "the delay of the failure alone");
        progress.confirm(1);
        assert_eq!(progress.due(1, second(2)), (second(4), false), "the second time that it is overwritten");
    }
}
