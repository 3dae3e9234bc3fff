//! `object/too-costly`
//!
//! The last resort against a review that takes too long. It is a denial and not an error, which `failurePolicy: Ignore` would turn into an
//! admission.

use std::time::Duration;

use crate::checks::{Actions, Check, Context, Run, When};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Object;

/// The maximum CPU time of a review. The look-ups of the largest objects take a tenth of it. Builds without optimization
/// are many times slower.
pub const MAX_CPU: Duration = Duration::from_millis(if cfg!(debug_assertions) { 20_000 } else { 500 });

pub static CHECK: Check = Check {
    id: "object/too-costly",
    page: include_str!("too_costly.md"),
    when: When::GivenUp,
    run: Run::Object(check),
    ..Check::conflict(Actions::DENY)
};

fn check(_: &Object<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let message = "the checks of this object take more than 500 ms of CPU: split it into smaller objects";
    found.invalid(At::field("spec"), "", message);
}
