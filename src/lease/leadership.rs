//! What the rest of the process sees of the election: whether this replica leads, and until when it may write.

use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::{RwLock, watch};

use super::clock::Moment;

/// Why a write that needs leadership was not made, or was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("this replica does not hold the Lease")]
pub struct NotLeader;

/// What a replica knows of the Lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseStatus {
    /// This replica holds it.
    Leading,
    /// The replica of this name holds it.
    LedBy(String),
    /// No replica is known to hold it.
    NoHolder,
    /// It cannot be read or written, for this reason, and no replica is known to hold it.
    Failing(String),
}

/// What the elector knows while this replica does not lead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Observation {
    /// The other replica that leads.
    pub leader: Option<String>,
    /// Why the Lease cannot be read or written.
    pub error: Option<String>,
}

/// Whether this replica leads. Clones show the same election.
///
/// ```no_run
/// # use portcullis::lease::{Leadership, NotLeader};
/// # async fn rotate() -> Result<(), kube::Error> { Ok(()) }
/// # async fn run(mut leadership: Leadership) {
/// loop {
///     if leadership.is_leader() {
///         // Polled only as long as this replica leads, even if the process is stopped in between.
///         let rotated: Result<Result<(), kube::Error>, NotLeader> = leadership.write(rotate()).await;
///     }
///     leadership.changed().await;
/// }
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Leadership {
    deadline: watch::Receiver<Option<Moment>>,
    observation: watch::Receiver<Observation>,
    writes: Arc<RwLock<()>>,
    /// What `changed` compares with.
    led: bool,
}

impl Leadership {
    /// Whether this replica leads now. A process that was stopped past its deadline does not, from its first instruction on.
    pub fn is_leader(&self) -> bool {
        self.deadline().is_some()
    }

    /// Until when this replica may write, if it leads. Each renewal moves it; no other replica leads before it has
    /// passed.
    pub fn deadline(&self) -> Option<Moment> {
        let deadline = *self.deadline.borrow();
        deadline.filter(|deadline| Moment::now() < *deadline)
    }

    /// What this replica knows of the Lease.
    pub fn status(&self) -> LeaseStatus {
        let Observation { leader, error } = self.observation.borrow().clone();
        match (leader, error) {
            _ if self.is_leader() => LeaseStatus::Leading,
            (Some(leader), _) => LeaseStatus::LedBy(leader),
            (None, Some(error)) => LeaseStatus::Failing(error),
            (None, None) => LeaseStatus::NoHolder,
        }
    }

    /// Waits until this replica starts or stops to lead. The first call compares with a replica that does not lead.
    pub async fn changed(&mut self) {
        let led = self.led;
        let has_changed = self.deadline.wait_for(|deadline| deadline.is_some() != led).await.is_ok();
        if !has_changed && !led {
            // The election has ended, and so has every leadership of this replica.
            std::future::pending::<()>().await;
        }
        self.led = !led;
    }

    /// Runs a write as long as this replica leads, and gives it up at the deadline. The deadline is compared with the clock before
    /// each step of the write, so that a process that was stopped in the middle does not go on after waking.
    pub async fn write<T>(&self, write: impl Future<Output = T>) -> Result<T, NotLeader> {
        let _registered = self.writes.read().await;
        let mut write = pin!(write);
        let guarded = std::future::poll_fn(|context| match self.is_leader() {
            true => write.as_mut().poll(context).map(Ok),
            false => Poll::Ready(Err(NotLeader)),
        });
        tokio::select! {
            written = guarded => written,
            () = self.ended() => Err(NotLeader),
        }
    }

    /// Waits until the deadline has passed or leadership has ended otherwise.
    async fn ended(&self) {
        let mut changes = self.deadline.clone();
        while let Some(deadline) = self.deadline() {
            tokio::select! {
                () = tokio::time::sleep(deadline - Moment::now()) => {}
                _ = changes.changed() => {}
            }
        }
    }

    /// Waits until the election has ended, with the Lease released where this replica held it.
    pub async fn released(&self) {
        let mut deadline = self.deadline.clone();
        while deadline.changed().await.is_ok() {}
    }
}

/// The end that the elector holds. The election is over when this is dropped.
#[derive(Debug)]
pub struct LeadershipSender {
    deadline: watch::Sender<Option<Moment>>,
    observation: watch::Sender<Observation>,
    writes: Arc<RwLock<()>>,
}

