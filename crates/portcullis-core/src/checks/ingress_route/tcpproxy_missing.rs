//! `ingress-route/tcpproxy-missing`

use crate::checks::{Actions, Check, Context, Run, delegation};
use crate::config::Extension;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind};

pub static CHECK: Check = Check {
    id: "ingress-route/tcpproxy-missing",
    needs: &[Kind::IngressRoute],
    page: include_str!("tcpproxy_missing.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let is_root = route.spec.virtualhost.is_some();
    if is_root || route.spec.tcpproxy.is_some() || !cx.config.extensions.contains(&Extension::TcpProxy) {
        return;
    }
    let delegations = delegation::graph_context(route, cx).delegations();
    // If a prefix is also delegated to this object, it may serve only that.
    let is_tcp_only =
        delegations.iter().all(|by| by.edge.is_none()) && !cx.cluster.has_unknown_referrers(Kind::IngressRoute);
    if let Some(first) = delegations.first().filter(|_| is_tcp_only) {
        let template = "required: {other} delegates its connections to this object; set services or a delegate";
        found.required(At::field("spec.tcpproxy"), template).other(&first.by.object_ref);
    }
}
