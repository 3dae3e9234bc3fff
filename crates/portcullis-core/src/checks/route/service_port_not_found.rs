//! `route/service-port-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::names;
use crate::routing::backend::{Destination, Resolution};

pub static CHECK: Check = Check {
    id: "route/service-port-not-found",
    needs: &[Kind::ReferenceGrant, Kind::Service],
    page: include_str!("service_port_not_found.md"),
    run: Run::Destinations(check),
    ..Check::reference(Actions::WARN)
};

fn check(destinations: &[Destination<'_, '_, '_>], _: &Context<'_>, found: &mut Findings<'_>) {
    for Destination { at, backend, resolution } in destinations {
        let Some(port) = backend.port.filter(|port| names::is_port(*port)) else { continue };
        if let Resolution::NoPort(service) = resolution {
            let port = port.to_string();
            found
                .not_found(at.then("port"), &port, "port {} is not a port of {other} (it has {})")
                .redactable(&service.port_numbers(), "others")
                .other(&service.object_ref());
        }
    }
}
