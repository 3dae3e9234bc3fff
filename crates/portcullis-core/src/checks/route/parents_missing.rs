//! `route/parents-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, Route};

pub static CHECK: Check = Check {
    id: "route/parents-missing",
    needs: &[Kind::HttpRoute],
    page: include_str!("parents_missing.md"),
    run: Run::Route(check),
    ..Check::reference(Actions::WARN)
};

/// Prefixes of the labels and annotations with which an HTTPRoute takes part in delegation.
const DELEGATION: [&str; 2] = ["delegation.gateway.solo.io/", "delegation.kgateway.dev/"];

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // Another check reports parents in a field of an early draft.
    let names_parents = !route.parent_refs().is_empty() || route.drafted().next().is_some();
    if names_parents || route.use_default_gateways().is_some_and(|scope| scope != "None") {
        return;
    }
    let is_marked = || {
        let metadata = route.metadata();
        let keys = metadata.labels.iter().chain(metadata.annotations.iter()).map(|(key, _)| key);
        keys.into_iter().any(|key| DELEGATION.iter().any(|prefix| key.starts_with(prefix)))
    };
    // In some implementations, an HTTPRoute can delegate to another HTTPRoute.
    let is_led_to = route.kind() == Kind::HttpRoute
        && (is_marked() || !matches!(cx.cluster.delegating_route(cx.namespace()), Lookup::Absent));
    if !is_led_to {
        let message = "this {} has no parentRefs, so it attaches to nothing: add a Gateway";
        found.required(At::field("spec.parentRefs"), message).args([route.kind().api().kind]);
    }
}
