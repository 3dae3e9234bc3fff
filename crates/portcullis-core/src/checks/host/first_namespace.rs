//! Part of `host/not-owned`: hosts without an entry where the first namespace that serves a host owns it
//! (`unlisted: FirstNamespace`).

use std::borrow::Cow;
use std::cell::OnceCell;
use std::cmp::Ordering;

use super::{is_later, solver};
use crate::checks::{Context, Operation};
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts, ParentFacts};
use crate::cluster::{HostBelow, Lookup, Reach};
use crate::finding::Findings;
use crate::kinds::reference::ParentRef;
use crate::kinds::{ListenerSet, Object, ObjectRef, Route, walk};
use crate::matching::claimed_host::{ClaimLocation, ClaimStrength};
use crate::matching::controller::ControllerTraits;
use crate::matching::{ClaimedHost, Host};
use crate::routing::attachment::allows_namespace;
use crate::routing::controllers::profile_of;
use crate::routing::host_holders::{Holder, Holders, gateway_namespace, has_own_route};
use crate::routing::serving::is_served;
use crate::routing::shared_proxy::routes_beside;
use crate::routing::{Hosts, precedence};

/// What other namespaces hold, each looked up once.
#[derive(Default)]
pub(super) struct Others<'c> {
    holders: Holders<'c>,
    /// A host in another namespace, and the object that serves it.
    any: OnceCell<Option<ServedHost<'c>>>,
}

/// A host, and an object that serves it.
type ServedHost<'c> = (Cow<'c, str>, &'c ObjectRef);

impl<'c> Others<'c> {
    /// Whether another namespace holds the host.
    pub(super) fn hold(&self, host: &Host<'_>, cx: &Context<'c>) -> bool {
        holder_elsewhere(host, &self.holders, cx).is_some()
    }
}

/// Reports the claim of a host that another namespace holds.
pub(super) fn check<'c>(
    hosts: &Hosts<'_, '_>,
    claim: &ClaimedHost<'_>,
    others: &Others<'c>,
    cx: &Context<'c>,
    found: &mut Findings<'_>,
) {
    // Of the hosts that begin like it, a proxy serves those that others name first: exact names, and wildcards at the beginning.
    let is_prefix = claim.written.strip_suffix(".*").is_some_and(|name| Host::parse(name).is_well_formed());
    let may_be_every_host = claim.kind == ClaimStrength::Widened && claim.host == Host::Any && !is_prefix;
    if may_be_every_host && let Some((host, other)) = others.any.get_or_init(|| any_elsewhere(hosts, cx)) {
        let template = "this annotation may serve every host, also {} of {other}: name your hosts in the rules";
        let finding = found.forbidden(claim.at, &claim.host.to_string(), template).args([""; 0]);
        finding.redactable(host, "one").other(other).claim(&claim.host.to_string(), None);
        return;
    }
    if !takes_host(hosts, claim, cx) {
        return;
    }
    let Some((created, holder)) = holder_elsewhere(&claim.host, &others.holders, cx) else { return };
    let is_for_holder = is_listener_for(hosts, claim, holder, cx);
    // The owner of a Gateway may prepare it for routes of others, but its proxy may serve the host by another Gateway or an Ingress, too.
    let may_take = is_for_holder && !refers_to_this(holder, cx) && is_of_shared_proxy(hosts, cx);
    if (is_for_holder && !may_take) || is_at_shared_gateway(hosts, claim, holder, cx) {
        return;
    }
    let host = claim.host.to_string();
    if let Some(user) = solver::refused_user(hosts, claim, cx) {
        let template = "host {} is already served by {other}; user {} may not answer ACME challenges for it: list the user \
                        in acmeSolvers.users";
        let finding = found.forbidden(claim.at, &host, template).claim(&host, claim.part());
        finding.args([&*host, user]).other(holder);
        return;
    }
    // Files rarely contain ages, and without them either of the two may be the first.
    let is_open = cx.operation == Operation::Stored && cx.created.is_none() && created.is_none();
    let template = match is_open {
        true => "host {} is also served by {other}, and it belongs to the namespace that serves it first",
        false => "host {} is already served by {other}, so it belongs to that namespace: use another host",
    };
    let finding = found.forbidden(claim.at, &host, template).claim(&host, claim.part());
    let finding = match claim.written.is_empty() {
        true => finding.without_args().redactable(&host, "of a listener").other(holder),
        false => finding.args([claim.written]).other(holder),
    };
    if is_open || may_take {
        finding.only_warns();
    }
}