impl LeadershipSender {
    /// Both ends of a new election, in which this replica does not lead yet.
    pub fn new() -> (Self, Leadership) {
        let writes = Arc::<RwLock<()>>::default();
        let ((set, deadline), (observe, observation)) = (watch::channel(None), watch::channel(Observation::default()));
        let sender = Self { deadline: set, observation: observe, writes: Arc::clone(&writes) };
        (sender, Leadership { deadline, observation, writes, led: false })
    }

    /// Shows what the elector knows while this replica does not lead.
    pub fn observe(&self, observation: Observation) {
        self.observation.send_replace(observation);
    }

    /// Sets until when this replica may write; `None` if it does not lead.
    pub fn set(&self, deadline: Option<Moment>) {
        self.deadline.send_if_modified(|known| std::mem::replace(known, deadline) != deadline);
    }

    /// Ends leadership, and waits until no write is in flight; false if one is still in flight after `limit`.
    pub async fn resign(&self, limit: Duration) -> bool {
        self.set(None);
        tokio::time::timeout(limit, self.writes.write()).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn leadership_ends_with_its_deadline_and_with_the_election() {
        let (sender, mut leadership) = LeadershipSender::new();
        assert!(!leadership.is_leader());
        sender.set(Some(Moment::now() + LONG));
        leadership.changed().await;
        assert!(leadership.is_leader());
        sender.set(Some(Moment::now() + Duration::from_millis(20)));
        tokio::time::sleep(Duration::from_millis(30)).await;
        assert_eq!(leadership.deadline(), None, "without a word of the elector");
        drop(sender);
        leadership.released().await;
    }

    #[test]
    fn status_is_that_of_this_replica_then_of_the_leader_then_of_the_last_attempt() {
        let (sender, leadership) = LeadershipSender::new();
        assert_eq!(leadership.status(), LeaseStatus::NoHolder);
        let (leader, error) = (Some("portcullis-0".to_owned()), Some("forbidden".to_owned()));
        sender.observe(Observation { leader: None, error: error.clone() });
        assert_eq!(leadership.status(), LeaseStatus::Failing("forbidden".to_owned()));
        sender.observe(Observation { leader, error });
        assert_eq!(leadership.status(), LeaseStatus::LedBy("portcullis-0".to_owned()), "its Lease has not expired");
        sender.set(Some(Moment::now() + LONG));
        assert_eq!(leadership.status(), LeaseStatus::Leading);
        sender.set(None);
        assert_eq!(leadership.status(), LeaseStatus::LedBy("portcullis-0".to_owned()));
    }

    #[tokio::test]
    async fn a_renewal_is_no_change() {
        let (sender, mut leadership) = LeadershipSender::new();
        sender.set(Some(Moment::now() + LONG));
        leadership.changed().await;
        sender.set(Some(Moment::now() + LONG + LONG));
        assert!(tokio::time::timeout(Duration::from_millis(50), leadership.changed()).await.is_err());
        sender.set(None);
        leadership.changed().await;
    }

    #[tokio::test]
    async fn a_write_takes_no_step_after_the_deadline() {
        let (sender, leadership) = LeadershipSender::new();
        let steps = AtomicUsize::new(0);
        let write = async || loop {
            steps.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
        };
        let written: Result<(), NotLeader> = leadership.write(write()).await;
        assert_eq!(
            (written, steps.load(Ordering::Relaxed)),
            (Err(NotLeader), 0),
            "it does not begin without leadership"
        );

        sender.set(Some(Moment::now() + Duration::from_millis(20)));
        let written: Result<(), NotLeader> = leadership.write(write()).await;
        assert_eq!(written, Err(NotLeader));
        assert!(steps.load(Ordering::Relaxed) > 0);
        // Nothing wakes this one but the deadline.
        sender.set(Some(Moment::now() + Duration::from_millis(20)));
        assert_eq!(leadership.write(std::future::pending::<()>()).await, Err(NotLeader));
        sender.set(Some(Moment::now() + LONG));
        assert_eq!(leadership.write(async { 7 }).await, Ok(7));
    }

    #[tokio::test]
    async fn the_holder_resigns_after_its_last_write() {
        let (sender, leadership) = LeadershipSender::new();
        sender.set(Some(Moment::now() + LONG));
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let writing = tokio::spawn(async move { leadership.write(ended).await });
        tokio::task::yield_now().await;
        assert!(sender.resign(Duration::from_secs(5)).await, "a write is given up when leadership ends");
        assert!(writing.await.is_ok_and(|written| written.is_err()));
        drop(end);
    }
}
