//! `gateway-class/controller-name-changed`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run, When};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{GatewayClass, Object};

pub static CHECK: Check = Check {
    id: "gateway-class/controller-name-changed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("controller_name_changed.md"),
    when: When::Update,
    run: Run::GatewayClass(check),
    ..Check::shape(Actions::DENY)
};

fn check(class: &GatewayClass<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(Object::GatewayClass(old)) = cx.old else { return };
    let [new, old] = [class, old].map(|class| class.spec.controller_name.as_deref().unwrap_or_default());
    if new != old && !old.is_empty() {
        found
            .invalid(At::field("spec.controllerName"), new, "`{}` must not replace `{}`: the field is immutable")
            .args([new, old]);
    }
}
