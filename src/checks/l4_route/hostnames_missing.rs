//! `l4-route/hostnames-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, L4Route};

pub static CHECK: Check = Check {
    id: "l4-route/hostnames-missing",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("hostnames_missing.md"),
    run: Run::L4Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &L4Route<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if cx.this.kind == Kind::TlsRoute && !route.is_v1alpha2() && route.spec.hostnames.is_empty() {
        found.required(
            At::field("spec.hostnames"),
            "a TLSRoute names at least one host: TLS clients are told apart by it",
        );
    }
}
