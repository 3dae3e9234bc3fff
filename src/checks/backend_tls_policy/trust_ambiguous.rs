//! `backend-tls-policy/trust-ambiguous`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::BackendTlsPolicy;

pub static CHECK: Check = Check {
    id: "backend-tls-policy/trust-ambiguous",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("trust_ambiguous.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::shape(Actions::DENY)
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let validation = &policy.spec.validation;
    if let (false, Some(well_known)) = (validation.ca_certificate_refs.is_empty(), validation.well_known()) {
        let at = At::field("spec.validation.wellKnownCACertificates");
        found.forbidden(
            at,
            well_known,
            "{} and caCertificateRefs exclude each other; a policy trusts one or the other",
        );
    }
}
