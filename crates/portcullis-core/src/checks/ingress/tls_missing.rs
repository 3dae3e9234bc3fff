//! `ingress/tls-missing`

use super::tls_annotations::{enables_tls, is_canary};
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind};
use crate::matching::Mark;

pub static CHECK: Check = Check {
    id: "ingress/tls-missing",
    needs: &[Kind::IngressClass],
    page: include_str!("tls_missing.md"),
    requires_https: true,
    run: Run::Ingress(check),
    ..Check::policy(Actions::RESTRICTED)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // An ACME server sends plain-text requests, because the certificate does not exist yet. A canary uses the TLS settings of
    // the Ingress that it belongs to.
    let is_exempt =
        || Mark::of_ingress(ingress) == Mark::AcmeSolver || is_canary(ingress, cx) || enables_tls(ingress, cx);
    if ingress.spec.tls.is_empty() && !is_exempt() {
        found.required(At::field("spec.tls"), "TLS is required: without it requests may travel in plain text");
    }
}
