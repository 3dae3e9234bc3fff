//! Whether one proxy serves two objects of different kinds that claim the same host. If not, DNS decides which of them
//! receives requests.

use super::controllers;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ParentFacts};
use crate::cluster::hosts::ROUTES_WITH_HOSTS;
use crate::cluster::{DataPlanes, Lookup, Overlay};
use crate::matching::controller::{Controller, ControllerTraits};

/// What serves an object, as far as its classes or its parents show.
#[derive(Debug, Clone)]
pub enum ServedBy<'c> {
    /// An Ingress, served by the controllers of its classes.
    Classes(Vec<Option<&'c str>>),
    /// An IngressRoute or HTTPProxy, served by the Contour of its class.
    Contour(Option<&'c str>),
    /// A route of the Gateway API, served by the controllers of its Gateways. Unknown controllers are left out.
    Gateways(Vec<&'static ControllerTraits>),
}

impl ServedBy<'static> {
    /// Returns what serves a route with these parents.
    pub fn parents<'p>(parents: impl Iterator<Item = &'p ParentFacts>, cluster: &Overlay<'_>) -> Self {
        Self::Gateways(parents.filter_map(|parent| controllers::profile_of(&parent.target, cluster)).collect())
    }
}

/// Whether one proxy serves two objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SharedProxy {
    /// Two proxies serve them, each with its own address.
    No,
    /// One proxy may serve both, but this is not certain.
    Maybe,
    /// One Contour serves both.
    Contour,
}

impl SharedProxy {
    /// Whether one proxy serves two objects of different kinds.
    pub fn of(one: &ServedBy<'_>, other: &ServedBy<'_>, planes: &DataPlanes, cluster: &Overlay<'_>) -> Self {
        use ServedBy::{Classes, Contour, Gateways};
        match (one, other) {
            (Contour(class), Classes(classes)) | (Classes(classes), Contour(class)) => {
                let together = classes.iter().filter(|own| planes.of_contour(*class).any(|other| other == **own));
                together.map(|class| by_contour(*class, cluster)).max().unwrap_or(Self::No)
            }
            (Contour(class), Contour(second)) if planes.of_contour(*class).any(|other| other == *second) => {
                Self::Contour
            }
            (Gateways(profiles), Classes(classes)) | (Classes(classes), Gateways(profiles)) => {
                let of_class = |class: &Option<&str>| class.and_then(|class| profile(class, cluster));
                let is_one = |own: &ControllerTraits| profiles.iter().any(|profile| std::ptr::eq(*profile, own));
                maybe(classes.iter().filter_map(of_class).any(|own| own.serves_gateways && is_one(own)))
            }
            (Gateways(profiles), Contour(_)) | (Contour(_), Gateways(profiles)) => {
                maybe(profiles.iter().any(|profile| profile.controller == Controller::Contour))
            }
            (Contour(_), Contour(_)) | (Classes(_), Classes(_)) | (Gateways(_), Gateways(_)) => Self::No,
        }
    }
}

/// How many routes of one kind and namespace are looked at for each Gateway or ListenerSet. What a namespace stores beyond them hides only
/// its own routes.
const MAX_ROUTES: usize = 64;

/// The routes in other namespaces that refer to a Gateway which the proxy of Ingresses of these `classes` may serve, too: of each Gateway,
/// each ListenerSet and each namespace the first ones.
pub fn routes_beside<'i, 'c>(
    classes: impl Iterator<Item = Option<&'i str>>,
    cluster: &Overlay<'c>,
) -> impl Iterator<Item = &'c GatewayRouteFacts> {
    let profiles = classes.flatten().filter_map(|class| profile(class, cluster)).filter(|own| own.serves_gateways);
    let profiles: Vec<&ControllerTraits> = profiles.collect();
    let is_one = move |name: &str| {
        ControllerTraits::named(name).is_some_and(|named| profiles.iter().any(|own| std::ptr::eq(*own, named)))
    };
    let classes = cluster.gateway_classes().filter(move |class| is_one(&class.controller));
    let gateways = classes.flat_map(move |class| cluster.gateways_of_class(&class.name));
    let parents =
        gateways.flat_map(move |gateway| std::iter::once(gateway).chain(cluster.sets_of(&gateway.object_ref)));
    parents.flat_map(move |parent| {
        let kinds = ROUTES_WITH_HOSTS.into_iter();
        kinds.flat_map(move |kind| cluster.first_routes_of(&parent.object_ref, kind, MAX_ROUTES))
    })
}

const fn maybe(is_possible: bool) -> SharedProxy {
    if is_possible { SharedProxy::Maybe } else { SharedProxy::No }
}

/// Whether the Contour of a class also serves Ingresses of this class.
fn by_contour(class: Option<&str>, cluster: &Overlay<'_>) -> SharedProxy {
    let Some(class) = class else { return SharedProxy::Maybe };
    match (cluster.ingress_class(class), profile(class, cluster)) {
        (_, Some(profile)) if profile.controller == Controller::Contour => SharedProxy::Contour,
        (Lookup::Found(_), _) | (_, Some(_)) => SharedProxy::No,
        (_, None) => SharedProxy::Maybe,
    }
}

/// The traits of the controller of a class, according to its IngressClass or, if that is not known, to its name.
fn profile(class: &str, cluster: &Overlay<'_>) -> Option<&'static ControllerTraits> {
    match cluster.ingress_class(class) {
        Lookup::Found(facts) => ControllerTraits::named(&facts.controller),
        Lookup::Absent | Lookup::Unknown => ControllerTraits::of_class(class),
    }
}
