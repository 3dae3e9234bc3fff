//! `route/service-external-name`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Kind, Route};
use crate::routing::backend::{Resolution, resolved};

pub static CHECK: Check = Check {
    id: "route/service-external-name",
    theme: Theme::Reference,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[Kind::ReferenceGrant, Kind::Service],
    options: &[],
    page: include_str!("service_external_name.md"),
    run: Run::Route(check),
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, backend, resolution) in resolved(route, cx.namespace(), cx.cluster) {
        let (Resolution::Resolved(service) | Resolution::NoPort(service)) = resolution else {
            continue;
        };
        if service.external {
            let template = "{other} is an ExternalName, which controllers may refuse (CVE-2021-25740)";
            found.invalid(at.then("name"), &backend.name, template).other(&service.place());
        }
    }
}
