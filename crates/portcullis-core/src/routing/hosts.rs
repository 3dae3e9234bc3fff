//! The hosts that an object claims: an Ingress, a Gateway or ListenerSet, a route, or the root of a delegation.

use std::borrow::Cow;
use std::cell::OnceCell;

use hashbrown::HashSet;

use super::attachment::default_parents;
use super::{Attachment, controllers};
use crate::cluster::gateway_facts::{GatewayRouteFacts, ParentFacts};
use crate::cluster::{DataPlanes, Overlay};
use crate::field::At;
use crate::kinds::{Listener, Listeners, Object, Route, walk};
use crate::matching::alias::{Alias, Aliased};
use crate::matching::claimed_host::{ClaimLocation, ClaimStrength};
use crate::matching::mark::is_solver_route;
use crate::matching::{ClaimedHost, Claims, Depth, Host, Mark, Readers};

/// An object whose hosts are computed only on request, since that may need the rest of the cluster.
#[derive(Debug, Clone, Copy)]
pub enum Hosts<'o, 'a> {
    /// An Ingress, whose own fields contain all of its hosts.
    OfIngress(&'o Claims<'o>),
    /// An object of a kind that is installed as a CRD.
    OfObject(&'o Object<'a>),
}

impl<'o> Hosts<'o, '_> {
    /// All claims, including those of annotations that a controller reads which serves or may serve the object.
    pub fn claims<'h>(&self, cluster: &Overlay<'h>) -> Cow<'h, [ClaimedHost<'h>]>
    where
        'o: 'h,
    {
        self.with_aliases(cluster, |_| true)
    }

    /// The claims that conflict with claims of others: those whose hosts are certainly served.
    pub fn served<'h>(&self, cluster: &Overlay<'h>) -> Cow<'h, [ClaimedHost<'h>]>
    where
        'o: 'h,
    {
        match self.may_be_served(cluster) {
            all if all.iter().all(ClaimedHost::is_served) => all,
            all => all.iter().filter(|claim| claim.is_served()).cloned().collect(),
        }
    }

    /// The [served](ClaimedHost::is_served) claims, and others.
    pub fn may_be_served<'h>(&self, cluster: &Overlay<'h>) -> Cow<'h, [ClaimedHost<'h>]>
    where
        'o: 'h,
    {
        self.with_aliases(cluster, Alias::may_serve)
    }

    /// Whether a claim of the object takes requests that could belong to another namespace.
    pub fn takes_requests(&self, claim: &ClaimedHost<'_>, data_planes: &DataPlanes, cluster: &Overlay<'_>) -> bool {
        match self {
            Self::OfIngress(claims) => data_planes.takes_requests(claim, claims, cluster),
            Self::OfObject(_) => true,
        }
    }

    /// Whether a claim of the object is one of a rule that only answers ACME challenges. These need neither certificates nor annotations.
    pub fn is_challenge(&self, claim: &ClaimedHost<'_>) -> bool {
        let is_rule = matches!(claim.at, ClaimLocation::At(at) if !at.is_in("spec.tls[].hosts[]"));
        is_rule
            && match self {
                Self::OfIngress(claims) => claims.mark == Mark::AcmeSolver,
                Self::OfObject(object) => object.route().is_some_and(|route| is_solver_route(&route)),
            }
    }

    /// The claims of the spec, and of the annotations for which `meant` is true and which a controller reads.
    fn with_aliases<'h>(&self, cluster: &Overlay<'h>, meant: impl Fn(&Alias) -> bool) -> Cow<'h, [ClaimedHost<'h>]>
    where
        'o: 'h,
    {
        let own = self.declared(cluster);
        let aliases = self.aliases();
        let controllers = OnceCell::new();
        let is_read = |alias: &Alias| {
            alias.is_read_by_all() || alias.is_read_by(controllers.get_or_init(|| self.controllers(cluster)))
        };
        let read = aliases.iter().filter(|aliased| meant(aliased.alias) && is_read(aliased.alias));
        let added: Vec<_> = read.flat_map(|aliased| aliased.claims(&own)).collect();
        if added.is_empty() { own } else { [own.into_owned(), added].concat().into() }
    }

    /// The hosts of the spec. A route without hosts has those of the listeners that accept it; hosts of unknown parents
    /// are left out.
    fn declared<'h>(&self, cluster: &Overlay<'h>) -> Cow<'h, [ClaimedHost<'h>]>
    where
        'o: 'h,
    {
        let object = match self {
            Self::OfIngress(claims) => return Cow::Borrowed(&claims.hosts),
            Self::OfObject(object) => object,
        };
        match (object.listeners(), object.route()) {
            (Some(listeners), _) => of_listeners(&listeners).into(),
            (None, Some(route)) if route.hostnames().is_empty() => of_parents(&route, cluster).into(),
            (None, Some(route)) => [named(&route), narrowed(&route, cluster)].concat().into(),
            (None, None) => of_root(object).into(),
        }
    }

    /// The annotations that may add hosts.
    fn aliases(&self) -> Cow<'o, [Aliased<'o>]> {
        match self {
            Self::OfIngress(claims) => Cow::Borrowed(&claims.aliases),
            Self::OfObject(object) => aliases(object).collect(),
        }
    }

    fn controllers(&self, cluster: &Overlay<'_>) -> Vec<Readers> {
        match self {
            Self::OfIngress(claims) => controllers::of_classes(claims.classes.iter(), cluster),
            Self::OfObject(object) => controllers::of_object(object, cluster),
        }
    }
}

