//! Waits with a deadline for something that another process does.

use std::thread::sleep;
use std::time::{Duration, Instant};

const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Calls `ask` until it returns a value, first after 5 ms, then more rarely, every 50 ms in the end; `None` after `limit`.
pub fn until<T>(limit: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(5);
    loop {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        if Instant::now() >= deadline {
            return None;
        }
        sleep(pause);
        pause = (2 * pause).min(LONGEST_PAUSE);
    }
}

/// Waits between two looks at what must hold all the time, so that looking does not occupy a core.
pub fn pause() {
    sleep(LONGEST_PAUSE);
}

/// Waits up to `limit` until the condition is true. Returns how long it took.
pub fn time_until(limit: Duration, mut is_so: impl FnMut() -> bool) -> Option<Duration> {
    let since = Instant::now();
    until(limit, || is_so().then(|| since.elapsed()))
}

/// Waits up to `limit` until the condition is true, and returns how long it took. Otherwise fails the trial with `what` in the message.
#[track_caller]
pub fn must_within(limit: Duration, what: &str, is_so: impl FnMut() -> bool) -> Duration {
    time_until(limit, is_so).unwrap_or_else(|| panic!("waited {limit:?} in vain: {what}"))
}

/// The same with a limit of a minute.
#[track_caller]
pub fn eventually(what: &str, is_so: impl FnMut() -> bool) {
    must_within(Duration::from_secs(60), what, is_so);
}
