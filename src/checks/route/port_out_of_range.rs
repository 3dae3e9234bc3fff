//! `route/port-out-of-range`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::names;

pub static CHECK: Check = Check {
    id: "route/port-out-of-range",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("port_out_of_range.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for reference in route.references() {
        let Some(port) = reference.port.filter(|port| !names::is_port(*port)) else { continue };
        found.invalid(reference.at.then("port"), &port.to_string(), "{} is no port: 1 to 65535");
    }
}
