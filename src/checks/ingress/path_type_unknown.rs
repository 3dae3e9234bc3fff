//! `ingress/path-type-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};
use crate::matching::PathType;

pub static CHECK: Check = Check {
    id: "ingress/path-type-unknown",
    page: include_str!("path_type_unknown.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path, _) in walk::http_paths(ingress) {
        let Some(written) = path.path_type.as_deref() else { continue };
        if PathType::parse(Some(written)).is_none() {
            let template = "`{}` must be `Exact`, `Prefix` or `ImplementationSpecific`";
            found.not_supported(at.then("pathType"), written, template);
        }
    }
}
