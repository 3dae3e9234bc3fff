//! `ingress/class-named-twice`

use crate::checks::{Actions, Check, Context, Operation, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, ingress::CLASS_ANNOTATION};

pub static CHECK: Check = Check {
    id: "ingress/class-named-twice",
    page: include_str!("class_named_twice.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let field = ingress.spec.ingress_class_name.as_deref();
    let (Some(annotation), Some(field)) = (ingress.class_annotation(), field) else { return };
    if cx.operation != Operation::Update && annotation != field {
        let at = At::field("metadata.annotations").key(CLASS_ANNOTATION);
        let both = [annotation, field];
        let template = "the annotation names class `{}`, spec.ingressClassName `{}`: remove the annotation";
        found.invalid(at, &both.join(" "), template).args(both);
    }
}