/// A host in another namespace, and the object that serves it and is not newer: an Ingress, or else a route that the proxy of the Ingress
/// under review may serve, too.
fn any_elsewhere<'c>(hosts: &Hosts<'_, '_>, cx: &Context<'c>) -> Option<ServedHost<'c>> {
    let ingress = ingress_elsewhere(cx).map(|below| (Cow::Borrowed(below.host), &below.facts.object_ref));
    ingress.or_else(|| route_elsewhere(hosts, cx))
}

/// A host that a route in another namespace names and that a listener certainly accepts, if one proxy may serve the route and the Ingress
/// under review.
fn route_elsewhere<'c>(hosts: &Hosts<'_, '_>, cx: &Context<'c>) -> Option<ServedHost<'c>> {
    let Hosts::OfIngress(claims) = hosts else { return None };
    let routes = routes_beside(claims.classes.iter(), cx.cluster);
    let mut others = routes.filter(|route| !route.is_solver && is_later(&route.object_ref, route.created, cx));
    others.find_map(|route| {
        let host = route.hosts.iter().find(|host| is_served(route, host, cx.cluster) == Some(true))?;
        Some((host.text(), &route.object_ref))
    })
}

/// A host of an Ingress in another namespace that is not newer: the first host, and of its Ingresses the first by name, whatever the
/// order in which the view yields them.
fn ingress_elsewhere<'c>(cx: &Context<'c>) -> Option<HostBelow<'c>> {
    let mut others = cx.cluster.ingress_hosts(Reach::All, None).filter(|HostBelow { facts, .. }| {
        facts.object_ref.namespace != cx.namespace() && is_later(&facts.object_ref, facts.created, cx)
    });
    let first = others.next()?;
    let others = others.take_while(|other| other.host == first.host);
    Some(others.fold(first, |first, other| if other.facts.object_ref < first.facts.object_ref { other } else { first }))
}

/// Whether the claim takes the host for the namespace under review. A route without a parent of the Gateway API takes none, a Gateway only
/// by its own routes, and neither does a certificate for a wildcard. A route without hostnames takes only the exact hosts of
/// listeners.
fn takes_host(hosts: &Hosts<'_, '_>, claim: &ClaimedHost<'_>, cx: &Context<'_>) -> bool {
    let is_exempt = match hosts {
        Hosts::OfIngress(_) => false,
        Hosts::OfObject(Object::Gateway(gateway)) => {
            !serves_by_own_route(&ListenersFacts::of_gateway(gateway), claim, cx)
        }
        Hosts::OfObject(Object::ListenerSet(set)) => {
            is_at_its_gateway(set, cx) && !serves_by_own_route(&ListenersFacts::of_set(set), claim, cx)
        }
        Hosts::OfObject(object) => object.route().is_some_and(|route| !may_have_listeners(&route)),
    };
    let takes = match claim.host {
        Host::Any => false,
        Host::Precise(_) => true,
        Host::Wildcard(_) => claim.is_served() && claim.part().is_none() && !claim.written.is_empty(),
    };
    takes && !is_exempt
}

/// Whether a route may be attached to a listener: it uses the default Gateways, or refers to another parent than a Service. Parents of
/// unknown kinds, such as XListenerSets, may have listeners.
fn may_have_listeners(route: &Route<'_, '_>) -> bool {
    let is_service = |parent: &ParentRef<'_>| parent.kind.as_deref().is_some_and(|kind| kind.starts_with("Service"));
    route.uses_default_gateways() || !route.parent_refs().iter().all(is_service)
}

/// The object by which another namespace holds `host`; `None` if an object of this namespace that is cut may have held it before. For
/// a stored object that the view does not contain, such as one in a file, its own age counts as well.
fn holder_elsewhere<'c>(host: &Host<'_>, holders: &Holders<'c>, cx: &Context<'c>) -> Option<Holder<'c>> {
    let (created, object_ref) = holders.of(host, cx.config, cx.cluster)?;
    if cx.cluster.has_cut_before(cx.namespace(), created) {
        return None;
    }
    let is_older = || precedence::compare((cx.created, cx.this), (created, object_ref)) == Ordering::Less;
    let is_first = object_ref.namespace == cx.namespace() || (cx.operation == Operation::Stored && is_older());
    (!is_first).then_some((created, object_ref))
}

/// Whether a route in the namespace under review serves the host of a listener by this listener alone.
fn serves_by_own_route(listeners: &ListenersFacts, claim: &ClaimedHost<'_>, cx: &Context<'_>) -> bool {
    matches!(claim.host, Host::Precise(_)) && has_own_route(listeners, &claim.host, cx.cluster)
}

