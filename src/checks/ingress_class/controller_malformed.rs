//! `ingress-class/controller-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::IngressClass;
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress-class/controller-malformed",
    // The document only advises the form.
    page: include_str!("controller_malformed.md"),
    run: Run::IngressClass(check),
    ..Check::shape(Actions::new(Action::Deny, Action::Deny, Action::Warn))
};

fn check(class: &IngressClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let controller = &*class.spec.controller;
    if !controller.is_empty() && !names::is_domain_prefixed_path(controller) {
        let sentence = "`{}` must be a domain and a path, as in `example.com/ingress`";
        found.invalid(At::field("spec.controller"), controller, sentence);
    }
}
