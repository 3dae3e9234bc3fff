//! `gateway/class-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Gateway, Kind, ObjectRef};
use crate::matching::class_names::meant;

pub static CHECK: Check = Check {
    id: "gateway/class-not-found",
    needs: &[Kind::GatewayClass],
    page: include_str!("class_not_found.md"),
    run: Run::Gateway(check),
    ..Check::reference(Actions::WARN)
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let (class, at) = (gateway.class(), At::field("spec.gatewayClassName"));
    match cx.cluster.gateway_class(class) {
        Lookup::Absent if !class.is_empty() => {
            let message = "GatewayClass `{}` not found: no controller serves the Gateway until it exists";
            let similar = cx.cluster.similar(&ObjectRef::new(Kind::GatewayClass, "", class));
            found.not_found(at, class, message).suggest(similar);
        }
        Lookup::Unknown => {
            if let Some(meant) = meant(class) {
                found.not_found(at, class, "unknown class `{}`; did you mean `{}`?").also(meant).only_warns();
            }
        }
        Lookup::Absent | Lookup::Found(_) => {}
    }
}
