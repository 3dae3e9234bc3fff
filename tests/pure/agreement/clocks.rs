//! What must be over when a suspended machine wakes up is measured by a clock that counted the suspension.

use std::fs;
use std::path::PathBuf;

use portcullis_testing::repository::{read, root};

use super::layers::sources;

/// Modules and files that decide by elapsed time what another process relies on.
const DECIDE: [&str; 8] = [
    "lease",
    "issuer",
    "config_map",
    "watch/contact.rs",
    "watch/freshness.rs",
    "watch/keep.rs",
    "server/isolation.rs",
    "server/origin.rs",
];

#[test]
fn decisions_use_the_clock_that_counts_suspended_time() {
    for path in DECIDE {
        let path = root().join("src").join(path);
        let files: Vec<PathBuf> = if path.is_dir() { sources(&path) } else { vec![path] };
        for file in files {
            let text = fs::read_to_string(&file).expect("a source can be read");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            // The timeouts of a connection are the server's own.
            let is_other = |line: &&&str| !line.contains("timeouts.") && !line.contains("use tokio::time::");
            let names =
                |line: &&&str| ["Instant", "SystemTime::now", ".elapsed()"].iter().any(|name| line.contains(name));
            let other: Vec<_> = code.iter().filter(is_other).filter(names).collect();
            assert!(other.is_empty(), "{}: use `lease::Moment`: {other:?}", file.display());
        }
    }
    let clock = read("src/platform.rs");
    let on_linux = "#[cfg(target_os = \"linux\")]\n    const CLOCK: ClockId = ClockId::Boottime;";
    assert!(clock.contains(on_linux), "CLOCK_MONOTONIC stops while the machine is suspended");
    assert_eq!(clock.matches("clock_gettime(CLOCK)").count(), 1, "there is one clock");
}
