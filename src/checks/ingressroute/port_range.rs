//! `ingressroute/port-range`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::IngressRouteParts;
use crate::names;

pub static CHECK: Check = Check {
    id: "ingressroute/port-range",
    page: include_str!("port_range.md"),
    run: Run::IngressRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, service) in route.services() {
        match service.port {
            None => {
                found.required(at.then("port"), "a service needs the number of its port");
            }
            Some(port) if !names::is_port(port) => {
                found.invalid(at.then("port"), &port.to_string(), "port {} must be from 1 to 65535");
            }
            Some(_) => {}
        }
    }
}
