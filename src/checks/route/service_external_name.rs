//! `route/service-external-name`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Kind, Route, walk};
use crate::routing::backend::{Resolution, resolve};
use crate::routing::grant::Referrer;

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
    let from = Referrer { kind: route.kind(), namespace: cx.namespace() };
    for (at, backend, _) in walk::route::backend_refs(route) {
        let (Resolution::Resolved(service) | Resolution::NoPort(service)) = resolve(backend, from, cx.cluster) else {
            continue;
        };
        if service.external {
            let template = "{other} is an ExternalName, which controllers may refuse (CVE-2021-25740)";
            found.invalid(at.then("name"), &backend.name, template).other(&service.place());
        }
    }
}
