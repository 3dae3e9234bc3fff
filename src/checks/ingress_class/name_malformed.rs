//! `ingress-class/name-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressClass;
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress-class/name-malformed",
    page: include_str!("name_malformed.md"),
    run: Run::IngressClass(check),
    ..Check::shape(Actions::DENY)
};

fn check(class: &IngressClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    // A name that the API server has yet to make of a prefix is judged once it is there.
    let name = class.metadata.name();
    if !name.is_empty() && !names::is_subdomain(name) {
        let sentence = "`{}` must be a lower-case DNS name of at most 253 bytes";
        found.invalid(At::field("metadata.name"), name, sentence);
    }
}
