//! `backend-tls-policy/target-repeated`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::reference::TargetRef;
use crate::kinds::{BackendTlsPolicy, walk};

pub static CHECK: Check = Check {
    id: "backend-tls-policy/target-repeated",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("target_repeated.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::shape(Actions::DENY)
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let targets = walk::backend_tls_policy::targets(policy);
    for (index, (at, target)) in targets.clone().enumerate() {
        let section = target.section_name.as_deref().unwrap_or_default();
        let is_repeated = |(_, other): (At, &TargetRef<'_>)| {
            other.is_same_object(target) && other.section_name.as_deref().unwrap_or_default() == section
        };
        if !target.name.is_empty() && targets.clone().take(index).any(is_repeated) {
            let named =
                if section.is_empty() { target.name.to_string() } else { format!("{}, port {section}", target.name) };
            found.duplicate(at, &named, "{} is a target of this policy already");
        }
    }
}
