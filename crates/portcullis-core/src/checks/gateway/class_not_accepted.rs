//! `gateway/class-not-accepted`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Gateway, Kind};

pub static CHECK: Check = Check {
    id: "gateway/class-not-accepted",
    needs: &[Kind::GatewayClass],
    page: include_str!("class_not_accepted.md"),
    run: Run::Gateway(check),
    ..Check::reference(Actions::WARN)
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Lookup::Found(class) = cx.cluster.gateway_class(gateway.class()) else { return };
    if class.is_rejected {
        let message = "{other} is not accepted by its controller: see the conditions of the class, or use another one";
        found.invalid(At::field("spec.gatewayClassName"), gateway.class(), message).other(&class.object_ref());
    }
}
