//! The controllers that may serve an object, as far as its classes are known. They decide which annotations count.

use crate::cluster::gateway_facts::{GatewayClassFacts, ParentFacts};
use crate::cluster::{IngressFacts, Lookup, Overlay};
use crate::kinds::{Ingress, Kind, Object, ObjectRef, Route};
use crate::matching::annotation_effect::{AnnotationEffect, EFFECTS, Effect, with_effect};
use crate::matching::controller::{Controller, ControllerTraits};
use crate::matching::{Direction, Mark, Readers};

/// The controllers that may serve an Ingress, one for each of its classes.
pub fn of_classes<'i>(classes: impl Iterator<Item = Option<&'i str>>, cluster: &Overlay<'_>) -> Vec<Readers> {
    classes.map(|class| of_class(class, cluster)).collect()
}

fn of_class(class: Option<&str>, cluster: &Overlay<'_>) -> Readers {
    match class.map(|class| cluster.ingress_class(class)) {
        // A class without a controller says as little as one that is not there.
        Some(Lookup::Found(facts)) if !facts.controller.is_empty() => Controller::of(&facts.controller).into(),
        Some(Lookup::Found(_) | Lookup::Absent | Lookup::Unknown) | None => Readers::Any,
    }
}

/// Whether a controller may serve an Ingress: it names no class, or one of its classes exists or is not known, or it has an
/// address. Some controllers know classes by their names alone: those of an annotation, and their own.
pub fn may_be_served(ingress: &IngressFacts, cluster: &Overlay<'_>) -> bool {
    let is_unserved = |class: Option<&str>| {
        class.is_some_and(|class| {
            matches!(cluster.ingress_class(class), Lookup::Absent) && ControllerTraits::of_class(class).is_none()
        })
    };
    ingress.has_annotated_class || ingress.has_address || !ingress.classes().all(is_unserved)
}

/// Whether an annotation counts that `controllers` read, on an Ingress with these classes. One that relaxes must count in each class.
/// If no IngressClass specifies the controller, the name of the class may rule out that one of these controllers serves it.
fn counts<'i>(
    direction: Direction,
    controllers: &[Controller],
    mut classes: impl Iterator<Item = Option<&'i str>>,
    cluster: &Overlay<'_>,
) -> bool {
    let counts = |class: Option<&str>| of_class(class, cluster).count(direction, controllers);
    let may_be_served = |class: Option<&str>| {
        of_class(class, cluster) != Readers::Any || class.is_none_or(|class| Controller::may_serve(class, controllers))
    };
    match direction {
        Direction::Relaxes => classes.all(|class| counts(class) && may_be_served(class)),
        Direction::Widens | Direction::Arranges => classes.any(counts),
    }
}

/// Whether `controller` serves an Ingress, as far as its classes are known: each class is one of this controller, or one that
/// no IngressClass assigns and whose name identifies no other controller.
pub fn may_be_served_by(controller: Controller, ingress: &Ingress<'_>, cluster: &Overlay<'_>) -> bool {
    counts(Direction::Relaxes, &[controller], ingress.classes().iter(), cluster)
}

/// Whether `controller` certainly serves an Ingress: an IngressClass assigns each of its classes to it.
pub fn is_served_by(controller: Controller, ingress: &Ingress<'_>, cluster: &Overlay<'_>) -> bool {
    ingress.classes().iter().all(|class| of_class(class, cluster) == Readers::Only(controller))
}

/// The annotations of an Ingress that have this effect and count: the row, the key and the value of each.
pub fn effects_of<'i>(
    effect: Effect,
    ingress: &'i Ingress<'_>,
    cluster: &Overlay<'_>,
) -> impl Iterator<Item = (&'static AnnotationEffect, &'i str, &'i str)> {
    let present = with_effect(effect, ingress);
    present.filter(move |(row, ..)| counts(effect.direction(), row.readers, ingress.classes().iter(), cluster))
}

/// The key and the value of the first annotation of an Ingress that has this effect and counts.
pub fn effect_of<'i>(effect: Effect, ingress: &'i Ingress<'_>, cluster: &Overlay<'_>) -> Option<(&'i str, &'i str)> {
    effects_of(effect, ingress, cluster).next().map(|(_, key, value)| (key, value))
}

