//! `ingressroute/delegation-cycle`

use crate::checks::{Actions, Check, Context, Release, Run, delegation};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind, ObjectRef, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/delegation-cycle",
    theme: Theme::Conflict,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[Kind::IngressRoute],
    options: &[],
    page: include_str!("delegation_cycle.md"),
    run: Run::IngressRoute(check),
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let near = delegation::neighbours(route.class(), cx);
    for (at, delegate, path) in walk::ingress_route::delegated(route) {
        let target = ObjectRef::new(Kind::IngressRoute, delegate.namespace_from(cx.namespace()), &delegate.name);
        let Some(way) = near.way_back(&target) else { continue };
        let objects = std::iter::once(cx.this).chain(way);
        let names: Vec<String> = objects.map(|place| format!("{}/{}", place.namespace, place.name)).collect();
        let value = format!("{} {}", path.prefix(), names.join(" "));
        found
            .invalid(at, &value, "this closes a cycle: {}")
            .shown([""; 0])
            .foreign(&names.join(" -> "), "of delegations");
    }
}
