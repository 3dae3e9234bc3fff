//! `gateway/class-changed`

use crate::checks::{Actions, Check, Context, Run, When};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Gateway, Object};

pub static CHECK: Check = Check {
    id: "gateway/class-changed",
    page: include_str!("class_changed.md"),
    when: When::Update,
    run: Run::Gateway(check),
    ..Check::policy(Actions::WARN)
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(Object::Gateway(old)) = cx.old else { return };
    let (new, old) = (gateway.class(), old.class());
    if new != old && !new.is_empty() && !old.is_empty() {
        found
            .forbidden(
                At::field("spec.gatewayClassName"),
                new,
                "class `{}` replaces `{}`, which moves the Gateway to another data plane",
            )
            .args([new, old]);
    }
}
