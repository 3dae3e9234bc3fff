//! The pace of requests: a bucket of tokens that refills at a constant rate.

use std::time::{Duration, Instant};

/// A bucket of tokens.
#[derive(Debug)]
pub struct TokenBucket {
    per_second: f64,
    capacity: f64,
    tokens: f64,
    refilled: Instant,
}

impl TokenBucket {
    /// A full bucket of as many tokens as it gets in a second.
    pub fn new(per_second: u32, now: Instant) -> Self {
        let rate = f64::from(per_second);
        Self { per_second: rate, capacity: rate, tokens: rate, refilled: now }
    }

    /// Takes a token. Without one, returns how long to wait.
    pub fn take(&mut self, now: Instant) -> Result<(), Duration> {
        let elapsed = now.saturating_duration_since(self.refilled).as_secs_f64();
        self.tokens = (self.tokens + elapsed * self.per_second).min(self.capacity);
        self.refilled = now;
        if self.tokens < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - self.tokens) / self.per_second));
        }
        self.tokens -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_followed_by_the_constant_rate() {
        let start = Instant::now();
        let mut pace = TokenBucket::new(10, start);
        assert_eq!((0..20).filter(|_| pace.take(start).is_ok()).count(), 10);
        assert!(pace.take(start).is_err_and(|wait| wait <= Duration::from_millis(100) && !wait.is_zero()));
        let taken = (1..=5_000).filter(|ms| pace.take(start + Duration::from_millis(*ms)).is_ok()).count();
        assert!((49..=50).contains(&taken), "{taken} in 5 s");
    }
}
