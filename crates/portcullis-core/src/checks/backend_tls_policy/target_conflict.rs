//! `backend-tls-policy/target-conflict`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{BackendTlsPolicy, Kind, walk};
use crate::routing::policy_conflict;

pub static CHECK: Check = Check {
    id: "backend-tls-policy/target-conflict",
    needs: &[Kind::BackendTlsPolicy],
    page: include_str!("target_conflict.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::conflict(Actions::ACROSS)
};

fn check(policy: &BackendTlsPolicy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, target) in walk::backend_tls_policy::targets(policy) {
        let section = target.section_name.as_deref().filter(|section| !section.is_empty());
        if let Some(other) = policy_conflict::rivals(target, cx.cluster).next() {
            let named =
                section.map_or_else(|| target.name.to_string(), |section| format!("{}, port {section}", target.name));
            found
                .duplicate(at, &named, "{other} also targets {}; the older of the two policies takes precedence")
                .args([&*target.name])
                .other(&other.object_ref);
        }
    }
}
