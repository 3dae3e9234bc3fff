//! `reference-grant/without-effect`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::reference_grant::{GrantFrom, GrantTo};
use crate::kinds::{ReferenceGrant, walk};
use crate::routing::grant;

pub static CHECK: Check = Check {
    id: "reference-grant/without-effect",
    page: include_str!("without_effect.md"),
    run: Run::ReferenceGrant(check),
    ..Check::reference(Actions::WARN)
};

fn check(grant: &ReferenceGrant<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let (from, to) = (walk::reference_grant::from(grant), walk::reference_grant::to(grant));
    let is_useless = |from: &GrantFrom<'_>, to: &GrantTo<'_>| {
        let referrer = (from.group.as_deref().unwrap_or_default(), &*from.kind);
        let referent = (to.group.as_deref().unwrap_or_default(), &*to.kind);
        grant::is_needed(referrer, referent) == Some(false)
    };
    if grant.spec.from.is_empty() || grant.spec.to.is_empty() {
        return;
    }
    for (at, from) in from.clone() {
        if to.clone().all(|(_, to)| is_useless(from, to)) {
            found.invalid(at.then("kind"), &from.kind, "{} never needs a grant for anything that `to` lists");
        }
    }
    for (at, to) in to {
        if from.clone().all(|(_, from)| is_useless(from, to)) {
            found.invalid(at.then("kind"), &to.kind, "{} is nothing that those in `from` need a grant for");
        }
    }
}
