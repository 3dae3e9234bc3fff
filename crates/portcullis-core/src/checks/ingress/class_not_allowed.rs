//! `ingress/class-not-allowed`

use crate::checks::{Actions, Check, CheckOption, Context, Run};
use crate::config::ClassRule;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Ingress;

pub static CHECK: Check = Check {
    id: "ingress/class-not-allowed",
    options: &[CheckOption::RequireOneOf("classes")],
    page: include_str!("class_not_allowed.md"),
    run: Run::Ingress(check),
    ..Check::tenancy(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(rules) = &cx.options.classes else { return };
    let annotations = ingress.class_annotations();
    let annotations = annotations.map(|(key, class)| (At::field("metadata.annotations").key(key), class));
    let field = ingress.spec.ingress_class_name.as_deref();
    let field = field.map(|class| (At::field("spec").then("ingressClassName"), class));
    // Controllers disagree on which of these they read, so each is checked.
    for (at, class) in annotations.chain(field) {
        if is_reserved(class, rules, cx) {
            found.forbidden(at, class, "class {} is not allowed in namespace {}").args([class, cx.namespace()]);
        }
    }
    if let Some(class) = ingress.default_class.as_deref().filter(|class| is_reserved(class, rules, cx)) {
        let message = "no class is named, and the default class {} is not allowed in namespace {}: name another class";
        found.forbidden(At::field("spec.ingressClassName"), class, message).args([class, cx.namespace()]);
    }
}

/// Whether the class is listed, but not for this namespace. False if that depends on namespace labels that are not
/// known.
fn is_reserved(class: &str, rules: &[ClassRule], cx: &Context<'_>) -> bool {
    let mut rules = rules.iter().filter(|rule| rule.class == class).peekable();
    rules.peek().is_some() && rules.all(|rule| cx.cluster.selects(&rule.namespaces, cx.namespace()) == Some(false))
}
