//! `gateway/default-class`

use super::{Defaulter, DefaultingContext, Edits, Fill};
use crate::cluster::Lookup;
use crate::field::At;
use crate::kinds::{Gateway, Kind};
use crate::operation::Operation;
use crate::routing::default_class;

pub static DEFAULTER: Defaulter = Defaulter {
    id: "gateway/default-class",
    enabled: true,
    option: None,
    needs: &[Kind::GatewayClass],
    page: include_str!("gateway_default_class.md"),
    fill: Fill::Gateway(fill),
};

fn fill(gateway: &Gateway<'_>, cx: &DefaultingContext<'_>, edits: &mut Edits) {
    let is_named = gateway.spec.gateway_class_name.is_some();
    if cx.operation != Operation::Create || is_named || !cx.cluster.is_complete(Kind::GatewayClass) {
        return;
    }
    let keys = &cx.config.gateway_class_default_keys;
    match cx.cluster.default_gateway_classes(keys) {
        Lookup::Found(defaults) if defaults.len() == 1 => {
            edits.set(At::field("spec"), "gatewayClassName", defaults[0].name.to_string());
        }
        Lookup::Found(_) | Lookup::Absent => {
            edits.warn_like("gateway/class-missing", |found| {
                default_class::of_gateway_is_missing(gateway, cx.cluster, keys, found);
            });
        }
        Lookup::Unknown => {}
    }
}
