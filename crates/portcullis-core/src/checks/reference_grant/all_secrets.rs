//! `reference-grant/all-secrets`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{ReferenceGrant, walk};

pub static CHECK: Check = Check {
    id: "reference-grant/all-secrets",
    page: include_str!("all_secrets.md"),
    run: Run::ReferenceGrant(check),
    ..Check::policy(Actions::RESTRICTED)
};

fn check(grant: &ReferenceGrant<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, to) in walk::reference_grant::to(grant) {
        let is_secret = to.group.as_deref().unwrap_or_default().is_empty() && &*to.kind == "Secret";
        if is_secret && to.name.as_deref().unwrap_or_default().is_empty() {
            let namespace = cx.namespace();
            found.forbidden(at, namespace, "allows references to every Secret of namespace {}: set `name`");
        }
    }
}
