//! `ingress/annotation-forbidden`

use crate::checks::{Actions, Check, CheckOption, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Ingress;

pub static CHECK: Check = Check {
    id: "ingress/annotation-forbidden",
    options: &[CheckOption::RequireOneOf("annotations")],
    page: include_str!("annotation_forbidden.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(rules) = &cx.options.annotations else { return };
    for (key, value) in ingress.metadata.annotations.iter() {
        let Some(rule) = rules.iter().find(|rule| rule.forbids(key, value)) else { continue };
        let at = At::field("metadata.annotations").key(key);
        match rule.value {
            Some(_) => found.forbidden(at, value, "the value `{}` is not allowed: change it or remove the annotation"),
            None => found.forbidden(at, value, "annotation {} is not allowed here").args([key]),
        };
    }
}
