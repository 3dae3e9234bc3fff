//! `httpproxy/tls-secret-required`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::HttpProxy;

pub static CHECK: Check = Check {
    id: "httpproxy/tls-secret-required",
    page: include_str!("tls_secret_required.md"),
    run: Run::HttpProxy(check),
    ..Check::shape(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(tls) = proxy.spec.virtualhost.as_ref().and_then(|host| host.tls.as_ref()) else { return };
    let is_blank = tls.secret_name.as_deref().is_none_or(|name| name.trim().is_empty());
    if is_blank && !tls.passthrough {
        let sentence = "tls needs a Secret with the certificate, or passthrough";
        found.required(At::field("spec.virtualhost.tls.secretName"), sentence);
    }
}
