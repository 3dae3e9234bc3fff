//! `listener/route-kind-mismatch`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::reference::GATEWAY_GROUP;
use crate::kinds::{Kind, Listeners, walk};
use crate::routing::attachment::fits_protocol;

/// The kinds of routes.
const ROUTES: [Kind; 5] = [Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute, Kind::TcpRoute, Kind::UdpRoute];

pub static CHECK: Check = Check {
    id: "listener/route-kind-mismatch",
    page: include_str!("route_kind_mismatch.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::ACROSS)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener, kind) in walk::listener::route_kinds(listeners) {
        let name = &*kind.kind;
        if kind.group.as_deref().unwrap_or(GATEWAY_GROUP) != GATEWAY_GROUP || name.is_empty() {
            continue;
        }
        let value = format!("{name} {}", listener.protocol);
        match ROUTES.into_iter().find(|route| route.api().kind == name) {
            Some(route) if fits_protocol(&listener.protocol, route) == Some(false) => {
                let sentence = "a listener of protocol {} takes no {}";
                found.not_supported(at.then("kind"), &value, sentence).shown([&*listener.protocol, name]);
            }
            Some(_) => {}
            None => {
                let sentence = "`{}` is no kind of route that the Gateway API has";
                found.not_supported(at.then("kind"), &value, sentence).shown([name]).only_warns();
            }
        }
    }
}
