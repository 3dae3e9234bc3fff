//! `ingress/no-paths`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Cause, Findings};
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/no-paths",
    page: include_str!("no_paths.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, rule) in walk::rules(ingress) {
        if rule.http.as_ref().is_some_and(|http| http.paths.is_empty()) {
            let host = rule.host.as_deref().unwrap_or_default();
            found.add(Cause::Required, at.then("http.paths"), host, "`http` needs a path, or must be left out");
        }
    }
}
