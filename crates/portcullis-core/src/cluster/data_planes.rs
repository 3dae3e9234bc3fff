//! Which objects share a data plane and therefore compete for requests. Their classes, the known behavior of
//! controllers, and the configuration decide.

mod known_controller;

use std::cmp::Reverse;

use hashbrown::{HashMap, HashSet};

use known_controller::{KnownController, between, by_annotations, classes_of, may_be_grouped_by_parameters};

use super::{IngressFacts, Lookup, Overlay, PlaneKey};
use crate::config::DataPlane;
use crate::matching::claimed_host::ClaimLocation;
use crate::matching::controller::{Controller, ControllerTraits, Sharing};
use crate::matching::expressions::Expressions;
use crate::matching::listener_choice;
use crate::matching::overlap::Overlap;
use crate::matching::rule_order::RuleOrder;
use crate::matching::{ClaimedHost, Claims, DataPlaneHints, Host, Readers};

/// The class that Contour serves beside objects without a class, unless it is configured otherwise.
const CONTOUR: &str = "contour";

/// The suffix of the full DNS names of all Tailscale devices.
const TAILNET: &str = ".ts.net";

/// The data planes of the configuration, compiled once.
#[derive(Debug, Default)]
pub struct DataPlanes {
    /// The index of the configured shared proxy by class. The key is empty for objects without a class.
    shared: HashMap<String, usize>,
    /// Classes whose controller creates a load balancer for each Ingress.
    classes: HashSet<String>,
    /// Controllers that create a load balancer for each Ingress.
    controllers: HashSet<String>,
}

/// Whether two objects compete for requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// Different data planes serve them.
    Apart,
    /// Their classes have the same controller, and either one process or several may serve them.
    Related,
    /// One data plane serves both.
    Same,
}

/// The Ingresses that share a data plane with a given one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plane<'s> {
    /// The Ingresses of its class. If several classes share the data plane, this is one of them and represents all.
    Class(Option<&'s str>),
    /// The Ingresses of its class whose annotations select the same listener.
    Listener(Option<&'s str>, Box<str>),
    /// The Ingresses of a load balancer group.
    Group(Box<str>),
    /// No other Ingress.
    Alone,
}

/// The properties of an Ingress that decide which data plane serves it.
#[derive(Debug, Clone, Copy)]
pub struct PlaneInputs<'s> {
    /// The class.
    pub class: Option<&'s str>,
    /// The hints in its annotations.
    pub hints: Option<&'s DataPlaneHints>,
}

/// How two Ingresses relate to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClosestRelation<'f> {
    /// Whether they compete.
    pub relation: Relation,
    /// The class of the other Ingress in which they compete.
    pub class: Option<&'f str>,
    /// Whether they are only assumed to compete, because the controller of their class is not known.
    pub is_assumed: bool,
}

impl DataPlanes {
    /// Compiles the data planes of `config`.
    pub fn new(config: &[DataPlane]) -> Self {
        let mut planes = Self::default();
        for (number, plane) in config.iter().enumerate() {
            match plane {
                DataPlane::Shared(classes) => {
                    planes.shared.extend(classes.iter().map(|class| (class.value.clone(), number)));
                }
                DataPlane::PerIngress(entry) => {
                    planes.classes.extend(entry.classes.iter().map(|class| class.value.clone()));
                    planes.controllers.extend(entry.controllers.iter().map(|name| name.value.clone()));
                }
            }
        }
        planes
    }

