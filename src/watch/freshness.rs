//! Records when the API server last confirmed the known objects of each kind, and decides when that is too long ago.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::lease::Moment;

use portcullis_core::cluster::SyncState;
use portcullis_core::kinds::Kind;

/// The silence after which a watch no longer counts as open. The API server ends each watch after a minute.
const SILENT_WATCH: Duration = Duration::from_secs(75);

/// Why a kind is not confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KindFault {
    /// The kind is no longer readable (RBAC).
    Forbidden,
    /// The kind is no longer served.
    NotServed,
    /// Its lists or watches fail for another reason.
    Failing,
}

/// How current one kind is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindStatus {
    /// The time since the API server confirmed the known objects, by a complete list or a byte of an open watch.
    pub age: Duration,
    /// Whether the watch of the kind was ever open.
    pub is_watched: bool,
    /// Why the last list or watch failed; none if it succeeded.
    pub fault: Option<KindFault>,
}

/// The record of one kind.
#[derive(Debug, Clone, Copy)]
struct Entry {
    confirmed: Moment,
    is_watched: bool,
    fault: Option<KindFault>,
    /// The total time since `confirmed` in which the API server was reachable and the kind was not confirmed.
    unconfirmed: Duration,
}

/// The records of one kind.
#[derive(Debug, Default)]
struct Records {
    /// Of the known objects.
    entry: Option<Entry>,
    /// When they were confirmed last, if they are no longer known because they were not confirmed for too long.
    given_up: Option<Moment>,
    /// For how long its first list has failed while the API server was reachable; none if it has not failed.
    failing: Option<Duration>,
}

/// The records of all kinds.
#[derive(Debug, Default)]
pub(super) struct Freshness([Mutex<Records>; Kind::ALL.len()]);

impl Freshness {
    /// Records a complete list of `kind`.
    pub(super) fn listed(&self, kind: Kind, now: Moment) {
        let mut records = self.lock(kind);
        let is_watched = records.entry.is_some_and(|entry| entry.is_watched);
        *records = Records::of(Entry::confirmed(is_watched, now));
    }

    /// Records that the watch of `kind` is open.
    pub(super) fn watched(&self, kind: Kind, now: Moment) {
        *self.lock(kind) = Records::of(Entry::confirmed(true, now));
    }

    /// Records why a list or a watch of `kind` failed. Returns whether objects of the kind are known.
    pub(super) fn failed(&self, kind: Kind, fault: KindFault) -> bool {
        let mut records = self.lock(kind);
        let Records { entry, given_up, failing } = &mut *records;
        match (entry, fault) {
            (Some(entry), _) => entry.fault = Some(fault),
            (None, KindFault::Failing) if given_up.is_none() => _ = failing.get_or_insert_default(),
            (None, _) => *failing = None,
        }
        records.entry.is_some()
    }

    /// Removes the records of `kind`, which is no longer needed or not served.
    pub(super) fn forget(&self, kind: Kind) {
        *self.lock(kind) = Records::default();
    }

    /// Records that the objects of `kind` are no longer known, because they were not confirmed for too long.
    pub(super) fn give_up(&self, kind: Kind) {
        let mut records = self.lock(kind);
        if let Some(entry) = records.entry.take() {
            records.given_up = Some(entry.confirmed);
        }
    }

    /// The time since `kind` was confirmed, also if it has been given up since; none if it was never listed completely.
    pub(super) fn age(&self, kind: Kind, now: Moment) -> Option<Duration> {
        let records = self.lock(kind);
        records.entry.map(|entry| entry.confirmed).or(records.given_up).map(|confirmed| now - confirmed)
    }

    /// Whether the first list of `kind` fails, for another reason than that it is not readable or not served.
    pub(super) fn is_first_list_failing(&self, kind: Kind) -> bool {
        self.lock(kind).failing.is_some()
    }

    /// How current the known objects of `kind` are; none if it was never listed completely, or given up.
    pub(super) fn status(&self, kind: Kind, now: Moment) -> Option<KindStatus> {
        let Entry { confirmed, is_watched, fault, .. } = self.lock(kind).entry?;
        Some(KindStatus { age: (now - confirmed), is_watched, fault })
    }

    /// Whether every kind was confirmed since `then`.
    pub(super) fn is_confirmed_since(&self, then: Moment) -> bool {
        Kind::ALL.into_iter().all(|kind| self.lock(kind).entry.is_none_or(|entry| entry.confirmed >= then))
    }

    /// Adds a time `elapsed` in which the API server was reachable. Returns the new state of `kind` if it has not been
    /// confirmed for `limit`, or its first list has failed for so long.
    pub(super) fn pass(&self, kind: Kind, now: Moment, elapsed: Duration, limit: Duration) -> Option<SyncState> {
        let mut records = self.lock(kind);
        let Records { entry, failing, .. } = &mut *records;
        let Some(entry) = entry else {
            let failing = failing.as_mut().filter(|failing| **failing < limit)?;
            *failing += elapsed;
            return (*failing >= limit).then_some(SyncState::Stale);
        };
        if entry.fault.is_some() || (now - entry.confirmed) > SILENT_WATCH {
            entry.unconfirmed += elapsed;
        }
        (entry.unconfirmed >= limit).then_some(match entry.fault {
            Some(KindFault::Forbidden) => SyncState::Forbidden,
            Some(KindFault::NotServed) => SyncState::NotServed,
            Some(KindFault::Failing) | None => SyncState::Stale,
        })
    }

