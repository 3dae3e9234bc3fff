//! The deadlines of a connection and its state for eviction. Both depend on the current phase of the connection.
//!
//! hyper has a single timeout, which also runs while a connection is idle. If it is short, it closes pooled connections
//! that the API server is about to use. If it is long, a client may send a head byte by byte for minutes. So each phase
//! has its own limit here.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::Limits;
use super::peers::Peer;
use super::slots::{ConnectionSlot, SlotState};

/// The current phase of one connection. The reader, the writer and the service of the connection share it.
#[derive(Debug)]
pub struct ConnectionTimeouts {
    first_byte_timeout: Duration,
    header_timeout: Duration,
    idle_timeout: Duration,
    now: Mutex<Now>,
}

#[derive(Debug)]
struct Now {
    phase: Phase,
    since: Instant,
    /// The slot of the connection, which is updated at each change that affects eviction.
    slot: ConnectionSlot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The peer has not sent anything yet.
    Silent,
    /// The first request has begun and its head is not complete.
    FirstHead,
    /// A later request has begun and its head is not complete.
    Head,
    /// The head is complete and the response is not ready. The body has its own deadline, and the rest of the time is
    /// ours.
    Answering,
    /// The response is ready and not completely written. [`super::timeout_io`] limits that time.
    Writing,
    /// The response is written and the next request has not begun.
    Idle,
}

impl ConnectionTimeouts {
    /// The timeouts of a connection in `slot` that is open since `now` and has sent nothing.
    pub fn new(limits: &Limits, slot: ConnectionSlot, now: Instant) -> Self {
        let Limits { first_byte_timeout, header_timeout, idle_timeout, .. } = *limits;
        Self {
            first_byte_timeout,
            header_timeout,
            idle_timeout,
            now: Mutex::new(Now { phase: Phase::Silent, since: now, slot }),
        }
    }

    /// The peer of the connection.
    pub fn peer(&self) -> Arc<Peer> {
        Arc::clone(self.lock().slot.peer())
    }

    /// Records that the peer sent bytes.
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

    /// Records that a request head is complete. If it `has_body`, the body is still to come.
    pub fn head_complete(&self, has_body: bool, now: Instant) {
        let mut state = self.lock();
        state.enter(Phase::Answering, now);
        state.slot.enter(if has_body { SlotState::Receiving } else { SlotState::Answering }, now);
    }

    /// Records that the body of the request is complete.
    pub fn body_complete(&self, now: Instant) {
        self.lock().slot.enter(SlotState::Answering, now);
    }

    /// Records that the response is ready to be written, and whether the request was a complete review.
    pub fn answered(&self, is_review: bool, now: Instant) {
        let mut state = self.lock();
        state.enter(Phase::Writing, now);
        state.slot.enter(SlotState::Sending, now);
        if is_review {
            state.slot.peer().reviewed(now);
        }
    }

    /// Records that all pending bytes are written. A response is buffered as a whole, so this is the end of the
    /// response.
    pub fn written(&self, now: Instant) {
        let mut state = self.lock();
        if state.phase == Phase::Writing {
            state.enter(Phase::Idle, now);
            state.slot.enter(SlotState::Idle, now);
        }
    }

    /// The deadline for the next byte of the peer; `None` while the peer waits for us.
    pub fn deadline(&self) -> Option<Instant> {
        let Now { phase, since, .. } = *self.lock();
        match phase {
            Phase::Silent => Some(since + self.first_byte_timeout),
            Phase::FirstHead | Phase::Head => Some(since + self.header_timeout),
            Phase::Answering | Phase::Writing => None,
            Phase::Idle => Some(since + self.idle_timeout),
        }
    }

    /// Nothing in this module panics while it holds the lock, so a poisoned lock never guards inconsistent data.
    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Now {
    fn enter(&mut self, phase: Phase, now: Instant) {
        (self.phase, self.since) = (phase, now);
    }
}
