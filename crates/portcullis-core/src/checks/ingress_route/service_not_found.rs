//! `ingress-route/service-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::finding::Findings;
use crate::kinds::walk::IngressRouteParts;
use crate::kinds::{Kind, ObjectRef};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress-route/service-not-found",
    needs: &[Kind::Service],
    page: include_str!("service_not_found.md"),
    run: Run::IngressRouteParts(check),
    ..Check::reference(Actions::WARN)
};

fn check(route: &IngressRouteParts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let services = route.services().filter(|(_, service)| names::is_label(&service.name));
    for (at, service) in cx.part.within(services) {
        let object_ref = || ObjectRef::new(Kind::Service, cx.namespace(), &service.name);
        match (cx.cluster.service(cx.namespace(), &service.name), service.port) {
            (Lookup::Absent, _) => {
                let message = "{other} not found: this object serves nothing until it exists";
                found
                    .not_found(at.then("name"), &service.name, message)
                    .other(&object_ref())
                    .suggest(cx.cluster.similar(&object_ref()));
            }
            (Lookup::Found(known), Some(port)) if names::is_port(port) && !known.may_have_port(port) => {
                let port = port.to_string();
                found
                    .not_found(at.then("port"), &port, "port {} is not a port of {other} (it has {})")
                    .args([&port, &known.port_numbers()])
                    .other(&object_ref());
            }
            _ => {}
        }
    }
}
