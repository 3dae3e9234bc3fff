//! Rules for `spec.virtualhost.tls`.

use crate::field::At;
use crate::finding::Findings;
use crate::kinds::HttpProxy;
use crate::kinds::http_proxy::{PROXY_TLS_VERSIONS, ProxyTls};
use crate::validation::validators as must;

const TLS: At = At::field("spec.virtualhost.tls");

fn tls<'o, 'a>(proxy: &'o HttpProxy<'a>) -> Option<&'o ProxyTls<'a>> {
    proxy.spec.virtualhost.as_ref()?.tls.as_ref()
}

/// The Secret as written, `name` or `namespace/name`, if there is one.
pub(super) fn secret<'o>(proxy: &'o HttpProxy<'_>) -> impl Iterator<Item = (At, &'o str)> {
    let written = tls(proxy).and_then(|tls| tls.secret_name.as_deref()).filter(|secret| !secret.trim().is_empty());
    written.into_iter().map(|secret| (At::field("spec.virtualhost.tls.secretName"), secret))
}

pub(super) fn passthrough(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    if tls(proxy).is_some_and(|tls| tls.passthrough) {
        let template = "secretName `{}` and passthrough must not both be set: remove one of them";
        found.each(secret(proxy), must::be_absent(template));
    }
}

pub(super) fn passthrough_unanswered(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    let spec = &proxy.spec;
    let has_routes = !spec.routes.is_empty() || !spec.includes.is_empty();
    if tls(proxy).is_some_and(|tls| tls.passthrough) && spec.tcpproxy.is_none() && has_routes {
        let template = "passthrough requires tcpproxy: routes answer no HTTPS requests";
        found.required(At::field("spec.tcpproxy"), template);
    }
}

pub(super) fn secret_required(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    if tls(proxy).is_some_and(|tls| !tls.passthrough) && secret(proxy).next().is_none() {
        found.required(TLS.then("secretName"), "a Secret with the certificate and key is required, or passthrough");
    }
}

pub(super) fn versions(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    let Some(tls) = tls(proxy) else { return };
    let [oldest, newest] = PROXY_TLS_VERSIONS;
    let bounds = [
        ("minimumProtocolVersion", tls.minimum_protocol_version.as_deref(), oldest),
        ("maximumProtocolVersion", tls.maximum_protocol_version.as_deref(), newest),
    ];
    for (field, written, default) in bounds {
        if let Some(version) = written.filter(|version| !version.is_empty() && !PROXY_TLS_VERSIONS.contains(version)) {
            let template = "`{}` is not supported: use \"1.2\" or \"1.3\"; Contour uses {} instead";
            found.not_supported(TLS.then(field), version, template).args([version, default]).only_warns();
        }
    }
    let (minimum, maximum) = (tls.oldest_version(), tls.newest_version());
    // Contour ignores the TLS versions if it passes TLS through.
    if minimum > maximum && !tls.passthrough {
        let template = "the minimum version {} must not be greater than the maximum version {}";
        let finding = found.invalid(TLS.then("minimumProtocolVersion"), &format!("{minimum} {maximum}"), template);
        finding.args([minimum, maximum]);
    }
}

pub(super) fn fallback_unused(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    if tls(proxy).is_some_and(|tls| tls.passthrough && tls.enable_fallback_certificate) {
        let template = "enableFallbackCertificate and passthrough must not both be set: remove one of them";
        found.forbidden(TLS.then("enableFallbackCertificate"), "", template);
    }
}
