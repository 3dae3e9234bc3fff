//! `ingress-class/parameters-scope-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::IngressClass;

pub static CHECK: Check = Check {
    id: "ingress-class/parameters-scope-unknown",
    // The document has no such field.
    page: include_str!("parameters_scope_unknown.md"),
    run: Run::IngressClass(check),
    ..Check::shape(Actions::new(Action::Deny, Action::Deny, Action::Off))
};

fn check(class: &IngressClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(scope) = class.spec.parameters.as_ref().and_then(|parameters| parameters.scope.as_deref()) else {
        return;
    };
    if !matches!(scope, "Cluster" | "Namespace") {
        found.not_supported(At::field("spec.parameters.scope"), scope, "`{}` must be `Cluster` or `Namespace`");
    }
}
