//! `ingress-class/parameters-group-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressClass;
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress-class/parameters-group-malformed",
    page: include_str!("parameters_group_malformed.md"),
    run: Run::IngressClass(check),
    ..Check::shape(Actions::DENY)
};

fn check(class: &IngressClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(group) = class.spec.parameters.as_ref().and_then(|parameters| parameters.api_group.as_deref()) else {
        return;
    };
    if !names::is_subdomain(group) {
        let at = At::field("spec.parameters.apiGroup");
        found.invalid(at, group, "`{}` must be a lower-case DNS name, or absent");
    }
}
