//! `ingress/class-name-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Ingress;
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/class-name-malformed",
    page: include_str!("class_name_malformed.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(class) = ingress.spec.ingress_class_name.as_deref() else { return };
    if !names::is_subdomain(class) {
        let at = At::field("spec.ingressClassName");
        found.invalid(at, class, "`{}` must be a DNS name in lower case, at most 253 bytes");
    }
}
