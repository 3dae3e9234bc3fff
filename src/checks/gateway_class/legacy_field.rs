//! `gateway-class/legacy-field`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::GatewayClass;

pub static CHECK: Check = Check {
    id: "gateway-class/legacy-field",
    page: include_str!("legacy_field.md"),
    run: Run::GatewayClass(check),
    ..Check::shape(Actions::WARN)
};

fn check(class: &GatewayClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if class.spec.controller.0 {
        let sentence = "`{}` is dropped: since v1beta1 it is `controllerName`";
        found.not_supported(At::field("spec.controller"), "controller", sentence);
    }
}
