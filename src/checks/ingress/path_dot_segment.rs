//! `ingress/path-dot-segment`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Action, Findings};
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/path-dot-segment",
    // The document is silent about them.
    page: include_str!("path_dot_segment.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::new(Action::Deny, Action::Deny, Action::Off))
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path, _) in walk::http_paths(ingress) {
        let Some(written) = path.exact_or_prefix() else { continue };
        if has_dot_segment(written) {
            found.invalid(at.then("path"), written, "`{}` must not contain a segment `.` or `..`");
        }
    }
}

/// Whether a `/` is followed by `.` or `..` as a whole segment; what stands before the first `/` is no segment.
fn has_dot_segment(path: &str) -> bool {
    let dotted = path.as_bytes().windows(2).any(|bytes| bytes == b"/.");
    dotted && path.split('/').skip(1).any(|segment| matches!(segment, "." | ".."))
}
