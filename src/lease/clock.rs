//! A clock for deadlines that other processes rely on.

use std::fmt;
use std::ops::{Add, Sub};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::platform;

/// A moment on the clock of this machine, as the time since it was started. Moments of two machines cannot be compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(Duration);

impl Moment {
    /// The current moment.
    pub fn now() -> Self {
        Self(platform::since_boot())
    }

    /// The time since the start of the machine.
    pub fn since_boot(self) -> Duration {
        self.0
    }

    /// The moment so long after the start of the machine.
    pub fn since_start(elapsed: Duration) -> Self {
        Self(elapsed)
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, later: Duration) -> Self {
        Self(self.0.saturating_add(later))
    }
}

/// The time from `earlier` until this moment; zero if it is not earlier.
impl Sub for Moment {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}s", self.0.as_secs_f64())
    }
}

/// Runs `work` until the moment `end`, which is compared with the clock before each step: a process that was stopped or suspended in
/// the middle does not go on after waking. `None` if the work was given up.
pub async fn until<T>(end: Moment, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let guarded = std::future::poll_fn(|context| match Moment::now() < end {
        true => work.as_mut().poll(context).map(Some),
        false => Poll::Ready(None),
    });
    // The timer does not count the time of a suspension, but wakes the work soon after it.
    tokio::time::timeout(end - Moment::now(), guarded).await.unwrap_or_default()
}
