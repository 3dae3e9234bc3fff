//! `ingress/service-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind, ObjectRef, walk};

pub static CHECK: Check = Check {
    id: "ingress/service-not-found",
    needs: &[Kind::Service],
    page: include_str!("service_not_found.md"),
    run: Run::Ingress(check),
    ..Check::reference(Actions::WARN)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let namespace = cx.namespace();
    let services = walk::service_backends(ingress).filter(|(_, backend)| !backend.is_action());
    for (at, service) in cx.part.within(services) {
        if !service.name.is_empty() && cx.cluster.service(namespace, &service.name) == Lookup::Absent {
            found
                .not_found(at.then("name"), &service.name, "Service {}/{} not found")
                .args([namespace, &service.name])
                .suggest(cx.cluster.similar(&ObjectRef::new(Kind::Service, namespace, &service.name)));
        }
    }
}
