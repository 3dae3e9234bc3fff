//! `reference-grant/from-not-allowed`

use crate::checks::{Actions, Check, CheckOption, Context, Run};
use crate::finding::Findings;
use crate::kinds::{ReferenceGrant, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "reference-grant/from-not-allowed",
    options: &[CheckOption::RequireOneOf("grantees")],
    page: include_str!("from_not_allowed.md"),
    run: Run::ReferenceGrant(check),
    ..Check::tenancy(Actions::DENY)
};

fn check(grant: &ReferenceGrant<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(grantees) = &cx.options.grantees else { return };
    for (at, from) in walk::reference_grant::from(grant).filter(|(_, from)| names::is_label(&from.namespace)) {
        // No finding if this depends on namespace labels that are not known.
        if cx.cluster.selects(grantees, &from.namespace) == Some(false) {
            found.forbidden(at.then("namespace"), &from.namespace, "a grant for namespace {} is not allowed");
        }
    }
}
