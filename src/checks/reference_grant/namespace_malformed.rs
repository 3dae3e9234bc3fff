//! `reference-grant/namespace-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{ReferenceGrant, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "reference-grant/namespace-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("namespace_malformed.md"),
    run: Run::ReferenceGrant(check),
    ..Check::shape(Actions::DENY)
};

fn check(grant: &ReferenceGrant<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, from) in walk::reference_grant::from(grant) {
        let namespace = &*from.namespace;
        if namespace.is_empty() || names::is_label(namespace) {
            continue;
        }
        let at = at.then("namespace");
        match namespace.contains('*') {
            true => found.invalid(at, namespace, "`{}` is no namespace: a grant has no wildcards, it names each one"),
            false => found.malformed(at, namespace, "`{}` is no name of a namespace"),
        };
    }
}
