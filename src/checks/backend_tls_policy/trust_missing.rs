//! `backend-tls-policy/trust-missing`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::BackendTlsPolicy;

pub static CHECK: Check = Check {
    id: "backend-tls-policy/trust-missing",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("trust_missing.md"),
    run: Run::BackendTlsPolicy(check),
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let validation = &policy.spec.validation;
    if validation.ca_certificate_refs.is_empty() && validation.well_known().is_none() {
        let at = At::field("spec.validation");
        found.required(at, "no authority is trusted; name caCertificateRefs, or wellKnownCACertificates: System");
    }
}
