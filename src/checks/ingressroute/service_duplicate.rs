//! `ingressroute/service-duplicate`

use hashbrown::HashSet;

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/service-duplicate",
    page: include_str!("service_duplicate.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::WARN)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for (number, list) in walk::ingress_route::service_lists(route).enumerate() {
        for (position, service) in list.services.iter().enumerate().filter(|(_, service)| !service.name.is_empty()) {
            if !seen.insert((number, &*service.name, service.port)) {
                let port = service.port.unwrap_or_default();
                let value = format!("{}:{port}", service.name);
                found.duplicate(list.element(position), &value, "{} stands in this route twice: give it one weight");
            }
        }
    }
}
