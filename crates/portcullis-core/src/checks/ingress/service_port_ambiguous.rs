//! `ingress/service-port-ambiguous`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::finding::{Action, Cause, Findings};
use crate::kinds::{Ingress, Kind, walk};

pub static CHECK: Check = Check {
    id: "ingress/service-port-ambiguous",
    // Off in the other profiles: the current API server always requires the port (`ingress/port-missing`).
    needs: &[Kind::Service],
    page: include_str!("service_port_ambiguous.md"),
    run: Run::Ingress(check),
    ..Check::reference(Actions::new(Action::Off, Action::Off, Action::Deny))
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, backend) in walk::service_backends(ingress) {
        if backend.port.name().is_some() || backend.port.number().is_some() {
            continue;
        }
        let Lookup::Found(service) = cx.cluster.service(cx.namespace(), &backend.name) else { continue };
        let template = match service.ports.len() {
            0 => "a port is required: {other} lists no ports, so no default can be chosen",
            1 => continue,
            _ => "a port is required: {other} has {} ports ({})",
        };
        found
            .add(Cause::Required, at.then("port"), &backend.name, template)
            .args([&service.ports.len().to_string(), &service.port_numbers()])
            .other(&service.object_ref());
    }
}
