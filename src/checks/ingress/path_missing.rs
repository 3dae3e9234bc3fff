//! `ingress/path-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Action, Findings};
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/path-missing",
    // The document fills in `/`.
    page: include_str!("path_missing.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::new(Action::Deny, Action::Deny, Action::Off))
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path, rule) in walk::http_paths(ingress) {
        if path.exact_or_prefix() == Some("") {
            let route = walk::written_route(rule, path);
            let kind = path.path_type.as_deref().unwrap_or_default();
            found.invalid(at.then("path"), &route, "type `{}` needs a path; write `/` for the root").shown([kind]);
        }
    }
}
