//! `gateway/class-not-allowed`

use crate::checks::class_rules::{self, ClassError, class_error};
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Gateway;

pub static CHECK: Check = Check {
    id: "gateway/class-not-allowed",
    options: class_rules::OPTIONS,
    page: include_str!("class_not_allowed.md"),
    run: Run::Gateway(check),
    ..Check::tenancy(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let class = gateway.class();
    let template = match class_error(class, cx) {
        None => return,
        Some(ClassError::OtherNamespaces) => "class {} is not allowed in namespace {}",
        Some(ClassError::Unlisted) => "class {} is not allowed in namespace {}: use a class that the platform lists",
    };
    found.forbidden(At::field("spec.gatewayClassName"), class, template).args([class, cx.namespace()]);
}
