//! The class of an object that names none: which default it gets, and what is reported where it gets none.
//!
//! The check and the defaulter of a kind report the same text, because the API server shows equal warnings only once.

use std::cmp::Reverse;

use crate::cluster::{IngressClassFacts, Lookup, Overlay};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Gateway, Ingress, Kind, Text};

/// Which of the default classes the API server's admission takes: the newest, and of several of one age the first by name.
pub fn newest<'c>(defaults: impl Iterator<Item = &'c IngressClassFacts>) -> Option<&'c IngressClassFacts> {
    defaults.max_by_key(|class| (class.created, Reverse(&class.name)))
}

/// Gives an Ingress that names no class the one that the API server's admission gives it when it is created; nothing where not all classes
/// are known. For objects from files, which are yet to be created: a stored object keeps what it has.
pub fn assume(ingress: &mut Ingress<'_>, cluster: &Overlay<'_>) {
    if !ingress.names_class()
        && cluster.is_complete(Kind::IngressClass)
        && let Lookup::Found(defaults) = cluster.default_classes()
    {
        ingress.default_class = newest(defaults.into_iter()).map(|class| Text(class.name.to_string().into()));
    }
}

/// Reports that an Ingress names no class while no IngressClass is marked as the default.
pub fn of_ingress_is_missing(found: &mut Findings<'_>) {
    let message = "no class is named and none is the default: most controllers skip it";
    found.required(At::field("spec.ingressClassName"), message);
}

/// Reports that a Gateway names no class, and which GatewayClasses are marked as the default.
pub fn of_gateway_is_missing(
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
                let message = "no class is named; {other} is used only where `/mutate` fills it in";
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
