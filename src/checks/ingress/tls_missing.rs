//! `ingress/tls-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Ingress;
use crate::matching::Mark;

pub static CHECK: Check = Check {
    id: "ingress/tls-missing",
    page: include_str!("tls_missing.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::RESTRICTED)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    // An ACME server asks in plain text, before there is a certificate; a canary takes the TLS of the Ingress beside it.
    if ingress.spec.tls.is_empty() && Mark::of_ingress(ingress) == Mark::None {
        found.required(At::field("spec.tls"), "no TLS is asked for, so requests may travel in plain text");
    }
}