    /// No code panics between two changes of an entry, so a poisoned lock is usable.
    fn lock(&self, kind: Kind) -> MutexGuard<'_, Records> {
        self.0[kind as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Records {
    fn of(entry: Entry) -> Self {
        Self { entry: Some(entry), given_up: None, failing: None }
    }
}

impl Entry {
    fn confirmed(is_watched: bool, now: Moment) -> Self {
        Self { confirmed: now, is_watched, fault: None, unconfirmed: Duration::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(300);
    const TICK: Duration = Duration::from_secs(1);
    const KIND: Kind = Kind::Ingress;

    /// The number of seconds after which the kind is given up, and its state from then on.
    fn given_up(freshness: &Freshness, start: Moment) -> (u64, SyncState) {
        (1..=1_000)
            .find_map(|second| {
                let now = start + Duration::from_secs(second);
                freshness.pass(KIND, now, TICK, LIMIT).map(|state| (second, state))
            })
            .expect("an unconfirmed kind is given up")
    }

    #[test]
    fn failing_kind_is_given_up_after_five_minutes() {
        let start = Moment::now();
        for (fault, state) in [
            (KindFault::Forbidden, SyncState::Forbidden),
            (KindFault::NotServed, SyncState::NotServed),
            (KindFault::Failing, SyncState::Stale),
        ] {
            let freshness = Freshness::default();
            assert!(!freshness.failed(KIND, fault), "no object is known");
            freshness.watched(KIND, start);
            assert!(freshness.failed(KIND, fault));
            assert_eq!(given_up(&freshness, start), (300, state));
        }
    }

    #[test]
    fn kind_with_a_silent_watch_is_given_up() {
        let (freshness, start) = (Freshness::default(), Moment::now());
        freshness.listed(KIND, start);
        assert_eq!(given_up(&freshness, start), (375, SyncState::Stale));
    }

    #[test]
    fn kind_that_cannot_be_listed_is_given_up_once() {
        let (freshness, start) = (Freshness::default(), Moment::now());
        freshness.failed(KIND, KindFault::Forbidden);
        assert!(!freshness.is_first_list_failing(KIND), "a missing right is not a list that fails");
        freshness.failed(KIND, KindFault::Failing);
        assert!(freshness.is_first_list_failing(KIND));
        freshness.failed(KIND, KindFault::Forbidden);
        assert_eq!(freshness.pass(KIND, start + LIMIT, LIMIT, LIMIT), None, "it is missing rights now");
        freshness.failed(KIND, KindFault::Failing);
        assert_eq!(given_up(&freshness, start), (300, SyncState::Stale));
        freshness.give_up(KIND);
        freshness.failed(KIND, KindFault::Failing);
        assert_eq!(freshness.pass(KIND, start + 2 * LIMIT, LIMIT, LIMIT), None);
        freshness.listed(KIND, start + 2 * LIMIT);
        assert!(!freshness.is_first_list_failing(KIND));
    }

    #[test]
    fn confirmation_resets_the_time() {
        let (freshness, start) = (Freshness::default(), Moment::now());
        freshness.watched(KIND, start);
        freshness.failed(KIND, KindFault::Failing);
        for second in 0..299 {
            assert_eq!(freshness.pass(KIND, start + Duration::from_secs(second), TICK, LIMIT), None);
        }
        let later = start + Duration::from_secs(299);
        freshness.watched(KIND, later);
        let status = KindStatus { age: TICK, is_watched: true, fault: None };
        assert_eq!(freshness.status(KIND, later + TICK), Some(status));
        freshness.failed(KIND, KindFault::Failing);
        assert_eq!(given_up(&freshness, later).0, 300);
    }

    #[test]
    fn the_age_of_a_kind_outlasts_its_objects() {
        let (freshness, start) = (Freshness::default(), Moment::now());
        assert_eq!(freshness.age(KIND, start), None, "it was never listed");
        freshness.watched(KIND, start);
        assert_eq!(freshness.age(KIND, start + TICK), Some(TICK));
        freshness.give_up(KIND);
        assert_eq!(freshness.status(KIND, start + LIMIT), None);
        assert_eq!(freshness.age(KIND, start + LIMIT), Some(LIMIT));
        freshness.listed(KIND, start + LIMIT);
        assert_eq!(freshness.age(KIND, start + LIMIT + TICK), Some(TICK));
        freshness.forget(KIND);
        assert_eq!(freshness.age(KIND, start + LIMIT), None, "it is not needed any more");
    }

    #[test]
    fn unknown_kinds_count_as_confirmed() {
        let (freshness, start) = (Freshness::default(), Moment::now());
        assert!(freshness.is_confirmed_since(start));
        freshness.watched(KIND, start);
        assert!(!freshness.is_confirmed_since(start + TICK));
        freshness.forget(KIND);
        assert!(freshness.is_confirmed_since(start + TICK));
        assert_eq!(freshness.pass(KIND, start + 2 * LIMIT, LIMIT, LIMIT), None);
    }
}
