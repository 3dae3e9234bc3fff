//! `http-proxy/service-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::finding::Findings;
use crate::kinds::{HttpProxy, Kind, ObjectRef, walk};

pub static CHECK: Check = Check {
    id: "http-proxy/service-not-found",
    needs: &[Kind::Service],
    page: include_str!("service_not_found.md"),
    run: Run::HttpProxy(check),
    ..Check::reference(Actions::WARN)
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let namespace = cx.namespace();
    let services = walk::http_proxy::services(proxy).filter(|(_, service)| !service.name.is_empty());
    for (at, service) in cx.part.within(services) {
        let known = match cx.cluster.service(namespace, &service.name) {
            Lookup::Found(known) => known,
            Lookup::Absent => {
                let message = "Service {}/{} not found: it receives no traffic until it exists";
                found
                    .not_found(at.then("name"), &service.name, message)
                    .args([namespace, &service.name])
                    .suggest(cx.cluster.similar(&ObjectRef::new(Kind::Service, namespace, &service.name)));
                continue;
            }
            Lookup::Unknown => continue,
        };
        let Some(port) = service.port.filter(|port| !known.may_have_port(*port)) else { continue };
        let (port, has) = (port.to_string(), known.port_numbers());
        let finding = found.not_found(at.then("port"), &port, "port {} is not a port of {other} (it has {})");
        finding.args([&port, &has]).other(&known.object_ref());
    }
}
