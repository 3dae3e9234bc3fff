//! `route/service-external-name`

use crate::checks::{Actions, Check, Context, Run, external_name};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::routing::backend::{Destination, Resolution};

pub static CHECK: Check = Check {
    id: "route/service-external-name",
    needs: &[Kind::ReferenceGrant, Kind::Service],
    page: include_str!("service_external_name.md"),
    run: Run::Destinations(check),
    ..Check::reference(Actions::ACROSS)
};

fn check(destinations: &[Destination<'_, '_, '_>], _: &Context<'_>, found: &mut Findings<'_>) {
    for Destination { at, backend, resolution } in destinations {
        let (Resolution::Resolved(service) | Resolution::NoPort(service)) = resolution else {
            continue;
        };
        external_name::report(*at, &backend.name, service, found);
    }
}
