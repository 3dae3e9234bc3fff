//! The class of an object that names none: which default it gets, and which findings are reported if it gets none.
//!
//! The check and the defaulter of a kind report the same text, because the API server then shows the warning only once.

use std::cmp::Reverse;

use crate::cluster::{IngressClassFacts, Lookup, Overlay};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Gateway, Ingress, Kind, Object, Partial, Text, decisive};

/// The default class that the API server's admission plugin chooses: the newest, and among classes of the same age the
/// first by name.
pub fn newest<'c>(defaults: impl Iterator<Item = &'c IngressClassFacts>) -> Option<&'c IngressClassFacts> {
    defaults.max_by_key(|class| (class.created, Reverse(&class.name)))
}

/// The default class that the API server's admission plugin gives an Ingress on creation. `None` if the Ingress names a
/// class, if there is no default, or if not all classes are known.
pub fn on_creation<'c>(ingress: &Ingress<'_>, cluster: &Overlay<'c>) -> Option<&'c IngressClassFacts> {
    if ingress.names_class() || !cluster.is_complete(Kind::IngressClass) {
        return None;
    }
    match cluster.default_classes() {
        Lookup::Found(defaults) => newest(defaults.into_iter()),
        Lookup::Absent | Lookup::Unknown => None,
    }
}

/// Gives an Ingress that names no class the default class that the API server's admission plugin would give it on
/// creation. Does nothing if not all classes are known. This is for objects from files, which have not been created
/// yet; a stored object keeps its class.
pub fn assume(ingress: &mut Ingress<'_>, cluster: &Overlay<'_>) {
    if let Some(class) = on_creation(ingress, cluster) {
        ingress.default_class = Some(Text(class.name.to_string().into()));
    }
}

/// Gives an Ingress that is about to be applied the class that it would have in the cluster: that of `live`, the object
/// that it replaces, since applying a manifest leaves alone what the manifest does not mention; otherwise the default
/// class.
pub fn settle(object: &mut Object<'_>, live: Option<&Object<'_>>, cluster: &Overlay<'_>) {
    match (object, live) {
        (Object::Ingress(ingress), Some(Object::Ingress(live))) if !ingress.names_class() => {
            let class = live.spec.ingress_class_name.as_ref();
            ingress.spec.ingress_class_name = class.map(|class| Text(class.to_string().into()));
        }
        (Object::Ingress(ingress), None) => assume(ingress, cluster),
        _ => {}
    }
}

/// Does the same for an object that may be decoded in part, unless a field that decides its class cannot be decoded.
pub fn settle_partial(partial: &mut Partial<'_>, kind: Kind, live: Option<&Object<'_>>, cluster: &Overlay<'_>) {
    let is_class_read = partial.decode_errors.iter().all(|error| !decisive::decides(kind, &error.at));
    if let Some(object) = partial.object.as_mut().filter(|_| is_class_read) {
        settle(object, live, cluster);
    }
}

/// Reports that an Ingress names no class although no IngressClass is marked as the default.
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
                let message = "several GatewayClasses are the default ({}{}): name one";
                found.required(at, message).args([&names.join(", "), more]);
            }
        },
        Lookup::Unknown => {
            found.required(at, "a Gateway must name its class");
        }
    }
}
