//! `route/service-not-found`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Kind, ObjectRef, Route};
use crate::routing::backend::{Resolution, resolved};

pub static CHECK: Check = Check {
    id: "route/service-not-found",
    theme: Theme::Reference,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[Kind::ReferenceGrant, Kind::Service],
    options: &[],
    page: include_str!("service_not_found.md"),
    run: Run::Route(check),
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, backend, resolution) in resolved(route, cx.namespace(), cx.cluster) {
        if resolution == Resolution::NotFound {
            let service = ObjectRef::new(Kind::Service, backend.namespace_from(cx.namespace()), &backend.name);
            let template = "no {other}: create it, or name another";
            found.not_found(at.then("name"), &backend.name, template).other(&service);
        }
    }
}
