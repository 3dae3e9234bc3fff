//! `gateway/class-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Gateway, Kind, ObjectRef};

pub static CHECK: Check = Check {
    id: "gateway/class-not-found",
    needs: &[Kind::GatewayClass],
    page: include_str!("class_not_found.md"),
    run: Run::Gateway(check),
    ..Check::reference(Actions::WARN)
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let class = gateway.class();
    if !class.is_empty() && cx.cluster.gateway_class(class) == Lookup::Absent {
        let message = "GatewayClass `{}` not found: no controller serves the Gateway until it exists";
        found
            .not_found(At::field("spec.gatewayClassName"), class, message)
            .suggest(cx.cluster.similar(&ObjectRef::new(Kind::GatewayClass, "", class)));
    }
}
