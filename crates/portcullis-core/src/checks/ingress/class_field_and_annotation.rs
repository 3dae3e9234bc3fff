//! `ingress/class-field-and-annotation`

use crate::checks::{Actions, Check, Context, Operation, Run};
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::{Ingress, ingress::CLASS_ANNOTATION};

pub static CHECK: Check = Check {
    id: "ingress/class-field-and-annotation",
    // Off in the other profiles: the current API server rejects the two only if they differ.
    page: include_str!("class_field_and_annotation.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::new(Action::Off, Action::Off, Action::Deny))
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let field = ingress.spec.ingress_class_name.as_deref();
    let (Some(annotation), Some(field)) = (ingress.class_annotation(), field) else { return };
    if cx.operation != Operation::Update {
        let at = At::field("metadata.annotations").key(CLASS_ANNOTATION);
        let template = "spec.ingressClassName is also set: remove the annotation `{}`";
        found.forbidden(at, &[annotation, field].join(" "), template).args([annotation]);
    }
}
