//! Estimates before a review whether it will take long, from its size and from the duration of the last similar review.
//!
//! The cost of a review depends on the object and on everything that the object is compared with, so a small body may
//! be expensive. Reviews of one kind in one namespace are similar, so the last one is a better estimate than the body.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::access::Endpoint;
use portcullis_core::kinds::Kind;
use portcullis_core::review::Outline;

/// Reviews that take at least this long run outside the async workers.
const HEAVY: Duration = Duration::from_millis(1);
/// Bodies with more than this many bytes are assumed to be heavy: reading and checking takes about 2 to 8 ns per byte.
const HEAVY_BODY_BYTES: usize = 128 << 10;
/// The maximum number of entries that are remembered. An entry is an endpoint, a kind and a namespace with heavy
/// reviews.
const MAX_REMEMBERED: usize = 1024;

/// The durations of recent heavy reviews.
#[derive(Debug, Default)]
pub struct CostEstimator {
    /// Whether any entry is remembered. If not, which is the usual case, a review need not take the lock.
    has_recent: AtomicBool,
    recent: Mutex<HashMap<ReviewClass, Duration>>,
}

/// What reviews of similar cost have in common.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ReviewClass {
    endpoint: Endpoint,
    kind: Option<Kind>,
    namespace: String,
}

impl CostEstimator {
    /// Whether the review in `body` is likely to be heavy.
    pub fn is_heavy(&self, endpoint: Endpoint, body: &[u8]) -> bool {
        let was_heavy = || self.lock().contains_key(&ReviewClass::of(endpoint, body));
        body.len() > HEAVY_BODY_BYTES || (self.has_recent.load(Ordering::Relaxed) && was_heavy())
    }

    /// Records the duration of the review in `body`, if it was heavy or the last similar review was.
    pub fn observe(&self, endpoint: Endpoint, body: &[u8], took: Duration) {
        if took < HEAVY && !self.has_recent.load(Ordering::Relaxed) {
            return;
        }
        let class = ReviewClass::of(endpoint, body);
        let mut recent = self.lock();
        // A single fast review among slow ones must not make the next one count as light.
        let cost = took.max(recent.get(&class).copied().unwrap_or_default() / 2);
        if cost < HEAVY {
            recent.remove(&class);
        } else {
            if recent.len() >= MAX_REMEMBERED {
                let least = recent.values().min().copied().unwrap_or_default();
                recent.retain(|_, cost| *cost > least);
            }
            recent.insert(class, cost);
        }
        self.has_recent.store(!recent.is_empty(), Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ReviewClass, Duration>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReviewClass {
    fn of(endpoint: Endpoint, body: &[u8]) -> Self {
        let Outline { kind, namespace } = Outline::of(body);
        Self { endpoint, kind, namespace }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(namespace: &str) -> Vec<u8> {
        format!(r#"{{"request":{{"namespace":"{namespace}"}}}}"#).into_bytes()
    }

    #[test]
    fn large_bodies_and_what_was_heavy_are_heavy() {
        let cost = CostEstimator::default();
        let is_heavy = |namespace: &str| cost.is_heavy(Endpoint::Validate, &body(namespace));
        let large = [body("web"), vec![b' '; HEAVY_BODY_BYTES]].concat();
        assert!(cost.is_heavy(Endpoint::Validate, &large));
        assert!(!is_heavy("web"));

        cost.observe(Endpoint::Validate, &body("web"), 5 * HEAVY);
        assert!(is_heavy("web"));
        assert!(!is_heavy("team-b") && !cost.is_heavy(Endpoint::Mutate, &body("web")));
        for _ in 0..2 {
            cost.observe(Endpoint::Validate, &body("web"), Duration::ZERO);
            assert!(is_heavy("web"));
        }
        cost.observe(Endpoint::Validate, &body("web"), Duration::ZERO);
        assert!(!is_heavy("web"));
        assert!(!cost.has_recent.load(Ordering::Relaxed));
    }

    #[test]
    fn remembered_costs_are_bounded() {
        let cost = CostEstimator::default();
        for number in 0..3 * MAX_REMEMBERED as u32 {
            cost.observe(Endpoint::Validate, &body(&number.to_string()), HEAVY * (1 + number % 7));
        }
        assert!((1..=MAX_REMEMBERED).contains(&cost.lock().len()));
    }
}
