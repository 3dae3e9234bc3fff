//! Which objects one data plane serves, so that they compete for requests: by class, by what is known of controllers, and by configuration.

use std::cmp::Reverse;

use hashbrown::{HashMap, HashSet};

use super::{IngressFacts, Lookup, Overlay};
use crate::config::DataPlane;
use crate::matching::Claims;
use crate::matching::data_plane::{Balancer, Controller, Sharing, controller_named, controller_of_class};

/// The class that Contour serves beside objects without one, unless it is told otherwise.
const CONTOUR: &str = "contour";

/// What the configuration says of data planes, compiled once.
#[derive(Debug, Default)]
pub struct DataPlanes {
    /// The number of the proxy, by class; an empty text for none.
    shared: HashMap<String, usize>,
    /// Classes with a load balancer for each Ingress.
    classes: HashSet<String>,
    /// Controllers of the same sort.
    controllers: HashSet<String>,
}

/// Whether two objects compete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// Two data planes serve them.
    Apart,
    /// Their classes have one controller, of which one process or several may serve them.
    Related,
    /// One data plane serves both.
    Same,
}

/// Which Ingresses are served together with one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plane<'s> {
    /// Those of its class, which stands here for all classes that are served together.
    Class(Option<&'s str>),
    /// Those of a group.
    Group(Box<str>),
    /// None.
    Alone,
}

/// What of an Ingress decides which data plane serves it.
#[derive(Debug, Clone, Copy)]
pub struct Served<'s> {
    /// The class.
    pub class: Option<&'s str>,
    /// What its annotations say.
    pub balancer: Option<&'s Balancer>,
}

/// What is known of the controller of a class.
#[derive(Debug, Clone, Copy)]
enum Known<'c> {
    /// It is one of the table.
    Listed(&'static Controller),
    /// By the configuration, it builds a load balancer for each Ingress.
    PerIngress,
    /// Its name.
    Named(&'c str),
    /// Nothing.
    Unknown,
}

impl DataPlanes {
    /// What `config` says.
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

    /// Whether an Ingress competes with `other`, and in which class of the other: where the two name several, in those in which they are
    /// nearest.
    pub fn nearest<'f>(
        &self,
        claims: &Claims<'_>,
        other: &'f IngressFacts,
        cluster: &Overlay<'_>,
    ) -> (Relation, Option<&'f str>) {
        let (own, theirs) = (claims.balancer(), other.balancer.as_deref());
        let pairs = claims.classes.iter().flat_map(|class| other.classes().map(move |second| (class, second)));
        let relations = pairs.map(|(class, second)| {
            let served = Served { class: second, balancer: theirs };
            (self.relation(Served { class, balancer: own }, served, cluster), second)
        });
        relations.min_by_key(|(relation, _)| Reverse(*relation)).unwrap_or((Relation::Apart, None))
    }

    /// Whether two Ingresses compete, each in one of its classes.
    fn relation(&self, one: Served<'_>, other: Served<'_>, cluster: &Overlay<'_>) -> Relation {
        if let Some(relation) = self.configured(one.class, other.class) {
            return relation;
        }
        let first = self.known(one.class, cluster);
        if one.class == other.class {
            return match first {
                Known::Listed(controller) => within(controller, one, other),
                Known::PerIngress => Relation::Apart,
                Known::Named(_) => Relation::Same,
                // Who serves the class is not known, but both are written for a controller that shares nothing.
                Known::Unknown => {
                    both_for(one, other).map_or(Relation::Same, |controller| within(controller, one, other))
                }
            };
        }
        match (first, self.known(other.class, cluster)) {
            (Known::Listed(controller), Known::Listed(second)) if std::ptr::eq(controller, second) => {
                match controller.sharing {
                    Sharing::Class => Relation::Related,
                    Sharing::Group(_) | Sharing::Nothing => within(controller, one, other),
                }
            }
            (Known::Listed(controller), Known::Unknown) if other.class.is_none() => beside_classless(controller),
            (Known::Unknown, Known::Listed(controller)) if one.class.is_none() => beside_classless(controller),
            (Known::Named(first), Known::Named(second)) if first == second => Relation::Related,
            _ => Relation::Apart,
        }
    }

    /// The data plane that serves an Ingress.
    pub fn plane<'s>(&'s self, one: Served<'s>, cluster: &Overlay<'_>) -> Plane<'s> {
        if let Some(number) = self.shared.get(one.class.unwrap_or_default()) {
            let classes = self.shared.iter().filter(|(_, own)| *own == number).map(|(class, _)| class.as_str());
            return Plane::Class(classes.filter(|class| !class.is_empty()).min());
        }
        let controller = match self.known(one.class, cluster) {
            Known::PerIngress => return Plane::Alone,
            Known::Listed(controller) => controller,
            Known::Named(_) => return Plane::Class(one.class),
            Known::Unknown => match one.balancer {
                Some(balancer) => balancer.controller(),
                None => return Plane::Class(one.class),
            },
        };
        let group = one.balancer.and_then(|balancer| balancer.group_of(controller));
        match (controller.sharing, group) {
            (Sharing::Class, _) => Plane::Class(one.class),
            (Sharing::Group(_), Some(group)) => Plane::Group(group.into()),
            (Sharing::Group(_) | Sharing::Nothing, _) => Plane::Alone,
        }
    }

    /// Whether its data plane may ask rules for a wildcard host before those for a precise one.
    pub fn is_wildcard_first(&self, claims: &Claims<'_>, cluster: &Overlay<'_>) -> bool {
        let is_first =
            |class| matches!(self.known(class, cluster), Known::Listed(controller) if controller.is_wildcard_first);
        claims.classes.iter().any(is_first)
    }

    /// The classes whose objects one Contour serves together with those of `class`, itself first.
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

    /// What the configuration says of two classes; none where it says nothing.
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

    fn known<'c>(&self, class: Option<&str>, cluster: &Overlay<'c>) -> Known<'c> {
        let Some(class) = class else { return Known::Unknown };
        if self.classes.contains(class) {
            return Known::PerIngress;
        }
        match cluster.ingress_class(class) {
            Lookup::Found(facts) if self.controllers.contains(&*facts.controller) => Known::PerIngress,
            Lookup::Found(facts) => {
                controller_named(&facts.controller).map_or(Known::Named(&facts.controller), Known::Listed)
            }
            Lookup::Absent | Lookup::Unknown => controller_of_class(class).map_or(Known::Unknown, Known::Listed),
        }
    }
}

/// Whether a controller serves two of its Ingresses together.
fn within<'s>(controller: &Controller, one: Served<'s>, other: Served<'s>) -> Relation {
    let group = |served: Option<&'s Balancer>| served.and_then(|balancer| balancer.group_of(controller));
    let is_shared = match controller.sharing {
        Sharing::Class => true,
        Sharing::Group(_) => group(one.balancer).is_some_and(|own| group(other.balancer) == Some(own)),
        Sharing::Nothing => false,
    };
    if is_shared { Relation::Same } else { Relation::Apart }
}

/// The controller whose annotations both carry.
fn both_for(one: Served<'_>, other: Served<'_>) -> Option<&'static Controller> {
    let (first, second) = (one.balancer?.controller(), other.balancer?.controller());
    std::ptr::eq(first, second).then_some(first)
}

/// Whether an Ingress of a class of `controller` competes with one that has no class.
fn beside_classless(controller: &Controller) -> Relation {
    if controller.serves_classless { Relation::Same } else { Relation::Apart }
}
