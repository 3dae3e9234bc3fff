//! `backend-tls-policy/well-known-unknown`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::BackendTlsPolicy;
use crate::names;

/// The first release that allows implementation-specific sets of CA certificates.
const FIRST_WITH_IMPLEMENTATION_SETS: (u16, u16) = (1, 5);

pub static CHECK: Check = Check {
    id: "backend-tls-policy/well-known-unknown",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("well_known_unknown.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::shape(Actions::DENY)
};

fn check(policy: &BackendTlsPolicy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(well_known) = policy.spec.validation.well_known().filter(|set| *set != "System") else { return };
    let at = At::field("spec.validation.wellKnownCACertificates");
    if cx.cluster.schema(cx.this.kind).bundle.release < FIRST_WITH_IMPLEMENTATION_SETS {
        found.not_supported(at, well_known, "`{}` is not supported: use System");
    } else if !names::is_domain_prefixed_name(well_known) || names::is_too_long(well_known) {
        found.not_supported(
            at,
            well_known,
            "`{}` is not supported: use System, or a name such as example.com/internal",
        );
    }
}
