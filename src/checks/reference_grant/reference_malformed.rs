//! `reference-grant/reference-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{ReferenceGrant, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "reference-grant/reference-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("reference_malformed.md"),
    run: Run::ReferenceGrant(check),
    ..Check::shape(Actions::DENY)
};

fn check(grant: &ReferenceGrant<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, group, kind) in walk::reference_grant::kinds(grant) {
        if let Some(group) = group.filter(|group| !names::is_group(group)) {
            found.malformed(at.then("group"), group, "`{}` is no API group");
        }
        if !kind.is_empty() && !names::is_kind(kind) {
            found.invalid(at.then("kind"), kind, "`{}` is no kind; one is written like `HTTPRoute`");
        }
    }
    for (at, to) in walk::reference_grant::to(grant) {
        let Some(name) = to.name.as_deref() else { continue };
        if name.is_empty() {
            found.required(at.then("name"), "an empty name names nothing; without the field all are meant");
        } else if names::is_too_long(name) {
            found.too_long(at.then("name"), name, "the name `{}` has more than 253 characters");
        }
    }
}
