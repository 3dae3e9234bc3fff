//! `gateway-class/controller-name-changed`

use crate::bundle::Enforced;
use crate::checks::{Actions, Change, Check, Context, Run, When};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::GatewayClass;

pub static CHECK: Check = Check {
    id: "gateway-class/controller-name-changed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("controller_name_changed.md"),
    when: When::Update,
    run: Run::Change(Change::GatewayClass(check)),
    ..Check::shape(Actions::DENY)
};

fn check(class: &GatewayClass<'_>, old: &GatewayClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let [new, old] = [class, old].map(|class| class.spec.controller_name.as_deref().unwrap_or_default());
    if new != old && !old.is_empty() {
        found
            .invalid(At::field("spec.controllerName"), new, "`{}` must not replace `{}`: the field is immutable")
            .args([new, old]);
    }
}
