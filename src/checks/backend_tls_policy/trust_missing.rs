//! `backend-tls-policy/trust-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::BackendTlsPolicy;

pub static CHECK: Check = Check {
    id: "backend-tls-policy/trust-missing",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("trust_missing.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::shape(Actions::DENY)
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let validation = &policy.spec.validation;
    if validation.ca_certificate_refs.is_empty() && validation.well_known().is_none() {
        let at = At::field("spec.validation");
        found.required(at, "no authority is trusted; name caCertificateRefs, or wellKnownCACertificates: System");
    }
}
