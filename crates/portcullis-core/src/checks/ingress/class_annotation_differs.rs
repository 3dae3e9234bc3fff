//! `ingress/class-annotation-differs`

use crate::checks::{Actions, Check, Context, Operation, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, ingress::CLASS_ANNOTATION};

pub static CHECK: Check = Check {
    id: "ingress/class-annotation-differs",
    page: include_str!("class_annotation_differs.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::WARN)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // For new and stored objects, `ingress/class-named-twice` reports this.
    if cx.operation != Operation::Update {
        return;
    }
    let (Some(annotation), Some(field)) = (ingress.class_annotation(), ingress.spec.ingress_class_name.as_deref())
    else {
        return;
    };
    if annotation != field && !annotation.is_empty() {
        let at = At::field("metadata.annotations").key(CLASS_ANNOTATION);
        let identity = format!("{annotation} {field}");
        found
            .invalid(at, &identity, "class `{}` differs from `{}` in spec.ingressClassName: remove the annotation")
            .args([annotation, field]);
    }
}
