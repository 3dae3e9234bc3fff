//! `ingress-route/tls-secret-unusable`

use super::tls_secret;
use crate::checks::{Actions, Check, Context, Run, secret_for_tls};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressRoute;

pub static CHECK: Check = Check {
    id: "ingress-route/tls-secret-unusable",
    page: include_str!("tls_secret_unusable.md"),
    run: Run::IngressRoute(check),
    ..Check::reference(Actions::WARN)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if let Some((name, secret)) = tls_secret::named(route, cx) {
        secret_for_tls::check(At::field("spec.virtualhost.tls.secretName"), name, secret, found);
    }
}
