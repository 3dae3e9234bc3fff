//! How long a connection may keep us waiting: depends on what it is in the middle of.
//!
//! hyper has one such clock, and it already runs while a connection idles: short, it closes pooled connections under the
//! API server's hands; long, it lets a dribbled head live for minutes. So here are the phases, each with its own limit.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::Limits;

/// The phase of one connection and when it began. Reader and service of the connection share it.
#[derive(Debug)]
pub struct Clock {
    silent: Duration,
    head: Duration,
    idle: Duration,
    now_in: Mutex<(Phase, Instant)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing was ever sent.
    Silent,
    /// A request has begun, its head is not complete.
    Head,
    /// The head is complete and the answer is not: the body has a deadline of its own, and the rest is our work.
    Answering,
    /// Answered; the next request has not begun.
    Idle,
}

impl Clock {
    /// The clock of a connection that is open and silent since `now`.
    pub fn new(limits: &Limits, now: Instant) -> Self {
        let Limits { silent, head, idle, .. } = *limits;
        Self { silent, head, idle, now_in: Mutex::new((Phase::Silent, now)) }
    }

    /// Bytes came from the peer.
    pub fn bytes_came(&self, now: Instant) {
        let mut now_in = self.lock();
        if matches!(now_in.0, Phase::Silent | Phase::Idle) {
            *now_in = (Phase::Head, now);
        }
    }

    /// A request head is complete.
    pub fn head_complete(&self, now: Instant) {
        *self.lock() = (Phase::Answering, now);
    }

    /// The answer to it is ready.
    pub fn answered(&self, now: Instant) {
        *self.lock() = (Phase::Idle, now);
    }

    /// When waiting for the peer's next byte ends; `None` while it is our turn.
    pub fn deadline(&self) -> Option<Instant> {
        let (phase, since) = *self.lock();
        match phase {
            Phase::Silent => Some(since + self.silent),
            Phase::Head => Some(since + self.head),
            Phase::Answering => None,
            Phase::Idle => Some(since + self.idle),
        }
    }

    /// The pair is written in one statement, so a panic elsewhere cannot have left it half changed.
    fn lock(&self) -> MutexGuard<'_, (Phase, Instant)> {
        self.now_in.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
