//! `ingress-route/extension-disabled`

use crate::checks::{Actions, Check, Context, Run};
use crate::config::Extension;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressRoute;

pub static CHECK: Check = Check {
    id: "ingress-route/extension-disabled",
    page: include_str!("extension_disabled.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if cx.config.extensions.contains(&Extension::TcpProxy) {
        return;
    }
    let tls = route.spec.virtualhost.as_ref().and_then(|virtualhost| virtualhost.tls.as_ref());
    if tls.is_some_and(|tls| tls.passthrough) {
        let template = "passthrough is an extension: enable it with `extensions: [tcpproxy]`";
        found.forbidden(At::field("spec.virtualhost.tls.passthrough"), "true", template);
    }
    if route.spec.tcpproxy.is_some() {
        let template = "tcpproxy is an extension: enable it with `extensions: [tcpproxy]`";
        found.forbidden(At::field("spec.tcpproxy"), "", template);
    }
}
