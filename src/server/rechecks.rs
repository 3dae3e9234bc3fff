//! Reviews of admitted writes that claim something, which are checked again a moment later.

use std::sync::Arc;

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use portcullis_core::cluster::reservations::is_looked_at;
use portcullis_core::review::{AdmissionVerdict, Summary};

/// The maximum number of waiting reviews.
const REVIEWS: usize = 4_096;
/// The maximum number of their bytes.
const BYTES: usize = 8 << 20;

/// Collects reviews; clones share them. What has no room is counted, and not checked again.
#[derive(Debug, Clone)]
pub struct Rechecks {
    queue: Sender<AdmittedReview>,
    room: Arc<Semaphore>,
}

/// Too many reviews are waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRoom;

/// A review that admitted a creation, or an update that changes what the object claims.
#[derive(Debug)]
pub struct AdmittedReview {
    /// The body of the request.
    pub body: Vec<u8>,
    /// When it was answered.
    pub at: Instant,
    /// Its part of the room.
    _room: OwnedSemaphorePermit,
}

impl Rechecks {
    /// An empty collection, and what is put into it.
    pub fn new() -> (Self, Receiver<AdmittedReview>) {
        let (queue, reviews) = channel(REVIEWS);
        (Self { queue, room: Arc::new(Semaphore::new(BYTES)) }, reviews)
    }

    /// Keeps the review in `body`, if it admitted a claim that another replica may have admitted, too. Fails if there is no room for
    /// it.
    pub fn offer(&self, body: &[u8], summary: &Summary) -> Result<(), NoRoom> {
        let is_claim = summary.is_claim && summary.kind.is_some_and(is_looked_at);
        if !is_claim || summary.is_dry_run || summary.verdict != AdmissionVerdict::Allowed {
            return Ok(());
        }
        let size = u32::try_from(body.len()).map_err(|_| NoRoom)?;
        let room = Arc::clone(&self.room).try_acquire_many_owned(size).map_err(|_| NoRoom)?;
        let review = AdmittedReview { body: body.to_vec(), at: Instant::now(), _room: room };
        self.queue.try_send(review).map_err(|_| NoRoom)
    }
}
