//! `object/too-costly`

use std::time::Duration;

use crate::checks::{Actions, Check, Run};
use crate::field::At;
use crate::finding::Findings;

/// The maximum CPU time of a review. The look-ups of the largest objects take a tenth of it.
pub const MAX_CPU: Duration = Duration::from_millis(500);

/// Finds nothing by itself: [`report`] is called for a review that was given up.
pub static CHECK: Check = Check {
    id: "object/too-costly",
    page: include_str!("too_costly.md"),
    run: Run::Object(|_, _, _| ()),
    ..Check::conflict(Actions::DENY)
};

/// Reports that the review took more than [`MAX_CPU`] and was given up.
pub fn report(found: &mut Findings<'_>) {
    let message = "the checks of this object take more than 500 ms of CPU: split it into smaller objects";
    found.invalid(At::field("spec"), "", message);
}
