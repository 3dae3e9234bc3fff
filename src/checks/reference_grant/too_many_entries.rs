//! `reference-grant/too-many-entries`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::ReferenceGrant;

/// The most entries of `from`, and of `to`.
const MOST: usize = 16;

pub static CHECK: Check = Check {
    id: "reference-grant/too-many-entries",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("too_many_entries.md"),
    run: Run::ReferenceGrant(check),
};

fn check(grant: &ReferenceGrant<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, count) in [("spec.from", grant.spec.from.len()), ("spec.to", grant.spec.to.len())] {
        if count > MOST {
            found.invalid(At::field(at), &count.to_string(), "{} entries; a grant has at most 16 of each");
        }
    }
}
