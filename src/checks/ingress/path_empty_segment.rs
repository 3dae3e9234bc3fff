//! `ingress/path-empty-segment`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/path-empty-segment",
    page: include_str!("path_empty_segment.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path, _) in walk::http_paths(ingress) {
        let Some(written) = path.exact_or_prefix() else { continue };
        if written.as_bytes().windows(2).any(|bytes| bytes == b"//") {
            found.invalid(at.then("path"), written, "`{}` must not contain `//`");
        }
    }
}
