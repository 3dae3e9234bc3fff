//! `ingress/annotation-not-allowed`

use crate::checks::{Actions, Check, CheckOption, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Ingress;

pub static CHECK: Check = Check {
    id: "ingress/annotation-not-allowed",
    options: &[CheckOption::RequireOneOf("allowedAnnotations")],
    page: include_str!("annotation_not_allowed.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(lists) = &cx.options.allowed_annotations else { return };
    for (key, value) in ingress.metadata.annotations.iter() {
        let mut lists = lists.iter().filter_map(|list| Some((list, key.strip_prefix(&*list.prefix)?))).peekable();
        if lists.peek().is_none() {
            continue;
        }
        let (mut is_allowed, mut is_listed) = (false, false);
        let entries =
            lists.flat_map(|(list, name)| list.allow.iter().filter(move |entry| entry.is_for(&list.prefix, name)));
        for entry in entries {
            is_listed = true;
            is_allowed = is_allowed || entry.allows(value);
        }
        if is_allowed {
            continue;
        }
        let at = At::field("metadata.annotations").key(key);
        match is_listed {
            true => found.forbidden(at, value, "the value `{}` is not on the list of allowed values: change it"),
            false => {
                let template = "this annotation is not on the list of allowed annotations: remove it";
                found.forbidden(at, value, template).without_args()
            }
        };
    }
}
