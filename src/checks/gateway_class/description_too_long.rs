//! `gateway-class/description-too-long`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::GatewayClass;

/// The most characters of a description.
const LONGEST: usize = 64;

pub static CHECK: Check = Check {
    id: "gateway-class/description-too-long",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("description_too_long.md"),
    run: Run::GatewayClass(check),
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
