//! `gateway/routability-private-in-cluster`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::finding::Findings;
use crate::kinds::{Gateway, Kind, walk};

pub static CHECK: Check = Check {
    id: "gateway/routability-private-in-cluster",
    needs: &[Kind::GatewayClass],
    page: include_str!("routability_private_in_cluster.md"),
    run: Run::Gateway(check),
    ..Check::policy(Actions::WARN)
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let mut private = walk::gateway::routabilities(gateway).filter(|(_, value)| *value == "Private").peekable();
    if private.peek().is_none() {
        return;
    }
    let Lookup::Found(class) = cx.cluster.gateway_class(gateway.class()) else { return };
    for (at, value) in private.filter(|_| class.in_cluster) {
        let message = "`{}` has no meaning for {other}, which is marked as in-cluster: use `Cluster`";
        found.forbidden(at, value, message).other(&class.object_ref());
    }
}
