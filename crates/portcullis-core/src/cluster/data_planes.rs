//! Which objects one data plane serves, so that they compete for requests: by class, by what is known of controllers, and by configuration.

use std::cmp::Reverse;

use hashbrown::{HashMap, HashSet};

use super::{IngressFacts, Lookup, Overlay};
use crate::config::DataPlane;
use crate::matching::controller::{Controller, ControllerTraits, Sharing};
use crate::matching::host_claim::ClaimLocation;
use crate::matching::listener_choice::{self, Meeting, Readers};
use crate::matching::rule_order::RuleOrder;
use crate::matching::{Claims, DataPlaneHints, Host, HostClaim};

/// The class that Contour serves beside objects without one, unless it is told otherwise.
const CONTOUR: &str = "contour";

/// What the names of all devices of Tailscale end in.
const TAILNET: &str = ".ts.net";

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
    /// Those of its class that its annotations give the same listener.
    Listener(Option<&'s str>, Box<str>),
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
    pub balancer: Option<&'s DataPlaneHints>,
}

/// What two Ingresses are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nearest<'f> {
    /// Whether they compete.
    pub relation: Relation,
    /// In which class of the other.
    pub class: Option<&'f str>,
    /// Whether they are only assumed to compete, since it is not known which controller serves their class.
    pub is_assumed: bool,
}

