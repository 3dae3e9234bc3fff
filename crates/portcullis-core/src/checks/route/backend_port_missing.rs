//! `route/backend-port-missing`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Cause, Findings};
use crate::kinds::walk::RouteParts;
use crate::kinds::walk::reference::BackendSite;

pub static CHECK: Check = Check {
    id: "route/backend-port-missing",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("backend_port_missing.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for BackendSite { at, backend, .. } in route.backends() {
        if backend.is_service() && backend.port.is_none() && !backend.name.is_empty() {
            let template = "a backend that is a Service needs a port: which one of `{}`?";
            found.add(Cause::Required, at.then("port"), &backend.name, template);
        }
    }
}
