//! `ingress-class/default-annotation-not-boolean`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{IngressClass, ingress_class::DEFAULT_ANNOTATION};

pub static CHECK: Check = Check {
    id: "ingress-class/default-annotation-not-boolean",
    page: include_str!("default_annotation_not_boolean.md"),
    run: Run::IngressClass(check),
    ..Check::shape(Actions::WARN)
};

fn check(class: &IngressClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(value) = class.metadata.annotations.get(DEFAULT_ANNOTATION) else { return };
    if !matches!(&**value, "true" | "false") {
        let at = At::field("metadata.annotations").key(DEFAULT_ANNOTATION);
        found.invalid(at, value, "`{}` counts as `false`; write `true` or `false`");
    }
}
