//! `ingress/path-implementation-specific`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};
use crate::matching::{Host, Mark};

pub static CHECK: Check = Check {
    id: "ingress/path-implementation-specific",
    page: include_str!("path_implementation_specific.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::RESTRICTED)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    // The solver's author is an operator, and its path is a plain text under any controller.
    if Mark::of_ingress(ingress) == Mark::AcmeSolver {
        return;
    }
    for (at, path, rule) in walk::http_paths(ingress) {
        if path.path_type.as_deref() != Some("ImplementationSpecific") {
            continue;
        }
        let written = path.path.as_deref().unwrap_or_default();
        let identity = format!("{} {written}", Host::parse(rule.host.as_deref().unwrap_or_default()));
        let sentence = "`{}` must be Exact or Prefix, which mean the same everywhere";
        found.forbidden(at.then("pathType"), &identity, sentence).shown([written]);
    }
}
