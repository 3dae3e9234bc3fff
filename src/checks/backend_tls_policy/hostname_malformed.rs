//! `backend-tls-policy/hostname-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::BackendTlsPolicy;
use crate::names;

pub static CHECK: Check = Check {
    id: "backend-tls-policy/hostname-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("hostname_malformed.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::shape(Actions::DENY)
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let hostname = &*policy.spec.validation.hostname;
    if !hostname.is_empty() && !names::is_subdomain(hostname) {
        let template = match hostname.starts_with("*.") {
            true => "`{}` is a wildcard; the host that a backend is asked for is one name",
            false => "`{}` is no DNS name",
        };
        found.malformed(At::field("spec.validation.hostname"), hostname, template);
    }
}
