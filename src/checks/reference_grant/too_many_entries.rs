//! `reference-grant/too-many-entries`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::ReferenceGrant;

/// The most entries of `from`, and of `to`.
const MOST: usize = 16;

pub static CHECK: Check = Check {
    id: "reference-grant/too-many-entries",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("too_many_entries.md"),
    run: Run::ReferenceGrant(check),
    ..Check::shape(Actions::DENY)
};

fn check(grant: &ReferenceGrant<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, count) in [("spec.from", grant.spec.from.len()), ("spec.to", grant.spec.to.len())] {
        if count > MOST {
            found.invalid(At::field(at), &count.to_string(), "{} entries; a grant has at most 16 of each");
        }
    }
}
