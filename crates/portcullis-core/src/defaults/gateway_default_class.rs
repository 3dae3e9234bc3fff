//! `gateway/default-class`

use super::{Context, Defaulter, Edits, Fill};
use crate::cluster::{Lookup, Overlay};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Gateway, Kind};
use crate::message::{Disclosure, render_warning};
use crate::operation::Operation;

pub static DEFAULTER: Defaulter = Defaulter {
    id: "gateway/default-class",
    enabled: true,
    option: None,
    needs: &[Kind::GatewayClass],
    page: include_str!("gateway_default_class.md"),
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
            edits.set(At::field("spec"), "gatewayClassName", defaults[0].name.to_string());
        }
        Lookup::Found(_) | Lookup::Absent => {
            // In the words of the check that says so of the object itself: the API server folds equal warnings into one.
            let mut why = Vec::new();
            gateway_without_class(gateway, cx.cluster, keys, &mut Findings::of("gateway/class-missing", &mut why));
            edits.warnings.extend(why.iter().map(|finding| render_warning(finding, Disclosure::All)));
        }
        Lookup::Unknown => {}
    }
}

/// Reports that `gateway` names no class, be it to the check or because there is none to fill in, and what the classes that are marked as
/// default have to do with it.
pub fn gateway_without_class(
    gateway: &Gateway<'_>,
    cluster: &Overlay<'_>,
    keys: &[impl AsRef<str>],
    found: &mut Findings<'_>,
) {
    let at = At::field("spec.gatewayClassName");
    match gateway.spec.gateway_class_name.as_deref() {
        Some("") => {
            found.required(at, "the class is empty: name a GatewayClass");
            return;
        }
        Some(_) => return,
        None => {}
    }
    match cluster.default_gateway_classes(keys) {
        Lookup::Absent => {
            found.required(at, "no class is named and no GatewayClass is the default: name one");
        }
        Lookup::Found(defaults) => match defaults.as_slice() {
            [only] => {
                let message = "no class is named; {other} is meant only where `/mutate` fills it in";
                found.required(at, message).other(&only.object_ref()).only_warns();
            }
            several => {
                let names: Vec<&str> = several.iter().take(3).map(|class| &*class.name).collect();
                let more = if several.len() > names.len() { " and more" } else { "" };
                let message = "no class is named, and {}{} are all the default: name one";
                found.required(at, message).args([&names.join(", "), more]);
            }
        },
        Lookup::Unknown => {
            found.required(at, "a Gateway must name its class");
        }
    }
}
