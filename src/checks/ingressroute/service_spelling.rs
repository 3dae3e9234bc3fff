//! `ingressroute/service-spelling`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/service-spelling",
    page: include_str!("service_spelling.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path) in walk::ingress_route::routes(route) {
        if path.is_spelt_twice() {
            found.invalid(at, path.prefix(), "route `{}` has `services` and `service`: keep only `services`");
        } else if path.service.is_some() {
            let sentence = "write `services` with a list: Contour never read `service`";
            found.not_supported(at.then("service"), "service", sentence).only_warns();
        }
    }
}
