//! `gateway/routability-not-offered`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::finding::Findings;
use crate::kinds::Routability;
use crate::kinds::{Gateway, Kind, walk};

pub static CHECK: Check = Check {
    id: "gateway/routability-not-offered",
    needs: &[Kind::GatewayClass],
    page: include_str!("routability_not_offered.md"),
    run: Run::Gateway(check),
    ..Check::policy(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let mut requested = walk::gateway::routabilities(gateway).peekable();
    if requested.peek().is_none() {
        return;
    }
    let Lookup::Found(class) = cx.cluster.gateway_class(gateway.class()) else { return };
    let Some(offered) = class.routabilities(&cx.config.status) else { return };
    for (at, value) in requested.filter(|(_, value)| Routability::parse(value).is_some()) {
        if !offered.iter().any(|offer| **offer == *value) {
            let list = if offered.is_empty() { "nothing".to_owned() } else { offered.join(", ") };
            found
                .not_supported(at, value, "`{}` is not offered by {other}, which offers {}")
                .args([value, &list])
                .other(&class.object_ref());
        }
    }
}
