//! `gateway/default-class`

use super::{Context, Defaulter, Edits, Fill};
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Gateway, Kind};
use crate::operation::Operation;
use crate::routing::gateway_class;
use crate::sentence::{Names, line};

pub static DEFAULTER: Defaulter = Defaulter {
    id: "gateway/default-class",
    enabled: true,
    needs: &[Kind::GatewayClass],
    page: include_str!("gateway_class.md"),
    fill: Fill::Gateway(fill),
};

fn fill(gateway: &Gateway<'_>, cx: &Context<'_>, edits: &mut Edits) {
    let is_named = gateway.spec.gateway_class_name.is_some();
    if cx.operation != Operation::Create || is_named || !cx.cluster.is_complete(Kind::GatewayClass) {
        return;
    }
    let keys = &cx.config.gateway_class_default_keys;
    match cx.cluster.default_gateway_classes(keys) {
        Lookup::Found(defaults) if defaults.len() == 1 => {
            edits.set(At::field("spec").then("gatewayClassName"), &*defaults[0].name);
        }
        Lookup::Found(_) | Lookup::Absent => {
            // In the words of the check that says so of the object itself: the API server folds equal warnings into one.
            let mut why = Vec::new();
            gateway_class::unnamed(gateway, cx.cluster, keys, &mut Findings::of("gateway/class-missing", &mut why));
            edits.warnings.extend(why.iter().map(|finding| line(finding, Names::All)));
        }
        Lookup::Unknown => {}
    }
}
