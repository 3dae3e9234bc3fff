//! `reference-grant/from-not-allowed`

use crate::checks::{Actions, Check, CheckOption, Context, Run};
use crate::cluster::Lookup;
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
        // No finding if this depends on namespace labels that are not known. The creator of a namespace may choose its labels, so a
        // grant for one that does not exist needs its name.
        let is_selected = cx.cluster.selects(grantees, &from.namespace);
        let is_absent = matches!(cx.cluster.namespace(&from.namespace), Lookup::Absent);
        if is_selected == Some(false) || is_selected.is_none() && is_absent {
            found.forbidden(at.then("namespace"), &from.namespace, "a grant for namespace {} is not allowed");
        }
    }
}
