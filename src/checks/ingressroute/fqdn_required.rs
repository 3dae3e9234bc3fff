//! `ingressroute/fqdn-required`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressRoute;

pub static CHECK: Check = Check {
    id: "ingressroute/fqdn-required",
    page: include_str!("fqdn_required.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(virtualhost) = &route.spec.virtualhost else { return };
    if virtualhost.fqdn.trim().is_empty() {
        found.required(At::field("spec.virtualhost.fqdn"), "a root needs its host, such as shop.example.com");
    }
}