/// What is known of the controller that serves an Ingress.
#[derive(Debug, Clone, Copy)]
enum Known<'c> {
    /// It has a profile; its name, where an IngressClass says it.
    Listed(&'static ControllerTraits, Option<&'c str>),
    /// Nothing, but the Ingress has annotations that the controller of this profile reads, which builds load balancers for Ingresses. They
    /// are its author's text, so that they are believed only where the other Ingress has such annotations, too.
    Suggested(&'static ControllerTraits),
    /// By the configuration, it builds a load balancer for each Ingress.
    PerIngress,
    /// Its name.
    Named(&'c str),
    /// Nothing but which controllers may read the annotations of the Ingress.
    Unknown(Readers),
}

impl Known<'_> {
    /// Which controllers may read the annotations of the Ingress.
    fn readers(&self) -> Readers {
        match self {
            Self::Listed(profile, _) | Self::Suggested(profile) => Readers::Only(profile.controller),
            Self::PerIngress | Self::Named(_) => Readers::None,
            Self::Unknown(readers) => *readers,
        }
    }

    const fn is_nothing(&self) -> bool {
        matches!(self, Self::Unknown(Readers::Any))
    }

    const fn is_suggested(&self) -> bool {
        matches!(self, Self::Suggested(_))
    }
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

    /// Whether an Ingress competes with `other`: where the two name several classes, in those in which they are nearest.
    pub fn nearest<'f>(&self, claims: &Claims<'_>, other: &'f IngressFacts, cluster: &Overlay<'_>) -> Nearest<'f> {
        let (own, theirs) = (claims.balancer(), other.balancer.as_deref());
        let pairs = claims.classes.iter().flat_map(|class| other.classes().map(move |second| (class, second)));
        let all = pairs.map(|(class, second)| {
            let (one, other) = (Served { class, balancer: own }, Served { class: second, balancer: theirs });
            let (relation, is_assumed) = self.relation(one, other, cluster);
            Nearest { relation, class: second, is_assumed }
        });
        let apart = Nearest { relation: Relation::Apart, class: None, is_assumed: false };
        all.min_by_key(|nearest| Reverse(nearest.relation)).unwrap_or(apart)
    }

    /// Whether two Ingresses compete, each in one of its classes, and whether that is only assumed.
    fn relation(&self, one: Served<'_>, other: Served<'_>, cluster: &Overlay<'_>) -> (Relation, bool) {
        let configured = self.configured(one.class, other.class);
        let (first, second) = (self.known(one, cluster), self.known(other, cluster));
        let told = configured.unwrap_or_else(|| between((one, first), (other, second)));
        let may_be_grouped = told == Relation::Apart
            && configured.is_none()
            && may_be_grouped_by_parameters((one, first), (other, second), cluster);
        let relation = if may_be_grouped { Relation::Related } else { told };
        if relation == Relation::Apart {
            return (relation, false);
        }
        let readers = match (first.readers(), second.readers()) {
            // What the configuration says of a proxy is not undone by an annotation that maybe nobody reads.
            (Readers::Any, Readers::Any) if configured.is_some() => Readers::None,
            (Readers::Any, readers) | (readers, Readers::Any) => readers,
            (readers, same) if readers == same => readers,
            _ => Readers::None,
        };
        let is_assumed = configured.is_none() && (first.is_nothing() || second.is_nothing());
        let is_suggested = may_be_grouped || (configured.is_none() && (first.is_suggested() || second.is_suggested()));
        let (own, theirs) = (DataPlaneHints::choices(one.balancer), DataPlaneHints::choices(other.balancer));
        match listener_choice::meeting(own, theirs, readers, is_assumed) {
            Meeting::Apart => (Relation::Apart, false),
            Meeting::MayMeet if configured.is_none() => (Relation::Related, is_assumed || is_suggested),
            _ if relation == Relation::Related => (relation, is_suggested),
            _ => (relation, configured.is_none() && first.is_nothing() && second.is_nothing()),
        }
    }

    /// The data plane that serves an Ingress.
    pub fn plane<'s>(&'s self, one: Served<'s>, cluster: &Overlay<'_>) -> Plane<'s> {
        let known = self.known(one, cluster);
        let choices = DataPlaneHints::choices(one.balancer);
        if let Some(number) = self.shared.get(one.class.unwrap_or_default()) {
            let classes = self.shared.iter().filter(|(_, own)| *own == number).map(|(class, _)| class.as_str());
            return Plane::Class(classes.filter(|class| !class.is_empty()).min());
        }
        if listener_choice::is_alone(choices, known.readers()) {
            return Plane::Alone;
        }
        let profile = match known {
            Known::PerIngress => return Plane::Alone,
            Known::Listed(profile, _) | Known::Suggested(profile) => profile,
            Known::Named(_) | Known::Unknown(_) => return Plane::Class(one.class),
        };
        let group = one.balancer.and_then(|balancer| balancer.group_of(profile));
        match (profile.sharing, group) {
            (Sharing::Class, _) => match listener_choice::exclusive(choices, known.readers()) {
                none if none.is_empty() => Plane::Class(one.class),
                listener => Plane::Listener(one.class, listener.into()),
            },
            (Sharing::Group(_), Some(group)) => Plane::Group(group.into()),
            (Sharing::Group(_) | Sharing::Nothing, _) => Plane::Alone,
        }
    }

    /// Whether a claim of an Ingress takes requests that could be another's. One without a host does not where the address that serves it is
    /// the object's own, be it that of a load balancer or a port of TCP, and neither does the name of a device in its operator's network.
    pub fn takes_requests(&self, claim: &HostClaim<'_>, claims: &Claims<'_>, cluster: &Overlay<'_>) -> bool {
        let is_harmless = |class| {
            let served = Served { class, balancer: claims.balancer() };
            let known = self.known(served, cluster);
            let is_known = matches!(known, Known::PerIngress | Known::Listed(..));
            let choices = DataPlaneHints::choices(served.balancer);
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
        // What an annotation may let an Ingress answer beside its rules is not known to stay behind its own address.
        let is_rule = matches!(claim.at, ClaimLocation::At(_)) || claim.is_served();
        !(is_rule && claims.classes.iter().all(is_harmless))
    }

    /// The controller that serves two Ingresses which compete, as far as it is known: an Ingress with these `claims`, and one that is `other`.
    pub fn controller(&self, claims: &Claims<'_>, other: Served<'_>, cluster: &Overlay<'_>) -> Option<Controller> {
        let own = claims.classes.iter().map(|class| Served { class, balancer: claims.balancer() });
        let all = std::iter::once(other).chain(own);
        let readers = all.map(|served| self.known(served, cluster).readers());
        readers.into_iter().find_map(|readers| match readers {
            Readers::Only(controller) => Some(controller),
            Readers::Any | Readers::None => None,
        })
    }

    /// In which order the data plane of an Ingress has rules asked.
    pub fn rule_order(&self, served: Served<'_>, cluster: &Overlay<'_>) -> RuleOrder {
        match self.known(served, cluster) {
            Known::Listed(profile, _) | Known::Suggested(profile) => profile.order,
            Known::PerIngress | Known::Named(_) | Known::Unknown(_) => RuleOrder::Host,
        }
    }

    /// Whether the controller of `class` also serves Ingresses that have no class.
    pub fn serves_classless(&self, class: &str, cluster: &Overlay<'_>) -> bool {
        let served = Served { class: Some(class), balancer: None };
        let is_listed = || matches!(self.known(served, cluster), Known::Listed(own, _) if own.serves_classless);
        match self.configured(Some(class), None) {
            Some(relation) => relation == Relation::Same,
            None => is_listed(),
        }
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

    /// What a default class tells of Ingresses without a class. Their annotations do not tell the controller then.
    fn by_default<'c>(&self, cluster: &Overlay<'c>) -> Option<Known<'c>> {
        let Lookup::Found(classes) = cluster.default_classes() else { return None };
        let known = classes.into_iter().map(|facts| match ControllerTraits::named(&facts.controller) {
            _ if self.controllers.contains(&*facts.controller) || self.classes.contains(&*facts.name) => {
                Known::PerIngress
            }
            Some(profile) if profile.sharing == Sharing::Class => Known::Unknown(Readers::Only(profile.controller)),
            Some(profile) => Known::Listed(profile, Some(&facts.controller)),
            None => Known::Unknown(Readers::None),
        });
        // Of several default classes a proxy goes first, since its Ingresses compete.
        known.min_by_key(|known| !matches!(known, Known::Unknown(_)))
    }

    /// What is known of the controller that serves an Ingress. Its annotations tell only where its class does not.
    fn known<'c>(&self, served: Served<'_>, cluster: &Overlay<'c>) -> Known<'c> {
        if self.classes.contains(served.class.unwrap_or_default()) {
            return Known::PerIngress;
        }
        let Some(class) = served.class else {
            return self.by_default(cluster).unwrap_or_else(|| by_annotations(served.balancer));
        };
        match cluster.ingress_class(class) {
            Lookup::Found(facts) if self.controllers.contains(&*facts.controller) => Known::PerIngress,
            Lookup::Found(facts) => match ControllerTraits::named(&facts.controller) {
                Some(profile) => Known::Listed(profile, Some(&facts.controller)),
                None => Known::Named(&facts.controller),
            },
            Lookup::Absent | Lookup::Unknown => {
                match (ControllerTraits::of_class(class), ControllerTraits::suggested_by(class)) {
                    (Some(profile), _) => Known::Listed(profile, None),
                    (None, Some(proxy)) => Known::Unknown(Readers::Only(proxy.controller)),
                    (None, None) => by_annotations(served.balancer),
                }
            }
        }
    }
}

