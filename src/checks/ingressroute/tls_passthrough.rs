//! `ingressroute/tls-passthrough`

use crate::checks::{Actions, Check, Context, Run};
use crate::config::Extension;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressRoute;

pub static CHECK: Check = Check {
    id: "ingressroute/tls-passthrough",
    page: include_str!("tls_passthrough.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let tls = route.spec.virtualhost.as_ref().and_then(|virtualhost| virtualhost.tls.as_ref());
    let Some(tls) = tls.filter(|tls| tls.passthrough) else { return };
    let at = At::field("spec.virtualhost.tls.passthrough");
    if !cx.config.extensions.contains(&Extension::TcpProxy) {
        found.forbidden(at, "true", "passthrough is an extension: `extensions: [tcpproxy]` switches it on");
    } else if !tls.secret_name.is_empty() {
        let sentence = "passed-through TLS needs no Secret such as `{}`: leave one of the two out";
        found.invalid(at, &tls.secret_name, sentence);
    } else if route.spec.tcpproxy.is_none() {
        found.invalid(at, "true", "TLS is passed through to the services of tcpproxy, and there are none");
    }
}
