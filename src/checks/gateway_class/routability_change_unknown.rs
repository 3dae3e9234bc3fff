//! `gateway-class/routability-change-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::GatewayClass;
use crate::kinds::gateway_class::ROUTABILITY_CHANGE_ANNOTATION;

pub static CHECK: Check = Check {
    id: "gateway-class/routability-change-unknown",
    page: include_str!("routability_change_unknown.md"),
    run: Run::GatewayClass(check),
    ..Check::shape(Actions::WARN)
};

fn check(class: &GatewayClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(value) = class.metadata.annotations.get(ROUTABILITY_CHANGE_ANNOTATION) else { return };
    if !matches!(&**value, "Allowed" | "Refused") {
        let at = At::field("metadata.annotations").key(ROUTABILITY_CHANGE_ANNOTATION);
        found.not_supported(at, value, "`{}` counts as `Refused`; write `Allowed` or `Refused`");
    }
}
