//! `gateway/routability-changed`

use crate::checks::{Actions, Check, Context, Run, When};
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::GatewayClassFacts;
use crate::config::StatusConfig;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Gateway, Kind, Object, walk};

pub static CHECK: Check = Check {
    id: "gateway/routability-changed",
    needs: &[Kind::GatewayClass],
    page: include_str!("routability_changed.md"),
    when: When::Update,
    run: Run::Gateway(check),
    ..Check::policy(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(Object::Gateway(old)) = cx.old else { return };
    if gateway.class() != old.class() {
        return;
    }
    let Lookup::Found(class) = cx.cluster.gateway_class(gateway.class()) else { return };
    let effective = |gateway| effective_routability(gateway, class, &cx.config.status);
    let (Some(new), Some(old)) = (effective(gateway), effective(old)) else { return };
    if new != old && !class.routability_changes {
        let at = walk::gateway::routability(gateway).map_or(At::field("spec.infrastructure").into(), |(at, _)| at);
        found
            .forbidden(at, new, "`{}` must stay `{}`: {other} does not allow routability changes")
            .args([new, old])
            .other(&class.object_ref());
    }
}

/// The routability that the Gateway requests, or else the default of its class; `None` if neither is set.
fn effective_routability<'g>(
    gateway: &'g Gateway<'_>,
    class: &'g GatewayClassFacts,
    status: &StatusConfig,
) -> Option<&'g str> {
    walk::gateway::routability(gateway).map(|(_, value)| value).or_else(|| class.default_routability(status))
}
