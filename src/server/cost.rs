//! How long a review is likely to take, before it is begun: by its size, and by what the last one like it took.
//!
//! What a review costs depends on the object and on everything that it is compared with, so that a small body can be
//! hard work. Reviews of one kind in one namespace resemble each other, so that the last one says more than the body.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::access::Endpoint;
use portcullis_core::kinds::Kind;
use portcullis_core::review::Outline;

/// Reviews that take at least this long leave the async workers.
const HEAVY: Duration = Duration::from_millis(1);
/// Bodies above this many bytes are taken for heavy: reading and checking takes some 2 to 8 ns a byte.
const LARGE: usize = 128 << 10;
/// How many namespaces with heavy reviews are remembered.
const REMEMBERED: usize = 1024;

/// What the heavy ones among the last reviews took.
#[derive(Debug, Default)]
pub struct CostEstimator {
    /// Whether anything is remembered, so that reviews of an ordinary day need not look.
    any: AtomicBool,
    recent: Mutex<HashMap<Alike, Duration>>,
}

/// What reviews have in common that are taken for equally heavy.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Alike {
    endpoint: Endpoint,
    kind: Option<Kind>,
    namespace: String,
}

impl CostEstimator {
    /// The namespace of the review in `body`, if the review is likely to be heavy.
    pub fn heavy(&self, endpoint: Endpoint, body: &[u8]) -> Option<String> {
        let is_large = body.len() > LARGE;
        if !is_large && !self.any.load(Ordering::Relaxed) {
            return None;
        }
        let alike = Alike::of(endpoint, body);
        (is_large || self.lock().contains_key(&alike)).then_some(alike.namespace)
    }

    /// Remembers what the review in `body` took, if it was heavy or the last one like it was.
    pub fn observe(&self, endpoint: Endpoint, body: &[u8], took: Duration) {
        if took < HEAVY && !self.any.load(Ordering::Relaxed) {
            return;
        }
        let alike = Alike::of(endpoint, body);
        let mut recent = self.lock();
        // One light review among heavy ones does not make the next light.
        let cost = took.max(recent.get(&alike).copied().unwrap_or_default() / 2);
        if cost < HEAVY {
            recent.remove(&alike);
        } else {
            if recent.len() >= REMEMBERED {
                let least = recent.values().min().copied().unwrap_or_default();
                recent.retain(|_, cost| *cost > least);
            }
            recent.insert(alike, cost);
        }
        self.any.store(!recent.is_empty(), Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Alike, Duration>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Alike {
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
        let heavy = |namespace: &str| cost.heavy(Endpoint::Validate, &body(namespace));
        let large = [body("web"), vec![b' '; LARGE]].concat();
        assert_eq!(cost.heavy(Endpoint::Validate, &large).as_deref(), Some("web"));
        assert_eq!(heavy("web"), None);

        cost.observe(Endpoint::Validate, &body("web"), 5 * HEAVY);
        assert_eq!(heavy("web").as_deref(), Some("web"));
        assert_eq!((heavy("team-b"), cost.heavy(Endpoint::Mutate, &body("web"))), (None, None));
        for _ in 0..2 {
            cost.observe(Endpoint::Validate, &body("web"), Duration::ZERO);
            assert!(heavy("web").is_some());
        }
        cost.observe(Endpoint::Validate, &body("web"), Duration::ZERO);
        assert_eq!(heavy("web"), None);
        assert!(!cost.any.load(Ordering::Relaxed));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let cost = CostEstimator::default();
        for number in 0..3 * REMEMBERED as u32 {
            cost.observe(Endpoint::Validate, &body(&number.to_string()), HEAVY * (1 + number % 7));
        }
        assert!((1..=REMEMBERED).contains(&cost.lock().len()));
    }
}
