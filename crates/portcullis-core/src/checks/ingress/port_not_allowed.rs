//! `ingress/port-not-allowed`

use crate::checks::{Actions, Check, CheckOption, Context, Run};
use crate::cluster::Lookup;
use crate::config::{Options, PortRange};
use crate::finding::Findings;
use crate::kinds::ingress::ServiceBackend;
use crate::kinds::{Ingress, Kind, walk};

pub static CHECK: Check = Check {
    id: "ingress/port-not-allowed",
    needs: &[Kind::Service],
    options: &[CheckOption::RequireOneOf("allow"), CheckOption::RequireOneOf("deny")],
    page: include_str!("port_not_allowed.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Options { allow, deny, .. } = cx.options;
    if allow.is_none() && deny.is_none() {
        return;
    }
    for (at, backend) in walk::service_backends(ingress) {
        let Some(port) = number(backend, cx) else { continue };
        let is_in = |ranges: &Option<Vec<PortRange>>| ranges.iter().flatten().any(|range| range.contains(port));
        let is_denied = is_in(deny);
        if !is_denied && (allow.is_none() || is_in(allow)) {
            continue;
        }
        let (field, args) = match backend.port.name() {
            Some(name) => ("port.name", format!("{name} ({port})")),
            None => ("port.number", port.to_string()),
        };
        let (at, value) = (at.then(field), port.to_string());
        match allow {
            Some(allowed) if !is_denied => {
                let template = "port {} is not allowed here (allowed: {})";
                found.forbidden(at, &value, template).args([&args, &list(allowed)])
            }
            _ => found.forbidden(at, &value, "port {} is not allowed here").args([&args]),
        };
    }
}

/// The port number of a backend. A port name is looked up in the Service; `None` if that is not possible.
fn number(backend: &ServiceBackend<'_>, cx: &Context<'_>) -> Option<i64> {
    let Some(name) = backend.port.name() else { return backend.port.number() };
    match cx.cluster.service(cx.namespace(), &backend.name) {
        Lookup::Found(service) => service.port_named(name),
        Lookup::Absent | Lookup::Unknown => None,
    }
}

fn list(ranges: &[PortRange]) -> String {
    ranges.iter().map(PortRange::to_string).collect::<Vec<_>>().join(", ")
}
