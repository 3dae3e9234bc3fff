//! `gateway-class/controller-reserved`

use crate::checks::{Actions, Check, CheckOption, Context, Operation, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::GatewayClass;

pub static CHECK: Check = Check {
    id: "gateway-class/controller-reserved",
    options: &[CheckOption::RequireOneOf("controllers")],
    page: include_str!("controller_reserved.md"),
    run: Run::GatewayClass(check),
    ..Check::tenancy(Actions::DENY)
};

fn check(class: &GatewayClass<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let (Some(reserved), Some(name)) = (&cx.options.controllers, class.spec.controller_name.as_deref()) else { return };
    if cx.operation == Operation::Create && reserved.iter().any(|controller| controller == name) {
        let message = "controller `{}` is reserved: ask the platform team for a class";
        found.forbidden(At::field("spec.controllerName"), name, message);
    }
}
