//! `ingress/path-not-absolute`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/path-not-absolute",
    page: include_str!("path_not_absolute.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path, _) in walk::http_paths(ingress) {
        let Some(written) = path.exact_or_prefix() else { continue };
        if !written.is_empty() && !written.starts_with('/') {
            found.invalid(at.then("path"), written, "`{}` must begin with `/`");
        }
    }
}