/// Whether the claim is a listener that serves the namespace of `holder`: it accepts routes of it, and `holder` is one that refers to the
/// object, unless the owner of the Gateway decides. Otherwise it takes requests from the listener that serves them.
fn is_listener_for(hosts: &Hosts<'_, '_>, claim: &ClaimedHost<'_>, holder: &ObjectRef, cx: &Context<'_>) -> bool {
    let (Hosts::OfObject(object), ClaimLocation::At(at)) = (hosts, claim.at) else { return false };
    let Some(listeners) = object.listeners() else { return false };
    let mut answered = walk::host::answered(&listeners);
    let listener = answered.find(|(own, _)| *own == at).map(|(_, listener)| ListenerFacts::of(listener));
    let decides = match object {
        Object::Gateway(_) => true,
        Object::ListenerSet(set) => is_at_its_gateway(set, cx),
        _ => false,
    };
    let is_its_own = decides || refers_to_this(holder, cx);
    listener.filter(|_| is_its_own).is_some_and(|listener| {
        allows_namespace(&listener.from, cx.namespace(), &holder.namespace, cx.cluster) != Some(false)
    })
}

/// Whether the holder of a host is a route that refers to the object under review.
fn refers_to_this(holder: &ObjectRef, cx: &Context<'_>) -> bool {
    let refers = |route: &GatewayRouteFacts| route.parents.iter().any(|parent| parent.target == *cx.this);
    matches!(cx.cluster.route(holder), Lookup::Found(route) if refers(route))
}

/// Whether one proxy serves the listeners of an object, other Gateways of their class, and Ingresses.
fn is_of_shared_proxy(hosts: &Hosts<'_, '_>, cx: &Context<'_>) -> bool {
    let class = match hosts {
        Hosts::OfObject(Object::Gateway(gateway)) => Some(gateway.class()),
        Hosts::OfObject(Object::ListenerSet(set)) => {
            let gateway = ParentFacts::of(&set.spec.parent_ref, cx.namespace());
            gateway.and_then(|gateway| cx.cluster.listeners(&gateway.target).found()).map(|gateway| &*gateway.class)
        }
        _ => None,
    };
    let class = class.and_then(|class| cx.cluster.gateway_class(class).found());
    class.and_then(|class| ControllerTraits::named(&class.controller)).is_some_and(|traits| traits.serves_gateways)
}

/// Whether a ListenerSet is in the namespace of its Gateway, so that both belong to the platform.
fn is_at_its_gateway(set: &ListenerSet<'_>, cx: &Context<'_>) -> bool {
    let gateway = ParentFacts::of(&set.spec.parent_ref, cx.namespace());
    gateway.is_some_and(|gateway| gateway.target.namespace == cx.namespace())
}

/// Whether a route without hostnames has this host from a listener of a Gateway in its own namespace that also accepts routes
/// of the namespace of `holder`, such as a redirect to HTTPS for all hosts of a shared Gateway.
fn is_at_shared_gateway(hosts: &Hosts<'_, '_>, claim: &ClaimedHost<'_>, holder: &ObjectRef, cx: &Context<'_>) -> bool {
    let (Hosts::OfObject(object), ClaimLocation::At(at)) = (hosts, claim.at) else { return false };
    let Some(route) = object.route().filter(|_| claim.written.is_empty()) else { return false };
    let parent = walk::route::parent_refs(&route).find(|(own, _)| *own == at);
    let parent = parent.and_then(|(_, parent)| ParentFacts::of(parent, cx.namespace()));
    let Some(Lookup::Found(parent)) = parent.map(|parent| cx.cluster.listeners(&parent.target)) else { return false };
    let own = &parent.object_ref.namespace;
    let is_shared = |listener: &ListenerFacts| {
        listener.host == claim.host
            && allows_namespace(&listener.from, own, &holder.namespace, cx.cluster) != Some(false)
    };
    // A proxy that serves all Gateways of its class sends it requests of other Gateways, too.
    let is_alone = || profile_of(&parent.object_ref, cx.cluster).is_none_or(|profile| !profile.serves_gateways);
    let refers = |route: &GatewayRouteFacts| {
        let targets = [&parent.object_ref, parent.gateway()];
        route.parents.iter().any(|reference| targets.contains(&&reference.target))
    };
    let is_attached = || matches!(cx.cluster.route(holder), Lookup::Found(route) if refers(route));
    gateway_namespace(parent) == cx.namespace()
        && parent.listeners.iter().any(is_shared)
        && (is_alone() || is_attached())
}
