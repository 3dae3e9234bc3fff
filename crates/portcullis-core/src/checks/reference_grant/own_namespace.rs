//! `reference-grant/own-namespace`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{ReferenceGrant, walk};

pub static CHECK: Check = Check {
    id: "reference-grant/own-namespace",
    page: include_str!("own_namespace.md"),
    run: Run::ReferenceGrant(check),
    ..Check::reference(Actions::WARN)
};

fn check(grant: &ReferenceGrant<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, from) in walk::reference_grant::from(grant) {
        if !from.namespace.is_empty() && *from.namespace == *cx.namespace() {
            found.invalid(
                at.then("namespace"),
                &from.namespace,
                "{} is the namespace of the grant itself, which needs no grant",
            );
        }
    }
}
