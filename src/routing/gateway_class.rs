//! What becomes of a Gateway that names no class: said by the check, and where the API server asks for a class before it, by the defaulter
//! that has none to fill in.

use crate::cluster::{Lookup, Overlay};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Gateway;

/// Reports that `gateway` names no class, and what the classes that are marked as default have to do with it.
pub fn unnamed(gateway: &Gateway<'_>, cluster: &Overlay<'_>, keys: &[impl AsRef<str>], found: &mut Findings<'_>) {
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
                let sentence = "no class is named; {other} is meant only where `/mutate` fills it in";
                found.required(at, sentence).other(&only.place()).only_warns();
            }
            several => {
                let names: Vec<&str> = several.iter().take(3).map(|class| &*class.name).collect();
                let more = if several.len() > names.len() { " and more" } else { "" };
                let sentence = "no class is named, and {}{} are all the default: name one";
                found.required(at, sentence).shown([&names.join(", "), more]);
            }
        },
        Lookup::Unknown => {
            found.required(at, "a Gateway must name its class");
        }
    }
}
