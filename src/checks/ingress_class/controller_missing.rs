//! `ingress-class/controller-missing`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressClass;

pub static CHECK: Check = Check {
    id: "ingress-class/controller-missing",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("controller_missing.md"),
    run: Run::IngressClass(check),
};

fn check(class: &IngressClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if class.spec.controller.is_empty() {
        found.required(At::field("spec.controller"), "a controller must be named, such as `example.com/ingress`");
    }
}
