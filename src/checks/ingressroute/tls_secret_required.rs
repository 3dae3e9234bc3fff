//! `ingressroute/tls-secret-required`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressRoute;

pub static CHECK: Check = Check {
    id: "ingressroute/tls-secret-required",
    page: include_str!("tls_secret_required.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let tls = route.spec.virtualhost.as_ref().and_then(|virtualhost| virtualhost.tls.as_ref());
    if tls.is_some_and(|tls| tls.secret_name.is_empty() && !tls.passthrough) {
        let at = At::field("spec.virtualhost.tls.secretName");
        found.required(at, "TLS needs the Secret with the host's certificate and key");
    }
}
