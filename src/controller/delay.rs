//! Delays that double from one attempt to the next.

use std::time::{Duration, Instant};

/// A range of delays.
#[derive(Debug, Clone, Copy)]
pub struct Delays {
    /// The first delay.
    pub first: Duration,
    /// The longest one.
    pub longest: Duration,
}

/// Between two reads of an object that others keep changing.
pub const CONFLICT: Delays = Delays { first: Duration::from_millis(5), longest: Duration::from_secs(1) };
/// Between two attempts of a write that is refused or fails.
pub const FAILURE: Delays = Delays { first: Duration::from_secs(1), longest: Duration::from_secs(600) };
/// Between two repairs of a status that another writer overwrites.
pub const RIVAL: Delays = Delays { first: Duration::from_secs(1), longest: Duration::from_secs(600) };

/// A delay that doubles each time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Backoff {
    attempts: u32,
    /// When the last delay ends.
    until: Option<Instant>,
}

impl Backoff {
    /// Starts the next delay.
    pub fn next(&mut self, delays: Delays, now: Instant) {
        let factor = 2_u32.saturating_pow(self.attempts.min(20));
        self.until = Some(now + delays.first.saturating_mul(factor).min(delays.longest));
        self.attempts += 1;
    }

    /// When the delay ends, if it has not ended yet.
    pub fn pending(&self, now: Instant) -> Option<Instant> {
        self.until.filter(|until| *until > now)
    }

    /// Whether the last delay ended long ago.
    pub fn is_over(&self, delays: Delays, now: Instant) -> bool {
        self.until.is_none_or(|until| until + delays.longest < now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_the_longest() {
        let now = Instant::now();
        let mut backoff = Backoff::default();
        assert_eq!((backoff.pending(now), backoff.is_over(RIVAL, now)), (None, true));
        let mut delay = || {
            backoff.next(RIVAL, now);
            backoff.pending(now).map_or(0, |until| (until - now).as_secs())
        };
        let delays: Vec<u64> = (0..12).map(|_| delay()).collect();
        assert_eq!(delays, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
        assert!(!backoff.is_over(RIVAL, now + Duration::from_secs(1_200)));
        assert!(backoff.is_over(RIVAL, now + Duration::from_secs(1_201)));
    }
}
