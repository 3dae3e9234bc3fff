//! `ingress/class-annotation-deprecated`

use crate::checks::{Actions, Check, Context, Operation, Release, Run};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, ingress::CLASS_ANNOTATION};

pub static CHECK: Check = Check {
    id: "ingress/class-annotation-deprecated",
    theme: Theme::Policy,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("class_annotation_deprecated.md"),
    run: Run::Ingress(check),
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let (Some(class), None) = (ingress.class_annotation(), &ingress.spec.ingress_class_name) else { return };
    if cx.operation != Operation::Update {
        let at = At::field("metadata.annotations").key(CLASS_ANNOTATION);
        found.invalid(at, class, "the annotation is deprecated; set `ingressClassName: {}`");
    }
}
