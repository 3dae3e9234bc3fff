//! `ingress/class-not-allowed`

use crate::checks::class_rules::{self, class_error};
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Ingress;

pub static CHECK: Check = Check {
    id: "ingress/class-not-allowed",
    options: class_rules::OPTIONS,
    page: include_str!("class_not_allowed.md"),
    run: Run::Ingress(check),
    ..Check::tenancy(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let annotations = ingress.class_annotations();
    let annotations = annotations.map(|(key, class)| (At::field("metadata.annotations").key(key), class));
    let field = ingress.spec.ingress_class_name.as_deref();
    let field = field.map(|class| (At::field("spec").then("ingressClassName"), class));
    // Controllers disagree on which of these they read, so each is checked.
    for (at, class) in annotations.chain(field) {
        class_rules::check(at, class, cx, found);
    }
    if let Some(class) = ingress.default_class.as_deref().filter(|class| class_error(class, cx).is_some()) {
        let message = "no class is named, and the default class {} is not allowed in namespace {}: name another class";
        found.forbidden(At::field("spec.ingressClassName"), class, message).args([class, cx.namespace()]);
    }
}
