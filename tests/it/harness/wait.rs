//! Waiting for what another process does, with a deadline.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// Asks every 50 ms until there is an answer; `None` once `limit` has passed.
pub fn until<T>(limit: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        if Instant::now() >= deadline {
            return None;
        }
        sleep(Duration::from_millis(50));
    }
}

/// Waits half a minute for something to become true, and fails the trial in these words if it does not.
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let came = until(Duration::from_secs(30), || is_so().then_some(()));
    assert!(came.is_some(), "waited 30 s in vain: {what}");
}
