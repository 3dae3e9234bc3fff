//! `backend-tls-policy/incomplete`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{BackendTlsPolicy, walk};

pub static CHECK: Check = Check {
    id: "backend-tls-policy/incomplete",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("incomplete.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::shape(Actions::DENY)
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if policy.spec.target_refs.is_empty() {
        found.required(At::field("spec.targetRefs"), "a policy says which Service it is about: at least one entry");
    }
    for (at, reference) in walk::backend_tls_policy::references(policy) {
        if reference.group.is_none() {
            found.required(at.then("group"), r#"the group must be named; it is "" for the core group"#);
        }
        if reference.kind.as_deref().unwrap_or_default().is_empty() {
            found.required(at.then("kind"), "the kind must be named");
        }
        if reference.name.is_empty() {
            found.required(at.then("name"), "the name must be given");
        }
    }
    if policy.spec.validation.hostname.is_empty() {
        let at = At::field("spec.validation.hostname");
        found.required(at, "the host that the backend's certificate must be for is missing");
    }
}
