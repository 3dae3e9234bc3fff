//! What is known about the controller that serves an Ingress, and which Ingresses it serves on one data plane.

use super::{PlaneInputs, Relation};
use crate::cluster::{Lookup, Overlay};
use crate::matching::controller::{ControllerTraits, Sharing};
use crate::matching::{DataPlaneHints, Readers};

/// The available knowledge about the controller that serves an Ingress.
#[derive(Debug, Clone, Copy)]
pub(super) enum KnownController<'c> {
    /// The controller has a profile. The name is present if an IngressClass contains it.
    Listed(&'static ControllerTraits, Option<&'c str>),
    /// The class identifies no controller, but the Ingress has annotations that the controller of this profile reads,
    /// which creates load balancers for Ingresses. The author of the Ingress controls these annotations, so they count
    /// only if the other Ingress has such annotations, too.
    Suggested(&'static ControllerTraits),
    /// According to the configuration, the controller creates a load balancer for each Ingress.
    PerIngress,
    /// The controller has this name and no profile.
    Named(&'c str),
    /// Nothing is known except which controllers may read the annotations of the Ingress.
    Unknown(Readers),
}

impl KnownController<'_> {
    /// Which controllers may read the annotations of the Ingress.
    pub(super) fn readers(&self) -> Readers {
        match self {
            Self::Listed(profile, _) | Self::Suggested(profile) => Readers::Only(profile.controller),
            Self::PerIngress | Self::Named(_) => Readers::None,
            Self::Unknown(readers) => *readers,
        }
    }

    pub(super) const fn is_nothing(&self) -> bool {
        matches!(self, Self::Unknown(Readers::Any))
    }

    pub(super) const fn is_suggested(&self) -> bool {
        matches!(self, Self::Suggested(_))
    }
}

/// The classes that the controller of `profile` serves.
pub(super) fn classes_of<'c>(
    profile: &'static ControllerTraits,
    cluster: &Overlay<'c>,
) -> impl Iterator<Item = &'c str> {
    let objects = cluster.ingress_classes();
    let objects = objects.filter(|facts| facts.traits().is_some_and(|own| std::ptr::eq(own, profile)));
    profile.classes.iter().copied().chain(objects.map(|facts| &*facts.name))
}

/// The controller that the annotations of an Ingress suggest.
pub(super) fn by_annotations(hints: Option<&DataPlaneHints>) -> KnownController<'static> {
    hints.and_then(DataPlaneHints::profile).map_or(KnownController::Unknown(Readers::Any), KnownController::Suggested)
}

/// Whether two Ingresses compete, according to the knowledge about their controllers.
pub(super) fn between(
    (one, first): (PlaneInputs<'_>, KnownController<'_>),
    (other, second): (PlaneInputs<'_>, KnownController<'_>),
) -> Relation {
    let is_one_class = one.class == other.class;
    match (first, second) {
        (KnownController::PerIngress, _) | (_, KnownController::PerIngress) => Relation::Apart,
        (KnownController::Listed(profile, first_name), KnownController::Listed(second_profile, second_name)) => {
            let has_one_name = first_name.is_none() || second_name.is_none() || first_name == second_name;
            match profile.sharing {
                _ if !std::ptr::eq(profile, second_profile) => Relation::Apart,
                Sharing::Class if is_one_class => Relation::Same,
                Sharing::Class if has_one_name => Relation::Related,
                Sharing::Class => Relation::Apart,
                Sharing::Group(_) | Sharing::Nothing => within(profile, one, other),
            }
        }
        (
            KnownController::Listed(profile, _) | KnownController::Suggested(profile),
            KnownController::Suggested(second),
        )
        | (KnownController::Suggested(profile), KnownController::Listed(second, _))
            if std::ptr::eq(profile, second) =>
        {
            within(profile, one, other)
        }
        (KnownController::Suggested(_), KnownController::Suggested(_)) => Relation::Apart,
        // Possibly no controller reads the annotations that suggest a profile, so they neither exclude a classless
        // Ingress from a proxy that serves such Ingresses nor separate Ingresses of the same class.
        (KnownController::Listed(profile, _), KnownController::Suggested(_))
        | (KnownController::Suggested(_), KnownController::Listed(profile, _)) => {
            let is_classless = one.class.is_none() || other.class.is_none();
            if is_classless && profile.serves_classless { Relation::Related } else { Relation::Apart }
        }
        (KnownController::Suggested(_), _) | (_, KnownController::Suggested(_)) if is_one_class => Relation::Related,
        (KnownController::Listed(profile, _), _) if !is_one_class && other.class.is_none() => beside_classless(profile),
        (_, KnownController::Listed(profile, _)) if !is_one_class && one.class.is_none() => beside_classless(profile),
        // One of the Ingresses is written for a controller that shares no data plane with the controller of the other.
        (KnownController::Listed(..) | KnownController::Suggested(_), _)
        | (_, KnownController::Listed(..) | KnownController::Suggested(_)) => Relation::Apart,
        _ if is_one_class => Relation::Same,
        (KnownController::Named(first), KnownController::Named(second)) if first == second => Relation::Related,
        _ => Relation::Apart,
    }
}

/// Whether two Ingresses of a controller that creates load balancers share one.
fn within<'s>(profile: &ControllerTraits, one: PlaneInputs<'s>, other: PlaneInputs<'s>) -> Relation {
    let group = |served: PlaneInputs<'s>| served.hints.and_then(|hints| hints.group_of(profile));
    match group(one) {
        Some(own) if group(other) == Some(own) => Relation::Same,
        _ => Relation::Apart,
    }
}

/// Whether parameters of an IngressClass may put two Ingresses into one group although their annotations do not. This
/// is possible if both classes have parameters. It is also possible if one class has parameters and the annotations of
/// the other Ingress name a group, because the parameters may name the same group.
pub(super) fn may_be_grouped_by_parameters(
    (one, first): (PlaneInputs<'_>, KnownController<'_>),
    (other, second): (PlaneInputs<'_>, KnownController<'_>),
    cluster: &Overlay<'_>,
) -> bool {
    let (KnownController::Listed(profile, _), KnownController::Listed(second_profile, _)) = (first, second) else {
        return false;
    };
    if !std::ptr::eq(profile, second_profile) || !profile.groups_by_parameters() {
        return false;
    }
    let has_parameters = |served: PlaneInputs<'_>| {
        let class = served.class.map(|class| cluster.ingress_class(class));
        matches!(class, Some(Lookup::Found(facts)) if facts.has_parameters)
    };
    let has_group = |served: PlaneInputs<'_>| served.hints.is_some_and(|hints| hints.group_of(profile).is_some());
    match (has_parameters(one), has_parameters(other)) {
        (true, true) => true,
        (true, false) => has_group(other),
        (false, true) => has_group(one),
        (false, false) => false,
    }
}

/// Whether an Ingress whose class belongs to the controller of `profile` competes with an Ingress that has no class.
fn beside_classless(profile: &ControllerTraits) -> Relation {
    if profile.serves_classless { Relation::Same } else { Relation::Apart }
}
