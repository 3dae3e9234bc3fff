//! `ingress/path-type-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Action, Cause, Findings};
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/path-type-missing",
    // The document fills in `ImplementationSpecific`.
    page: include_str!("path_type_missing.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::new(Action::Deny, Action::Deny, Action::Off))
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path, rule) in walk::http_paths(ingress) {
        if path.path_type.is_none() {
            let route = walk::written_route(rule, path);
            found.add(Cause::Required, at.then("pathType"), &route, "`{}` needs a `pathType`, such as `Prefix`");
        }
    }
}
