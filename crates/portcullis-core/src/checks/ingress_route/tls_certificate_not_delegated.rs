//! `ingress-route/tls-certificate-not-delegated`

use super::tls_secret;
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::config::Extension;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind};

pub static CHECK: Check = Check {
    id: "ingress-route/tls-certificate-not-delegated",
    needs: &[Kind::TlsCertificateDelegation],
    page: include_str!("tls_certificate_not_delegated.md"),
    run: Run::IngressRoute(check),
    ..Check::reference(Actions::WARN)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let tls = route.spec.virtualhost.as_ref().and_then(|virtualhost| virtualhost.tls.as_ref());
    let Some(secret) = tls.map(|tls| &tls.secret_name) else { return };
    let (Some(owner), name) = tls_secret::parts(secret) else { return };
    if !cx.config.extensions.contains(&Extension::CertDelegation) {
        return;
    }
    if cx.cluster.delegates_certificate(Kind::TlsCertificateDelegation, owner, name, cx.namespace()) == Lookup::Absent {
        let at = At::field("spec.virtualhost.tls.secretName");
        let message = "no TLSCertificateDelegation.contour.heptio.com in {} delegates `{}` to {}";
        found.not_found(at, secret, message).args([owner, name, cx.namespace()]);
    }
}
