//! One test over many cases.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `test` on every case. At the end, fails with the names of all failed cases; their panic messages are printed
/// before.
pub fn each<T>(cases: impl IntoIterator<Item = T>, name: impl Fn(&T) -> String, test: impl Fn(&T)) {
    let failed = |case: &T| catch_unwind(AssertUnwindSafe(|| test(case))).is_err();
    let failed: Vec<String> = cases.into_iter().filter(failed).map(|case| name(&case)).collect();
    assert!(failed.is_empty(), "{} failed: {}", failed.len(), failed.join(", "));
}
