//! `route/service-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Kind, ObjectRef};
use crate::routing::backend::{Destination, Resolution};

pub static CHECK: Check = Check {
    id: "route/service-not-found",
    needs: &[Kind::ReferenceGrant, Kind::Service],
    page: include_str!("service_not_found.md"),
    run: Run::Destinations(check),
    ..Check::reference(Actions::WARN)
};

fn check(destinations: &[Destination<'_, '_, '_>], cx: &Context<'_>, found: &mut Findings<'_>) {
    for Destination { at, backend, resolution } in destinations {
        if *resolution == Resolution::NotFound {
            let service = ObjectRef::new(Kind::Service, backend.namespace_from(cx.namespace()), &backend.name);
            let template = "{other} not found: create it, or use another";
            found
                .not_found(at.then("name"), &backend.name, template)
                .other(&service)
                .suggest(cx.cluster.similar(&service));
        }
    }
}
