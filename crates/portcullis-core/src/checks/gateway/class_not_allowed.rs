//! `gateway/class-not-allowed`

use crate::checks::class_rules;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Gateway;

pub static CHECK: Check = Check {
    id: "gateway/class-not-allowed",
    options: class_rules::OPTIONS,
    page: include_str!("class_not_allowed.md"),
    run: Run::Gateway(check),
    is_exported: true,
    ..Check::tenancy(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    class_rules::check(At::field("spec.gatewayClassName"), gateway.class(), cx, found);
}
