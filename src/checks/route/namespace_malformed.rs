//! `route/namespace-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::names;

pub static CHECK: Check = Check {
    id: "route/namespace-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("namespace_malformed.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for reference in route.references() {
        let Some(namespace) = reference.namespace.filter(|namespace| !names::is_label(namespace)) else { continue };
        let otherwise = "`{}` is no namespace: 1 to 63 letters, digits and `-`, none of these first or last";
        found.malformed(reference.at.then("namespace"), namespace, otherwise);
    }
}
