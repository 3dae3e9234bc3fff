//! `ingress/service-port-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/service-port-not-found",
    needs: &[Kind::Service],
    page: include_str!("service_port_not_found.md"),
    run: Run::Ingress(check),
    ..Check::reference(Actions::WARN)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, backend) in walk::service_backends(ingress).filter(|(_, backend)| !backend.is_action()) {
        let (name, number) = (backend.port.name(), backend.port.number());
        let Lookup::Found(service) = cx.cluster.service(cx.namespace(), &backend.name) else { continue };
        // A Service without a list of ports (`ExternalName`, headless) does not define which ports it has.
        if service.ports.is_empty() {
            continue;
        }
        let (field, port, has) = match (name, number) {
            // Another check reports a number in quotes.
            (Some(name), None) if names::is_number(name) => continue,
            (Some(name), None) if service.port_named(name).is_none() => {
                ("port.name", name.to_owned(), service.port_names())
            }
            (None, Some(number)) if !service.has_port(number) => {
                ("port.number", number.to_string(), service.port_numbers())
            }
            _ => continue,
        };
        found
            .not_found(at.then(field), &port, "port {} is not a port of {other} (it has {})")
            .args([&port, &has])
            .other(&service.object_ref());
    }
}
