//! `ingress-class/controller-too-long`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::IngressClass;

pub static CHECK: Check = Check {
    id: "ingress-class/controller-too-long",
    // The document sets no limit.
    page: include_str!("controller_too_long.md"),
    run: Run::IngressClass(check),
    ..Check::shape(Actions::new(Action::Deny, Action::Deny, Action::Off))
};

/// The most bytes that the API server takes.
const MOST: usize = 250;

fn check(class: &IngressClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let controller = &*class.spec.controller;
    if controller.len() > MOST {
        found
            .too_long(At::field("spec.controller"), controller, "a controller has at most 250 bytes, this one has {}")
            .shown([&controller.len().to_string()]);
    }
}
