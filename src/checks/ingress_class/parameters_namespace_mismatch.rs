//! `ingress-class/parameters-namespace-mismatch`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::IngressClass;
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress-class/parameters-namespace-mismatch",
    // The document has no such field.
    page: include_str!("parameters_namespace_mismatch.md"),
    run: Run::IngressClass(check),
    ..Check::shape(Actions::new(Action::Deny, Action::Deny, Action::Off))
};

fn check(class: &IngressClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(parameters) = &class.spec.parameters else { return };
    let at = At::field("spec.parameters.namespace");
    match (parameters.scope.as_deref(), parameters.namespace.as_deref()) {
        (Some("Namespace"), None) => {
            found.required(at, "scope `Namespace` needs the name of a namespace");
        }
        (Some("Namespace"), Some(namespace)) if !names::is_label(namespace) => {
            found.invalid(at, namespace, "`{}` must be a lower-case DNS label of at most 63 bytes");
        }
        // The API server fills in `Cluster` where no scope is written.
        (Some("Cluster") | None, Some(namespace)) => {
            found.forbidden(at, namespace, "`{}` must be absent: scope `Cluster` has no namespace");
        }
        _ => {}
    }
}
