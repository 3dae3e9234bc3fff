//! `route/service-port-protocol-mismatch`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::routing::backend::{Destination, Resolution, is_wrong_transport};

pub static CHECK: Check = Check {
    id: "route/service-port-protocol-mismatch",
    needs: &[Kind::ReferenceGrant, Kind::Service],
    page: include_str!("service_port_protocol_mismatch.md"),
    run: Run::Destinations(check),
    ..Check::reference(Actions::WARN)
};

fn check(destinations: &[Destination<'_, '_, '_>], cx: &Context<'_>, found: &mut Findings<'_>) {
    for Destination { at, backend, resolution } in destinations {
        let (Some(port), Resolution::Resolved(service)) = (backend.port, resolution) else { continue };
        if !is_wrong_transport(cx.this.kind, service, port) {
            continue;
        }
        let template = match cx.this.kind {
            Kind::UdpRoute => "port {} of {other} has protocol TCP; a UDPRoute requires a UDP port",
            _ => "port {} of {other} does not have protocol TCP: use a TCP port",
        };
        let written = port.to_string();
        found.invalid(at.then("port"), &written, template).args([&written]).other(&service.object_ref());
    }
}