/// The annotations of an object that may add hosts, and those that a Gateway copies to the resources created for it.
fn aliases<'o>(object: &'o Object<'_>) -> impl Iterator<Item = Aliased<'o>> {
    let passed_on = match object {
        Object::Gateway(gateway) => {
            gateway.spec.infrastructure.as_ref().map(|infrastructure| &infrastructure.annotations)
        }
        _ => None,
    };
    let passed_on = passed_on.into_iter().flat_map(|map| Aliased::all("spec.infrastructure.annotations", map));
    let own = Aliased::all("metadata.annotations", &object.metadata().annotations);
    own.chain(passed_on).filter(|aliased| !aliased.alias.is_of_ingresses())
}

/// The host that the root of a delegation owns; none if it is blank.
fn of_root<'o>(object: &'o Object<'_>) -> Vec<ClaimedHost<'o>> {
    let fqdn = match object {
        Object::IngressRoute(route) => route.spec.virtualhost.as_ref().map(|host| &*host.fqdn),
        Object::HttpProxy(proxy) => proxy.spec.virtualhost.as_ref().map(|host| &*host.fqdn),
        _ => None,
    };
    let named = fqdn.filter(|fqdn| !fqdn.is_empty());
    named
        .map(|fqdn| ClaimedHost::written(ClaimLocation::At(At::field("spec.virtualhost.fqdn")), fqdn))
        .into_iter()
        .collect()
}

/// The hosts for which listeners accept traffic. A listener without a host accepts every host, and so does one for all
/// connections on a port of HTTP.
fn of_listeners<'o>(listeners: &Listeners<'o, '_>) -> Vec<ClaimedHost<'o>> {
    let answered = walk::host::answered(listeners);
    let named = answered.map(|(at, listener)| ClaimedHost::written(ClaimLocation::At(at), listener.hostname()));
    let takes_port = |listener: &Listener<'_>| {
        &*listener.protocol == "TCP" && listener.port.is_some_and(|port| HTTP_PORTS.contains(&port))
    };
    let whole = walk::listener::listeners(listeners).filter(|(_, listener)| takes_port(listener));
    named.chain(whole.map(|(at, _)| ClaimedHost::written(ClaimLocation::At(at), ""))).collect()
}

/// The ports to which clients of HTTP connect unless a URL names another one.
const HTTP_PORTS: [i64; 2] = [80, 443];

/// The hosts that a route names, whether or not a listener accepts it.
fn named<'o>(route: &Route<'o, '_>) -> Vec<ClaimedHost<'o>> {
    walk::route::hostnames(route).map(|(at, host)| ClaimedHost::written(ClaimLocation::At(at), host)).collect()
}

/// The hosts to which listeners narrow the wildcards of a route: it serves nothing else there.
fn narrowed<'c>(route: &Route<'_, '_>, cluster: &Overlay<'c>) -> Vec<ClaimedHost<'c>> {
    let hosts: Vec<Host<'_>> = route.hostnames().iter().map(|written| Host::parse(written)).collect();
    let mut wildcards = hosts.iter().filter(|host| matches!(host, Host::Wildcard(_))).peekable();
    if wildcards.peek().is_none() {
        return Vec::new();
    }
    let wildcards: Vec<_> = wildcards.collect();
    let is_narrowed = |claim: &ClaimedHost<'_>| {
        matches!(claim.host, Host::Precise(_))
            && wildcards.iter().any(|wildcard| wildcard.covers(&claim.host, Depth::AnyLabels))
            && !hosts.contains(&claim.host)
    };
    of_parents(route, cluster).into_iter().filter(is_narrowed).collect()
}

/// The hosts that a route without hosts gets from the listeners that accept it: for each reference, each host once.
/// Listeners whose protocol does not distinguish hosts contribute none.
fn of_parents<'c>(route: &Route<'_, '_>, cluster: &Overlay<'c>) -> Vec<ClaimedHost<'c>> {
    let facts = GatewayRouteFacts::without_matches(route);
    let named = walk::route::parent_refs(route).filter_map(|(at, parent)| {
        let parent = ParentFacts::of(parent, &facts.object_ref.namespace)?;
        Some((at, parent))
    });
    let defaults =
        default_parents(facts.uses_defaults, cluster).map(|parent| (At::field("spec.useDefaultGateways"), parent));
    let mut claims = Vec::new();
    for (at, parent) in named.chain(defaults) {
        let attachment = Attachment::of(&facts, &parent, cluster);
        let with_hosts = attachment.accepting().filter(|listener| listener.has_host());
        let hosts: HashSet<Host<'c>> = with_hosts.map(|listener| listener.host.borrowed()).collect();
        let claim = |host| ClaimedHost { at: ClaimLocation::At(at), host, written: "", kind: ClaimStrength::Served };
        claims.extend(hosts.into_iter().map(claim));
    }
    claims
}
