//! `ingressroute/fqdn-wildcard`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressRoute;

pub static CHECK: Check = Check {
    id: "ingressroute/fqdn-wildcard",
    page: include_str!("fqdn_wildcard.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(virtualhost) = &route.spec.virtualhost else { return };
    if virtualhost.fqdn.contains('*') {
        let at = At::field("spec.virtualhost.fqdn");
        found.invalid(at, &virtualhost.fqdn, "`{}` is a wildcard, and a root owns one host: write a root for each");
    }
}
