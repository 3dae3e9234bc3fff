//! `gateway/class-missing`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Gateway, Kind};
use crate::routing::default_class;

pub static CHECK: Check = Check {
    id: "gateway/class-missing",
    enforced: Some(Enforced::ALWAYS),
    needs: &[Kind::GatewayClass],
    page: include_str!("class_missing.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    default_class::of_gateway_is_missing(gateway, cx.cluster, &cx.config.gateway_class_default_keys, found);
}
