//! `ingress/class-not-allowed`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, ingress::CLASS_ANNOTATION};

pub static CHECK: Check = Check {
    id: "ingress/class-not-allowed",
    theme: Theme::Tenancy,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    needs: &[],
    options: &["classes"],
    page: include_str!("class_not_allowed.md"),
    run: Run::Ingress(check),
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let (Some(rules), Some(class)) = (&cx.options.classes, ingress.class()) else { return };
    let mut rules = rules.iter().filter(|rule| rule.class == class).peekable();
    let is_listed = rules.peek().is_some();
    // What is allowed, or hangs on labels that nobody knows yet, is no finding.
    if !is_listed || rules.any(|rule| cx.cluster.selects(&rule.namespaces, cx.namespace()) != Some(false)) {
        return;
    }
    let at = match ingress.class_annotation() {
        Some(_) => At::field("metadata.annotations").key(CLASS_ANNOTATION),
        None => At::field("spec").then("ingressClassName"),
    };
    found.forbidden(at, class, "class {} may not be used in namespace {}").shown([class, cx.namespace()]);
}
