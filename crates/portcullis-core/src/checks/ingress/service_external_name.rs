//! `ingress/service-external-name`

use crate::checks::{Actions, Check, Context, Run, external_name};
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind, walk};

pub static CHECK: Check = Check {
    id: "ingress/service-external-name",
    needs: &[Kind::Service],
    page: include_str!("service_external_name.md"),
    run: Run::Ingress(check),
    ..Check::reference(Actions::ACROSS)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let services = walk::service_backends(ingress).filter(|(_, backend)| !backend.is_action());
    for (at, service) in cx.part.within(services) {
        external_name::report_named(at, &service.name, cx, found);
    }
}
