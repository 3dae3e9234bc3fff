//! The controllers that may serve an object, as far as its classes are known. They decide which annotations count.

use crate::cluster::gateway_facts::ParentFacts;
use crate::cluster::{Lookup, Overlay};
use crate::kinds::{Kind, Object, ObjectRef, Route};
use crate::matching::controller::{Controller, ControllerTraits};

/// The controllers that may serve an Ingress with these classes; `None` for an unknown controller, such as that of an
/// Ingress without a class.
pub fn of_classes<'i>(
    classes: impl Iterator<Item = Option<&'i str>>,
    cluster: &Overlay<'_>,
) -> Vec<Option<Controller>> {
    let controller = |class: Option<&str>| match cluster.ingress_class(class?) {
        Lookup::Found(facts) => Controller::of(&facts.controller),
        Lookup::Absent | Lookup::Unknown => None,
    };
    classes.map(controller).collect()
}

/// The controllers that may serve an object that is not an Ingress; `None` for an unknown controller.
pub fn of_object(object: &Object<'_>, cluster: &Overlay<'_>) -> Vec<Option<Controller>> {
    match object {
        Object::IngressRoute(_) | Object::HttpProxy(_) => vec![Some(Controller::Contour)],
        Object::Gateway(gateway) => {
            vec![of_gateway_class(gateway.class(), cluster).map(|profile| profile.controller)]
        }
        Object::ListenerSet(set) => {
            let parent = ParentFacts::of(&set.spec.parent_ref, set.metadata.namespace());
            vec![parent.and_then(|parent| of_listeners(&parent.target, cluster))]
        }
        _ => object.route().map_or_else(|| vec![None], |route| of_parents(&route, cluster)),
    }
}

/// The controllers of the parents of a route; a single `None` if it has no parents or uses the default Gateways.
fn of_parents(route: &Route<'_, '_>, cluster: &Overlay<'_>) -> Vec<Option<Controller>> {
    let namespace = route.metadata().namespace();
    let parents = route.parent_refs().iter().map(|parent| {
        let parent = ParentFacts::of(parent, namespace)?;
        of_listeners(&parent.target, cluster)
    });
    let named: Vec<_> = parents.collect();
    if named.is_empty() || route.use_default_gateways().is_some() { vec![None] } else { named }
}

/// The controller of a Gateway, or of the Gateway to which a ListenerSet adds listeners.
fn of_listeners(object_ref: &ObjectRef, cluster: &Overlay<'_>) -> Option<Controller> {
    profile_of(object_ref, cluster).map(|profile| profile.controller)
}

/// The traits of the controller of a Gateway, or of the Gateway to which a ListenerSet adds listeners.
pub fn profile_of(object_ref: &ObjectRef, cluster: &Overlay<'_>) -> Option<&'static ControllerTraits> {
    let Lookup::Found(facts) = cluster.listeners(object_ref) else { return None };
    match &facts.parent {
        None => of_gateway_class(&facts.class, cluster),
        Some(gateway) if gateway.kind == Kind::Gateway => match cluster.listeners(gateway) {
            Lookup::Found(gateway) => of_gateway_class(&gateway.class, cluster),
            Lookup::Absent | Lookup::Unknown => None,
        },
        Some(_) => None,
    }
}

fn of_gateway_class(class: &str, cluster: &Overlay<'_>) -> Option<&'static ControllerTraits> {
    match cluster.gateway_class(class) {
        Lookup::Found(facts) => ControllerTraits::named(&facts.controller),
        Lookup::Absent | Lookup::Unknown => None,
    }
}
