//! `ingress/service-port-protocol-mismatch`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind, walk};

pub static CHECK: Check = Check {
    id: "ingress/service-port-protocol-mismatch",
    needs: &[Kind::Service],
    page: include_str!("service_port_protocol_mismatch.md"),
    run: Run::Ingress(check),
    ..Check::reference(Actions::WARN)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, backend) in walk::service_backends(ingress).filter(|(_, backend)| !backend.is_action()) {
        let Lookup::Found(service) = cx.cluster.service(cx.namespace(), &backend.name) else { continue };
        let (field, port, takes_tcp) = match (backend.port.name(), backend.port.number()) {
            (Some(port), None) => ("port.name", port.to_owned(), service.takes_tcp(|name, _| name == Some(port))),
            (None, Some(port)) => ("port.number", port.to_string(), service.takes_tcp(|_, number| number == port)),
            _ => continue,
        };
        if takes_tcp == Some(false) {
            let template = "port {} of {other} does not use TCP, so it cannot answer HTTP requests";
            found.invalid(at.then(field), &port, template).args([&port]).other(&service.object_ref());
        }
    }
}
