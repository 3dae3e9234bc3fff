//! `ingress-route/service-external-name`

use crate::checks::{Actions, Check, Context, Run, external_name};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::kinds::walk::IngressRouteParts;

pub static CHECK: Check = Check {
    id: "ingress-route/service-external-name",
    needs: &[Kind::Service],
    page: include_str!("service_external_name.md"),
    run: Run::IngressRouteParts(check),
    ..Check::reference(Actions::ACROSS)
};

fn check(route: &IngressRouteParts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, service) in cx.part.within(route.services()) {
        external_name::report_named(at, &service.name, cx, found);
    }
}
