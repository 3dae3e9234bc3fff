//! `ingress-route/tls-secret-in-other-namespace`

use super::tls_secret;
use crate::checks::{Actions, Check, Context, Run};
use crate::config::Extension;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressRoute;
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress-route/tls-secret-in-other-namespace",
    page: include_str!("tls_secret_in_other_namespace.md"),
    run: Run::IngressRoute(check),
    ..Check::tenancy(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let tls = route.spec.virtualhost.as_ref().and_then(|virtualhost| virtualhost.tls.as_ref());
    let Some(secret) = tls.map(|tls| &tls.secret_name).filter(|secret| !secret.is_empty()) else { return };
    let at = At::field("spec.virtualhost.tls.secretName");
    let (namespace, name) = tls_secret::parts(secret);
    if namespace.is_some() && names::is_place(secret) && !cx.config.extensions.contains(&Extension::CertDelegation) {
        let message = match namespace == Some(cx.namespace()) {
            true => "`{}` must not name a namespace: use `{}`",
            false => "`{}` is in another namespace: enable extension certdelegation",
        };
        found.forbidden(at, secret, message).args([&**secret, name]);
    }
}
