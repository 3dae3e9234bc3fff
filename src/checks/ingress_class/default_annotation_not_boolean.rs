//! `ingress-class/default-annotation-not-boolean`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{IngressClass, ingress_class::DEFAULT_ANNOTATION};

pub static CHECK: Check = Check {
    id: "ingress-class/default-annotation-not-boolean",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("default_annotation_not_boolean.md"),
    run: Run::IngressClass(check),
};

fn check(class: &IngressClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(value) = class.metadata.annotations.get(DEFAULT_ANNOTATION) else { return };
    if !matches!(&**value, "true" | "false") {
        let at = At::field("metadata.annotations").key(DEFAULT_ANNOTATION);
        found.invalid(at, value, "`{}` counts as `false`; write `true` or `false`");
    }
}
