//! Waits with a deadline for something that another process does.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// Calls `ask` every 50 ms until it returns a value; `None` after `limit`.
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

/// Waits up to 30 seconds until the condition is true. Otherwise fails the trial with `what` in the message.
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let came = until(Duration::from_secs(30), || is_so().then_some(()));
    assert!(came.is_some(), "waited 30 s in vain: {what}");
}
