//! `ingressroute/tcpproxy`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::{Extension, Theme};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressRoute;

pub static CHECK: Check = Check {
    id: "ingressroute/tcpproxy",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("tcpproxy.md"),
    run: Run::IngressRoute(check),
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(tcp) = &route.spec.tcpproxy else { return };
    let at = At::field("spec.tcpproxy");
    if !cx.config.extensions.contains(&Extension::TcpProxy) {
        found.forbidden(at, "", "tcpproxy is an extension: `extensions: [tcpproxy]` switches it on");
        return;
    }
    match (tcp.services.is_empty(), &tcp.delegate) {
        (true, None) => {
            found.invalid(at, "none", "tcpproxy leads nowhere: give it services, or delegate it");
        }
        (false, Some(_)) => {
            found.invalid(at, "both", "tcpproxy has services and delegates: leave one of the two out");
        }
        _ => {}
    }
    if route.spec.virtualhost.as_ref().is_some_and(|virtualhost| virtualhost.tls.is_none()) {
        found.invalid(at, "plain", "connections are told apart by the server name of TLS: give the host `tls`");
    }
}
