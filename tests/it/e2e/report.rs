//! What the steps measured, as rows of the tables in docs/measurements/pods.md.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Duration;

/// Prints a figure, and adds it to the file in `PORTCULLIS_FIGURES`.
pub fn figure(what: &str, limit: &str, measured: impl Display) {
    let row = format!("| {what} | {limit} | {measured} |");
    println!("{row}");
    let Some(file) = std::env::var_os("PORTCULLIS_FIGURES") else { return };
    let mut file = OpenOptions::new().create(true).append(true).open(file).expect("the file of figures is writable");
    writeln!(file, "{row}").expect("the file of figures is writable");
}

/// A duration as such a row shows it.
pub fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

/// Adds a duration, which must be within a limit.
#[track_caller]
pub fn within(what: &str, limit: Duration, measured: Duration) {
    figure(what, &seconds(limit), seconds(measured));
    assert!(measured <= limit, "{what}: {measured:?}, but the limit is {limit:?}");
}
