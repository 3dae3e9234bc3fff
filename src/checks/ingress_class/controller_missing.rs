//! `ingress-class/controller-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressClass;

pub static CHECK: Check = Check {
    id: "ingress-class/controller-missing",
    page: include_str!("controller_missing.md"),
    run: Run::IngressClass(check),
    ..Check::shape(Actions::DENY)
};

fn check(class: &IngressClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if class.spec.controller.is_empty() {
        found.required(At::field("spec.controller"), "a controller must be named, such as `example.com/ingress`");
    }
}
