//! `gateway-class/in-cluster-offers-private`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::GatewayClass;
use crate::kinds::gateway_class::ROUTABILITIES_ANNOTATION;

pub static CHECK: Check = Check {
    id: "gateway-class/in-cluster-offers-private",
    page: include_str!("in_cluster_offers_private.md"),
    run: Run::GatewayClass(check),
    ..Check::policy(Actions::WARN)
};

fn check(class: &GatewayClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let offers = class.routabilities().is_some_and(|mut offered| offered.any(|entry| entry == "Private"));
    if class.is_in_cluster() && offers {
        let at = At::field("metadata.annotations").key(ROUTABILITIES_ANNOTATION);
        found.forbidden(at, "Private", "`{}` is no offer of a class whose Gateways run inside the cluster");
    }
}
