//! `ingress/resource-incomplete`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::{Cause, Findings};
use crate::kinds::{Ingress, Text, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/resource-incomplete",
    page: include_str!("resource_incomplete.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, backend) in walk::backends(ingress) {
        let Some(resource) = backend.only_resource() else { continue };
        judge(at, "resource.kind", &resource.kind, &resource.name, found);
        judge(at, "resource.name", &resource.name, &resource.kind, found);
    }
}

/// Judges one of the two texts; the other tells which reference lacks it.
fn judge(at: At, field: &'static str, text: &Text<'_>, other: &str, found: &mut Findings<'_>) {
    if text.is_empty() {
        found.add(Cause::Required, at.then(field), other, "a resource needs a kind and a name");
    } else if !names::is_path_segment(text) {
        found.invalid(at.then(field), text, "`{}` must not be `.` or `..`, nor contain `/` or `%`");
    }
}
