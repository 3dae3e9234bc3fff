//! `http-proxy/tls-secret-unusable`

use crate::checks::{Actions, Check, Context, Run, secret_for_tls};
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{HttpProxy, Kind};
use crate::names;

pub static CHECK: Check = Check {
    id: "http-proxy/tls-secret-unusable",
    needs: &[Kind::ProxyCertificateDelegation],
    page: include_str!("tls_secret_unusable.md"),
    run: Run::HttpProxy(check),
    ..Check::reference(Actions::WARN)
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let tls = proxy.spec.virtualhost.as_ref().and_then(|host| host.tls.as_ref());
    let Some(written) = tls.and_then(|tls| tls.secret_name.as_deref()).filter(|name| !name.trim().is_empty()) else {
        return;
    };
    // Without a slash, the Secret is in the namespace of the object.
    let (namespace, name) = written.split_once('/').unwrap_or((cx.namespace(), written));
    let at = At::field("spec.virtualhost.tls.secretName");
    if !names::is_place(written) {
        return;
    }
    if cx.cluster.delegates_certificate(Kind::ProxyCertificateDelegation, namespace, name, cx.namespace())
        == Lookup::Absent
    {
        let message =
            "no TLSCertificateDelegation.projectcontour.io in {} delegates Secret `{}` to {}: the host is not served";
        found.not_found(at, written, message).args([namespace, name, cx.namespace()]);
    } else {
        secret_for_tls::check(at, written, cx.cluster.secret(namespace, name), found);
    }
}
