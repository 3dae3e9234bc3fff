//! `ingress-class/controller-too-long`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::IngressClass;

pub static CHECK: Check = Check {
    id: "ingress-class/controller-too-long",
    theme: Theme::Shape,
    since: Release(0, 1),
    // The document sets no limit.
    actions: Actions::new(Action::Deny, Action::Deny, Action::Off),
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("controller_too_long.md"),
    run: Run::IngressClass(check),
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
