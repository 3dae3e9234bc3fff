//! `gateway/frontend-port-unused`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Gateway, Kind, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "gateway/frontend-port-unused",
    needs: &[Kind::ListenerSet],
    page: include_str!("frontend_port_unused.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::WARN)
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, entry) in walk::gateway::frontend_ports(gateway) {
        let Some(port) = entry.port.filter(|port| names::is_port(*port)) else { continue };
        let mut own = gateway.spec.listeners.iter();
        if own.any(|listener| &*listener.protocol == "HTTPS" && listener.port == Some(port)) {
            continue;
        }
        let added = cx.cluster.listener_owners(cx.this, (port, "HTTPS", None));
        if added.is_empty() && knows_added(gateway, cx) {
            found.not_found(
                at.then("port"),
                &port.to_string(),
                "port {} has no HTTPS listener: correct the port, or remove the entry",
            );
        }
    }
}

/// Whether every ListenerSet is known that may add listeners to the Gateway.
fn knows_added(gateway: &Gateway<'_>, cx: &Context<'_>) -> bool {
    match gateway.allowed_listeners().and_then(|namespaces| namespaces.from.as_deref()) {
        None | Some("None") => true,
        Some("Same") => cx.cluster.knows(Kind::ListenerSet, cx.namespace()),
        Some(_) => cx.cluster.is_complete(Kind::ListenerSet),
    }
}
