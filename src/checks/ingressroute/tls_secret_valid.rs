//! `ingressroute/tls-secret-valid`

use super::tls_secret;
use crate::checks::{Actions, Check, Context, Release, Run, certificate};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressRoute;

pub static CHECK: Check = Check {
    id: "ingressroute/tls-secret-valid",
    theme: Theme::Reference,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("tls_secret_valid.md"),
    run: Run::IngressRoute(check),
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if let Some((name, secret)) = tls_secret::named(route, cx) {
        certificate::judge(At::field("spec.virtualhost.tls.secretName"), name, secret, found);
    }
}
