//! How long a connection may keep us waiting, and how well it can be spared: both hang on what it is in the middle of.
//!
//! hyper has one such clock, and it already runs while a connection idles: short, it closes pooled connections under the
//! API server's hands; long, it lets a dribbled head live for minutes. So here are the phases, each with its own limit.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::Limits;
use super::peers::Peer;
use super::slots::{ConnectionSlot, SlotState};

/// The phase of one connection and when it began. Reader, writer and service of the connection share it.
#[derive(Debug)]
pub struct ConnectionTimeouts {
    silent: Duration,
    head: Duration,
    idle: Duration,
    now: Mutex<Now>,
}

#[derive(Debug)]
struct Now {
    phase: Phase,
    since: Instant,
    /// The connection's slot, which is told of every phase that matters to those who want one.
    slot: ConnectionSlot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing was ever sent.
    Silent,
    /// The first request has begun, its head is not complete.
    FirstHead,
    /// A later request has begun, its head is not complete.
    Head,
    /// The head is complete and the answer is not: the body has a deadline of its own, and the rest is our work.
    Answering,
    /// The answer is ready and not all of it is written: how long that may take is the writer's matter.
    Writing,
    /// Answered; the next request has not begun.
    Idle,
}

impl ConnectionTimeouts {
    /// The clock of a connection in `slot` that is open and silent since `now`.
    pub fn new(limits: &Limits, slot: ConnectionSlot, now: Instant) -> Self {
        let Limits { silent, head, idle, .. } = *limits;
        Self { silent, head, idle, now: Mutex::new(Now { phase: Phase::Silent, since: now, slot }) }
    }

    /// Whose connection it is.
    pub fn peer(&self) -> Arc<Peer> {
        Arc::clone(self.lock().slot.peer())
    }

    /// Bytes came from the peer.
    pub fn bytes_came(&self, now: Instant) {
        let mut state = self.lock();
        match state.phase {
            Phase::Silent => state.enter(Phase::FirstHead, now),
            Phase::Idle => {
                state.enter(Phase::Head, now);
                state.slot.enter(SlotState::Receiving, now);
            }
            _ => {}
        }
    }

    /// A request head is complete; its body is still to come if it `has_body`.
    pub fn head_complete(&self, has_body: bool, now: Instant) {
        let mut state = self.lock();
        state.enter(Phase::Answering, now);
        state.slot.enter(if has_body { SlotState::Receiving } else { SlotState::Answering }, now);
    }

    /// The request's body is complete.
    pub fn body_complete(&self, now: Instant) {
        self.lock().slot.enter(SlotState::Answering, now);
    }

    /// The answer to it is ready to be written; whether it is that to a complete review.
    pub fn answered(&self, is_review: bool, now: Instant) {
        let mut state = self.lock();
        state.enter(Phase::Writing, now);
        state.slot.enter(SlotState::Sending, now);
        if is_review {
            state.slot.peer().reviewed(now);
        }
    }

    /// All that there was to write is written. Answers come in one piece, so one that has begun to be written is whole.
    pub fn written(&self, now: Instant) {
        let mut state = self.lock();
        if state.phase == Phase::Writing {
            state.enter(Phase::Idle, now);
            state.slot.enter(SlotState::Idle, now);
        }
    }

    /// When waiting for the peer's next byte ends; `None` while it is our turn.
    pub fn deadline(&self) -> Option<Instant> {
        let Now { phase, since, .. } = *self.lock();
        match phase {
            Phase::Silent => Some(since + self.silent),
            Phase::FirstHead | Phase::Head => Some(since + self.head),
            Phase::Answering | Phase::Writing => None,
            Phase::Idle => Some(since + self.idle),
        }
    }

    /// Nothing in here panics between two statements, so a panic elsewhere cannot have left it half changed.
    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Now {
    fn enter(&mut self, phase: Phase, now: Instant) {
        (self.phase, self.since) = (phase, now);
    }
}