    /// Whether an Ingress competes with `other`. If they have several classes, the pair of classes with the closest
    /// relation decides.
    pub fn nearest<'f>(
        &self,
        claims: &Claims<'_>,
        other: &'f IngressFacts,
        cluster: &Overlay<'_>,
        expressions: &Expressions,
    ) -> ClosestRelation<'f> {
        let (own, theirs) = (claims.hints(), other.hints.as_deref());
        let pairs = claims.classes.iter().flat_map(|class| other.classes().map(move |second| (class, second)));
        let all = pairs.map(|(class, second)| {
            let (one, other) = (PlaneInputs { class, hints: own }, PlaneInputs { class: second, hints: theirs });
            let (relation, is_assumed) = self.relation(one, other, cluster, expressions);
            ClosestRelation { relation, class: second, is_assumed }
        });
        let apart = ClosestRelation { relation: Relation::Apart, class: None, is_assumed: false };
        all.min_by_key(|nearest| Reverse(nearest.relation)).unwrap_or(apart)
    }

    /// The keys under which the view has every Ingress that may compete with one of these classes and hints, each once.
    /// What competes for certain comes first.
    pub fn rival_planes<'s>(
        &'s self,
        classes: impl Iterator<Item = Option<&'s str>>,
        hints: Option<&'s DataPlaneHints>,
        cluster: &Overlay<'s>,
    ) -> Vec<PlaneKey<'s>> {
        let mut keys: Vec<PlaneKey<'s>> = Vec::new();
        let mut add = |key| {
            if !keys.contains(&key) {
                keys.push(key);
            }
        };
        for class in classes {
            add(PlaneKey::Class(class));
            if let Some(number) = self.shared.get(class.unwrap_or_default()) {
                let shared = self.shared.iter().filter(|(_, own)| *own == number);
                shared.for_each(|(class, _)| {
                    add(PlaneKey::Class(Some(class.as_str()).filter(|class| !class.is_empty())))
                });
                continue;
            }
            match self.known(PlaneInputs { class, hints }, cluster) {
                KnownController::PerIngress => {}
                KnownController::Listed(profile, _) | KnownController::Suggested(profile) => {
                    if profile.serves_classless || class.is_none() {
                        add(PlaneKey::Class(None));
                    }
                    let group = hints.and_then(|hints| hints.group_of(profile));
                    if let (Some(group), Some(position)) = (group, profile.position()) {
                        add(PlaneKey::Group(position, group));
                    }
                    if profile.sharing == Sharing::Class || profile.groups_by_parameters() {
                        classes_of(profile, cluster).for_each(|class| add(PlaneKey::Class(Some(class))));
                    }
                }
                KnownController::Named(controller) => {
                    let same = cluster.ingress_classes().filter(|facts| *facts.controller == *controller);
                    same.for_each(|facts| add(PlaneKey::Class(Some(&facts.name))));
                }
                KnownController::Unknown(_) => {}
            }
            if class.is_none() {
                let serving = ControllerTraits::serving_classless();
                serving
                    .flat_map(|profile| classes_of(profile, cluster))
                    .for_each(|class| add(PlaneKey::Class(Some(class))));
            }
        }
        keys
    }

    /// Whether two Ingresses compete, each in one of its classes, and whether the competition is only assumed.
    fn relation(
        &self,
        one: PlaneInputs<'_>,
        other: PlaneInputs<'_>,
        cluster: &Overlay<'_>,
        expressions: &Expressions,
    ) -> (Relation, bool) {
        let configured = self.configured(one.class, other.class);
        let (first, second) = (self.known(one, cluster), self.known(other, cluster));
        let ungrouped = configured.unwrap_or_else(|| between((one, first), (other, second)));
        let may_be_grouped = ungrouped == Relation::Apart
            && configured.is_none()
            && may_be_grouped_by_parameters((one, first), (other, second), cluster);
        let relation = if may_be_grouped { Relation::Related } else { ungrouped };
        if relation == Relation::Apart {
            return (relation, false);
        }
        let readers = match (first.readers(), second.readers()) {
            // Possibly no controller reads these annotations, so they do not override the proxies of the configuration.
            (Readers::Any, Readers::Any) if configured.is_some() => Readers::None,
            (Readers::Any, readers) | (readers, Readers::Any) => readers,
            (readers, same) if readers == same => readers,
            _ => Readers::None,
        };
        let is_assumed = configured.is_none() && (first.is_nothing() || second.is_nothing());
        let is_suggested = may_be_grouped || (configured.is_none() && (first.is_suggested() || second.is_suggested()));
        let (own, theirs) = (DataPlaneHints::choices(one.hints), DataPlaneHints::choices(other.hints));
        match listener_choice::overlap(own, theirs, readers, is_assumed, expressions) {
            Overlap::None => (Relation::Apart, false),
            Overlap::Possible if configured.is_none() => (Relation::Related, is_assumed || is_suggested),
            _ if relation == Relation::Related => (relation, is_suggested),
            _ => (relation, configured.is_none() && first.is_nothing() && second.is_nothing()),
        }
    }

    /// The data plane that serves an Ingress.
    pub fn plane<'s>(&'s self, one: PlaneInputs<'s>, cluster: &Overlay<'_>) -> Plane<'s> {
        let known = self.known(one, cluster);
        let choices = DataPlaneHints::choices(one.hints);
        if let Some(number) = self.shared.get(one.class.unwrap_or_default()) {
            let classes = self.shared.iter().filter(|(_, own)| *own == number).map(|(class, _)| class.as_str());
            return Plane::Class(classes.filter(|class| !class.is_empty()).min());
        }
        if listener_choice::is_alone(choices, known.readers()) {
            return Plane::Alone;
        }
        let profile = match known {
            KnownController::PerIngress => return Plane::Alone,
            KnownController::Listed(profile, _) | KnownController::Suggested(profile) => profile,
            KnownController::Named(_) | KnownController::Unknown(_) => return Plane::Class(one.class),
        };
        let group = one.hints.and_then(|hints| hints.group_of(profile));
        match (profile.sharing, group) {
            (Sharing::Class, _) => match listener_choice::exclusive(choices, known.readers()) {
                none if none.is_empty() => Plane::Class(one.class),
                listener => Plane::Listener(one.class, listener.into()),
            },
            (Sharing::Group(_), Some(group)) => Plane::Group(group.into()),
            (Sharing::Group(_) | Sharing::Nothing, _) => Plane::Alone,
        }
    }

    /// Whether a claim of an Ingress takes requests that could belong to another Ingress. A claim without a host does
    /// not if only this Ingress uses the address that serves it (the address of its own load balancer, or a TCP port).
    /// The name of a device in the Tailscale network of the operator does not, either.
    pub fn takes_requests(&self, claim: &ClaimedHost<'_>, claims: &Claims<'_>, cluster: &Overlay<'_>) -> bool {
        let is_harmless = |class| {
            let served = PlaneInputs { class, hints: claims.hints() };
            let known = self.known(served, cluster);
            let is_known = matches!(known, KnownController::PerIngress | KnownController::Listed(..));
            let choices = DataPlaneHints::choices(served.hints);
            is_known
                && match &claim.host {
                    Host::Any => {
                        self.plane(served, cluster) == Plane::Alone || listener_choice::is_tcp(choices, known.readers())
                    }
                    Host::Precise(name) => {
                        known.readers() == Readers::Only(Controller::Tailscale)
                            && (!name.contains('.') || name.ends_with(TAILNET))
                    }
                    Host::Wildcard(_) => false,
                }
        };
        // An annotation that merely may serve requests is not known to be limited to the Ingress's own address.
        let is_rule = matches!(claim.at, ClaimLocation::At(_)) || claim.is_served();
        !(is_rule && claims.classes.iter().all(is_harmless))
    }

    /// The controllers that may serve two competing Ingresses. One Ingress has these `claims`, the other is `other`.
    pub fn controller(&self, claims: &Claims<'_>, other: PlaneInputs<'_>, cluster: &Overlay<'_>) -> Readers {
        let own = claims.classes.iter().map(|class| PlaneInputs { class, hints: claims.hints() });
        let all = std::iter::once(other).chain(own);
        let readers = all.map(|served| self.known(served, cluster).readers());
        readers.fold(Readers::Any, |known, next| match (known, next) {
            (Readers::Only(_), _) | (_, Readers::Any) => known,
            _ => next,
        })
    }

    /// The order in which the data plane of an Ingress evaluates rules.
    pub fn rule_order(&self, served: PlaneInputs<'_>, cluster: &Overlay<'_>) -> RuleOrder {
        match self.known(served, cluster) {
            KnownController::Listed(profile, _) | KnownController::Suggested(profile) => profile.order,
            KnownController::PerIngress | KnownController::Named(_) | KnownController::Unknown(_) => RuleOrder::Host,
        }
    }

    /// Whether the controller of `class` also serves Ingresses that have no class.
    pub fn serves_classless(&self, class: &str, cluster: &Overlay<'_>) -> bool {
        let served = PlaneInputs { class: Some(class), hints: None };
        let is_listed =
            || matches!(self.known(served, cluster), KnownController::Listed(own, _) if own.serves_classless);
        match self.configured(Some(class), None) {
            Some(relation) => relation == Relation::Same,
            None => is_listed(),
        }
    }

    /// The classes whose objects the same Contour serves as those of `class`. `class` itself is the first.
    pub fn of_contour<'s>(&'s self, class: Option<&'s str>) -> impl Iterator<Item = Option<&'s str>> {
        let number = self.shared.get(class.unwrap_or_default());
        let configured =
            number.into_iter().flat_map(|number| self.shared.iter().filter(move |(_, own)| *own == number));
        let configured = configured.map(|(class, _)| Some(class.as_str()).filter(|class| !class.is_empty()));
        let known = match class {
            None => Some(Some(CONTOUR)),
            Some(CONTOUR) => Some(None),
            Some(_) => None,
        };
        let known = known.filter(|other| self.configured(class, *other).is_none());
        std::iter::once(class).chain(configured.filter(move |other| *other != class)).chain(known)
    }

    /// The relation of two classes according to the configuration; `None` if the configuration contains neither.
    fn configured(&self, one: Option<&str>, other: Option<&str>) -> Option<Relation> {
        if self.shared.is_empty() {
            return None;
        }
        let number = |class: Option<&str>| self.shared.get(class.unwrap_or_default());
        match (number(one), number(other)) {
            (None, None) => None,
            (first, second) if first == second => Some(Relation::Same),
            _ => Some(Relation::Apart),
        }
    }

    /// The knowledge that a default class gives about Ingresses without a class. If there is a default class, the
    /// annotations do not decide which controller serves them.
    fn by_default<'c>(&self, cluster: &Overlay<'c>) -> Option<KnownController<'c>> {
        let Lookup::Found(classes) = cluster.default_classes() else { return None };
        let known = classes.into_iter().map(|facts| match facts.traits() {
            _ if self.controllers.contains(&*facts.controller) || self.classes.contains(&*facts.name) => {
                KnownController::PerIngress
            }
            Some(profile) if profile.sharing == Sharing::Class => {
                KnownController::Unknown(Readers::Only(profile.controller))
            }
            Some(profile) => KnownController::Listed(profile, Some(&facts.controller)),
            None => KnownController::Unknown(Readers::None),
        });
        // If there are several default classes, one whose Ingresses may share a proxy takes precedence, since these
        // Ingresses compete.
        known.min_by_key(|known| !matches!(known, KnownController::Unknown(_)))
    }

    /// The knowledge about the controller that serves an Ingress. Its annotations count only if its class does not
    /// identify a controller.
    fn known<'c>(&self, served: PlaneInputs<'_>, cluster: &Overlay<'c>) -> KnownController<'c> {
        if self.classes.contains(served.class.unwrap_or_default()) {
            return KnownController::PerIngress;
        }
        let Some(class) = served.class else {
            return self.by_default(cluster).unwrap_or_else(|| by_annotations(served.hints));
        };
        match cluster.ingress_class(class) {
            Lookup::Found(facts) if self.controllers.contains(&*facts.controller) => KnownController::PerIngress,
            Lookup::Found(facts) => match facts.traits() {
                Some(profile) => KnownController::Listed(profile, Some(&facts.controller)),
                None => KnownController::Named(&facts.controller),
            },
            Lookup::Absent | Lookup::Unknown => {
                match (ControllerTraits::of_class(class), ControllerTraits::suggested_by(class)) {
                    (Some(profile), _) => KnownController::Listed(profile, None),
                    (None, Some(proxy)) => KnownController::Unknown(Readers::Only(proxy.controller)),
                    (None, None) => by_annotations(served.hints),
                }
            }
        }
    }
}
