//! `backend-tls-policy/target-section-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::reference::TargetRef;
use crate::kinds::{BackendTlsPolicy, walk};

pub static CHECK: Check = Check {
    id: "backend-tls-policy/target-section-missing",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("target_section_missing.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::shape(Actions::DENY)
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let section = |target: &TargetRef<'_>| target.section_name.as_deref().is_some_and(|section| !section.is_empty());
    let targets = walk::backend_tls_policy::targets(policy);
    for (at, target) in targets.clone().filter(|(_, target)| !section(target)) {
        if targets.clone().any(|(_, other)| section(other) && other.is_same_object(target)) {
            let template = "{} is named by port as well; with several entries for one Service each names a port";
            found.required(at.then("sectionName"), template).shown([&*target.name]);
        }
    }
}
