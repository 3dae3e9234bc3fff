//! Logs why reviews are answered with 503, at most once in a while for each reason.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time for which the same reason is only counted.
const INTERVAL: Duration = Duration::from_secs(10);

/// The reasons, each with the time when it was last logged and the number of reviews since.
#[derive(Debug, Default)]
pub struct UnansweredLog(Mutex<BTreeMap<String, (Instant, u64)>>);

impl UnansweredLog {
    /// Logs the reason of a review that is answered with 503, or counts it for the next line about the same reason.
    pub fn note(&self, reason: &dyn Display) {
        let reason = reason.to_string();
        if let Some(reviews) = self.due(&reason, Instant::now()) {
            tracing::warn!(reason, reviews, "review answered with 503, which the API server retries");
        }
    }

    /// The number of reviews to log, with this one; `None` if the reason was logged a moment ago.
    fn due(&self, reason: &str, now: Instant) -> Option<u64> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((logged, reviews)) = known.get_mut(reason) else {
            known.insert(reason.to_owned(), (now, 0));
            return Some(1);
        };
        *reviews += 1;
        (now.duration_since(*logged) >= INTERVAL).then(|| {
            *logged = now;
            std::mem::take(reviews)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_reason_is_logged_once_in_an_interval() {
        let (log, start) = (UnansweredLog::default(), Instant::now());
        assert_eq!(log.due("not synced", start), Some(1));
        assert_eq!(log.due("not synced", start + Duration::from_secs(1)), None);
        assert_eq!(log.due("reserved", start + Duration::from_secs(1)), Some(1), "another reason");
        assert_eq!(log.due("not synced", start + INTERVAL), Some(2), "with the one that was not logged");
        assert_eq!(log.due("not synced", start + INTERVAL), None);
    }
}
