//! `gateway-class/controller-name-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::GatewayClass;
use crate::names;

/// The most bytes of a controller's name.
const LONGEST: usize = 253;

pub static CHECK: Check = Check {
    id: "gateway-class/controller-name-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("controller_name_malformed.md"),
    run: Run::GatewayClass(check),
    ..Check::shape(Actions::DENY)
};

fn check(class: &GatewayClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let at = At::field("spec.controllerName");
    match class.spec.controller_name.as_deref() {
        None | Some("") => {
            found.required(at, "a class must name its controller, as in `example.com/gateway`");
        }
        Some(name) if name.len() > LONGEST => {
            found
                .too_long(at, name, "{} bytes are too many; a controller has at most 253")
                .shown([name.len().to_string()]);
        }
        Some(name) if !names::is_domain_prefixed_path(name) => {
            found.invalid(at, name, "`{}` must be a domain and a path, as in `example.com/gateway`");
        }
        Some(_) => {}
    }
}
