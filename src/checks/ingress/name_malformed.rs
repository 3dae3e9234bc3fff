//! `ingress/name-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Ingress;
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/name-malformed",
    page: include_str!("name_malformed.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let metadata = &ingress.metadata;
    let prefix = metadata.generate_name.as_deref().unwrap_or_default();
    if !prefix.is_empty() && !names::is_subdomain_prefix(prefix) {
        let at = At::field("metadata.generateName");
        found.invalid(at, prefix, "`{}` must begin a DNS name in lower case");
    }
    let at = At::field("metadata.name");
    match metadata.name() {
        "" if prefix.is_empty() => {
            found.required(at, "an Ingress needs a name");
        }
        "" => {}
        name if !names::is_subdomain(name) => {
            found.invalid(at, name, "`{}` must be a DNS name in lower case, at most 253 bytes");
        }
        _ => {}
    }
}
