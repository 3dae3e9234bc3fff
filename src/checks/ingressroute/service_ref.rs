//! `ingressroute/service-ref`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::IngressRouteParts;
use crate::names;

pub static CHECK: Check = Check {
    id: "ingressroute/service-ref",
    page: include_str!("service_ref.md"),
    run: Run::IngressRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, service) in route.services() {
        match &*service.name {
            "" => {
                found.required(at.then("name"), "a service needs a name");
            }
            name if !names::is_label(name) => {
                found.malformed(
                    at.then("name"),
                    name,
                    "`{}` is no Service's name: at most 63 of `a-z0-9-`, no `-` at an end",
                );
            }
            _ => {}
        }
    }
}
