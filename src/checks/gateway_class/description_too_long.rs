//! `gateway-class/description-too-long`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::GatewayClass;

/// The most characters of a description.
const LONGEST: usize = 64;

pub static CHECK: Check = Check {
    id: "gateway-class/description-too-long",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("description_too_long.md"),
    run: Run::GatewayClass(check),
    ..Check::shape(Actions::DENY)
};

fn check(class: &GatewayClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(description) = class.spec.description.as_deref() else { return };
    let length = description.chars().count();
    if length > LONGEST {
        found
            .too_long(
                At::field("spec.description"),
                description,
                "{} characters are too many; a description has at most 64",
            )
            .shown([length.to_string()]);
    }
}
