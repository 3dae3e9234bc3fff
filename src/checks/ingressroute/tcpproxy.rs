//! `ingressroute/tcpproxy`

use crate::checks::{Actions, Check, Context, Run, delegation};
use crate::config::Extension;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind};

pub static CHECK: Check = Check {
    id: "ingressroute/tcpproxy",
    needs: &[Kind::IngressRoute],
    page: include_str!("tcpproxy.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let (at, is_on) = (At::field("spec.tcpproxy"), cx.config.extensions.contains(&Extension::TcpProxy));
    let Some(tcp) = &route.spec.tcpproxy else {
        // Where a prefix is delegated too, the object may serve that alone.
        let delegations = if is_on { delegation::neighbours(route, cx).delegations() } else { Vec::new() };
        if let Some(first) = delegations
            .first()
            .filter(|_| delegations.iter().all(|by| by.edge.is_none()) && route.spec.virtualhost.is_none())
        {
            let sentence = "{other} delegates its connections to this object: say where they go";
            found.required(at, sentence).other(&first.by.place);
        }
        return;
    };
    if !is_on {
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