/// What the annotations of an Ingress say of its controller.
fn by_annotations(balancer: Option<&DataPlaneHints>) -> Known<'static> {
    balancer.and_then(DataPlaneHints::profile).map_or(Known::Unknown(Readers::Any), Known::Suggested)
}

/// Whether two Ingresses compete as far as their controllers tell.
fn between((one, first): (Served<'_>, Known<'_>), (other, second): (Served<'_>, Known<'_>)) -> Relation {
    let is_one_class = one.class == other.class;
    match (first, second) {
        (Known::PerIngress, _) | (_, Known::PerIngress) => Relation::Apart,
        (Known::Listed(profile, own), Known::Listed(second, theirs)) => {
            let has_one_name = own.is_none() || theirs.is_none() || own == theirs;
            match profile.sharing {
                _ if !std::ptr::eq(profile, second) => Relation::Apart,
                Sharing::Class if is_one_class => Relation::Same,
                Sharing::Class if has_one_name => Relation::Related,
                Sharing::Class => Relation::Apart,
                Sharing::Group(_) | Sharing::Nothing => within(profile, one, other),
            }
        }
        (Known::Listed(profile, _) | Known::Suggested(profile), Known::Suggested(second))
        | (Known::Suggested(profile), Known::Listed(second, _))
            if std::ptr::eq(profile, second) =>
        {
            within(profile, one, other)
        }
        (Known::Suggested(_), Known::Suggested(_)) => Relation::Apart,
        // Annotations that maybe nobody reads keep a class from no proxy, and one Ingress of a class from no other.
        (Known::Listed(profile, _), Known::Suggested(_)) | (Known::Suggested(_), Known::Listed(profile, _)) => {
            let is_classless = one.class.is_none() || other.class.is_none();
            if is_classless && profile.serves_classless { Relation::Related } else { Relation::Apart }
        }
        (Known::Suggested(_), _) | (_, Known::Suggested(_)) if is_one_class => Relation::Related,
        (Known::Listed(profile, _), _) if !is_one_class && other.class.is_none() => beside_classless(profile),
        (_, Known::Listed(profile, _)) if !is_one_class && one.class.is_none() => beside_classless(profile),
        // One of them is written for a controller that shares nothing with the other's.
        (Known::Listed(..) | Known::Suggested(_), _) | (_, Known::Listed(..) | Known::Suggested(_)) => Relation::Apart,
        _ if is_one_class => Relation::Same,
        (Known::Named(first), Known::Named(second)) if first == second => Relation::Related,
        _ => Relation::Apart,
    }
}

/// Whether two Ingresses of a controller that builds load balancers share one.
fn within<'s>(profile: &ControllerTraits, one: Served<'s>, other: Served<'s>) -> Relation {
    let group = |served: Served<'s>| served.balancer.and_then(|balancer| balancer.group_of(profile));
    match group(one) {
        Some(own) if group(other) == Some(own) => Relation::Same,
        _ => Relation::Apart,
    }
}

/// Whether the parameters of a class may put two Ingresses into one group, which their annotations do not: both classes have some, or the
/// group of one without is the one that those of the other name.
fn may_be_grouped_by_parameters(
    (one, first): (Served<'_>, Known<'_>),
    (other, second): (Served<'_>, Known<'_>),
    cluster: &Overlay<'_>,
) -> bool {
    let (Known::Listed(profile, _), Known::Listed(theirs, _)) = (first, second) else { return false };
    if !std::ptr::eq(profile, theirs) || !profile.groups_by_parameters() {
        return false;
    }
    let has_parameters = |served: Served<'_>| {
        let class = served.class.map(|class| cluster.ingress_class(class));
        matches!(class, Some(Lookup::Found(facts)) if facts.has_parameters)
    };
    let has_group = |served: Served<'_>| served.balancer.is_some_and(|balancer| balancer.group_of(profile).is_some());
    match (has_parameters(one), has_parameters(other)) {
        (true, true) => true,
        (true, false) => has_group(other),
        (false, true) => has_group(one),
        (false, false) => false,
    }
}

/// Whether an Ingress of a class of the controller of `profile` competes with one that has no class.
fn beside_classless(profile: &ControllerTraits) -> Relation {
    if profile.serves_classless { Relation::Same } else { Relation::Apart }
}
