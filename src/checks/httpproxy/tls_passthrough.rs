//! `httpproxy/tls-passthrough`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::HttpProxy;

pub static CHECK: Check = Check {
    id: "httpproxy/tls-passthrough",
    page: include_str!("tls_passthrough.md"),
    run: Run::HttpProxy(check),
    ..Check::shape(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let tls = proxy.spec.virtualhost.as_ref().and_then(|host| host.tls.as_ref());
    let Some(tls) = tls.filter(|tls| tls.passthrough) else { return };
    let at = At::field("spec.virtualhost.tls");
    if let Some(secret) = tls.secret_name.as_deref().filter(|name| !name.trim().is_empty()) {
        let sentence = "passthrough leaves TLS to the service, so `{}` is never used: drop one of the two";
        found.forbidden(at.then("secretName"), secret, sentence);
    }
    if tls.enable_fallback_certificate {
        let sentence = "passthrough leaves TLS to the service, so no certificate answers in its place: drop one";
        found.forbidden(at.then("enableFallbackCertificate"), "", sentence);
    }
}
