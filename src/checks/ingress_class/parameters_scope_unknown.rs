//! `ingress-class/parameters-scope-unknown`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::IngressClass;

pub static CHECK: Check = Check {
    id: "ingress-class/parameters-scope-unknown",
    theme: Theme::Shape,
    since: Release(0, 1),
    // The document has no such field.
    actions: Actions::new(Action::Deny, Action::Deny, Action::Off),
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("parameters_scope_unknown.md"),
    run: Run::IngressClass(check),
};

fn check(class: &IngressClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(scope) = class.spec.parameters.as_ref().and_then(|parameters| parameters.scope.as_deref()) else {
        return;
    };
    if !matches!(scope, "Cluster" | "Namespace") {
        found.not_supported(At::field("spec.parameters.scope"), scope, "`{}` must be `Cluster` or `Namespace`");
    }
}