/// Like [`effect_of`] where the Ingress is served in these of its classes.
pub fn effect_in<'i>(
    effect: Effect,
    ingress: &'i Ingress<'_>,
    classes: impl Iterator<Item = Option<&'i str>> + Clone,
    cluster: &Overlay<'_>,
) -> Option<(&'i str, &'i str)> {
    let mut present = with_effect(effect, ingress);
    let found = present.find(|(row, ..)| counts(effect.direction(), row.readers, classes.clone(), cluster));
    found.map(|(_, key, value)| (key, value))
}

/// The mark of an Ingress with these classes: that of a canary only if its controller knows canaries.
pub fn mark_of<'i>(mark: Mark, classes: impl Iterator<Item = Option<&'i str>> + Clone, cluster: &Overlay<'_>) -> Mark {
    let mut canaries = EFFECTS.iter().filter(|row| row.effect == Effect::Canary);
    let mut may_be_canary =
        || canaries.any(|row| counts(row.effect.direction(), row.readers, classes.clone(), cluster));
    if mark == Mark::Canary && !may_be_canary() { Mark::None } else { mark }
}

/// The controllers that may serve an object that is not an Ingress.
pub fn of_object(object: &Object<'_>, cluster: &Overlay<'_>) -> Vec<Readers> {
    match object {
        Object::IngressRoute(_) | Object::HttpProxy(_) => vec![Readers::Only(Controller::Contour)],
        Object::Gateway(gateway) => {
            vec![readers(of_gateway_class(gateway.class(), cluster))]
        }
        Object::ListenerSet(set) => {
            let parent = ParentFacts::of(&set.spec.parent_ref, set.metadata.namespace());
            vec![parent.map_or(Readers::Any, |parent| of_listeners(&parent.target, cluster))]
        }
        _ => object.route().map_or_else(|| vec![Readers::Any], |route| of_parents(&route, cluster)),
    }
}

/// The controllers of the parents of a route; any controller if it has no parents or uses the default Gateways.
fn of_parents(route: &Route<'_, '_>, cluster: &Overlay<'_>) -> Vec<Readers> {
    let namespace = route.metadata().namespace();
    let parents = route.parent_refs().iter().map(|parent| {
        let parent = ParentFacts::of(parent, namespace);
        parent.map_or(Readers::Any, |parent| of_listeners(&parent.target, cluster))
    });
    let named: Vec<_> = parents.collect();
    if named.is_empty() || route.use_default_gateways().is_some() { vec![Readers::Any] } else { named }
}

/// The controller of a Gateway, or of the Gateway to which a ListenerSet adds listeners.
pub fn of_listeners(object_ref: &ObjectRef, cluster: &Overlay<'_>) -> Readers {
    readers(profile_of(object_ref, cluster))
}

/// The controller with these traits, or any if it is not known or not in the table.
fn readers(profile: Option<&ControllerTraits>) -> Readers {
    profile.map_or(Readers::Any, |profile| Readers::Only(profile.controller))
}

/// The traits of the controller of a Gateway, or of the Gateway to which a ListenerSet adds listeners.
pub fn profile_of(object_ref: &ObjectRef, cluster: &Overlay<'_>) -> Option<&'static ControllerTraits> {
    ControllerTraits::named(&gateway_class_of(object_ref, cluster)?.controller)
}

/// The class of a Gateway, or of the Gateway to which a ListenerSet adds listeners, if it is known.
pub fn gateway_class_of<'c>(object_ref: &ObjectRef, cluster: &Overlay<'c>) -> Option<&'c GatewayClassFacts> {
    let facts = cluster.listeners(object_ref).found()?;
    let gateway = match &facts.parent {
        None => facts,
        Some(gateway) if gateway.kind == Kind::Gateway => cluster.listeners(gateway).found()?,
        Some(_) => return None,
    };
    cluster.gateway_class(&gateway.class).found()
}

fn of_gateway_class(class: &str, cluster: &Overlay<'_>) -> Option<&'static ControllerTraits> {
    ControllerTraits::named(&cluster.gateway_class(class).found()?.controller)
}
