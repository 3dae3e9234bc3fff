//! `reference-grant/incomplete`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{ReferenceGrant, walk};

pub static CHECK: Check = Check {
    id: "reference-grant/incomplete",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("incomplete.md"),
    run: Run::ReferenceGrant(check),
    ..Check::shape(Actions::DENY)
};

fn check(grant: &ReferenceGrant<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if grant.spec.from.is_empty() {
        found.required(At::field("spec.from"), "a grant says who may refer: at least one entry");
    }
    if grant.spec.to.is_empty() {
        found.required(At::field("spec.to"), "a grant says what may be referred to: at least one entry");
    }
    for (at, group, kind) in walk::reference_grant::kinds(grant) {
        if group.is_none() {
            found.required(at.then("group"), r#"the group must be named; it is "" for the core group"#);
        }
        if kind.is_empty() {
            found.required(at.then("kind"), "the kind must be named");
        }
    }
    for (at, from) in walk::reference_grant::from(grant) {
        if from.namespace.is_empty() {
            found.required(at.then("namespace"), "the namespace must be named; a grant cannot mean all of them");
        }
    }
}
