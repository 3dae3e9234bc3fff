//! `backend-tls-policy/target-kind-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{BackendTlsPolicy, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "backend-tls-policy/target-kind-unknown",
    page: include_str!("target_kind_unknown.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::reference(Actions::WARN)
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, target) in walk::backend_tls_policy::targets(policy) {
        let (group, kind) = (target.group(), target.kind_or(""));
        // The form of a group or a kind is another fault, and what an implementation's own kinds are only it knows.
        if group.contains('.') || !names::is_group(group) || !names::is_kind(kind) || target.is_service() {
            continue;
        }
        match kind {
            "Service" if group.is_empty() => {}
            "Service" => {
                found.invalid(at.then("group"), group, "a Service is of the group \"\", not `{}`");
            }
            _ => {
                let sentence = "a policy is about Services, and `{}` is none: name the Service of the backend";
                found.not_supported(at.then("kind"), kind, sentence);
            }
        }
    }
}
