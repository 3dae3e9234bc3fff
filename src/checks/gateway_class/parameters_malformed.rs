//! `gateway-class/parameters-malformed`

use crate::checks::reference;
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::GatewayClass;

pub static CHECK: Check = Check {
    id: "gateway-class/parameters-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("parameters_malformed.md"),
    run: Run::GatewayClass(check),
    ..Check::shape(Actions::DENY)
};

fn check(class: &GatewayClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if let Some(parameters) = &class.spec.parameters_ref {
        reference::malformed(At::field("spec.parametersRef"), parameters, reference::Absent::IsMissing, found);
    }
}
