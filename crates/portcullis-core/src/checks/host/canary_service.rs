//! Part of `host/path-conflict`: a canary whose Service is also that of an ordinary Ingress. ingress-nginx serves the path
//! of such a canary like an ordinary path (recorded with v1.15.1): on its host, or, if no Ingress has a rule for the
//! host, on all such hosts.

use hashbrown::HashMap;

use super::ingress_rivals::IngressRivals;
use super::{Rival, own_mark, rival, their_mark};
use crate::checks::Context;
use crate::cluster::ingress_services::service_key;
use crate::cluster::{IngressFacts, Relation};
use crate::finding::Findings;
use crate::matching::controller::Controller;
use crate::matching::path_interpretation::NotatedPath;
use crate::matching::{Claims, Host, Mark, Readers, Route};

static EVERY_HOST: Host<'static> = Host::Any;

/// Reports each path of a canary that is served although no Ingress has it, beside an Ingress of another namespace.
pub(super) fn check<'c>(
    claims: &Claims<'_>,
    rivals: &IngressRivals<'_, 'c>,
    cx: &Context<'c>,
    found: &mut Findings<'_>,
) {
    // The Ingress to which the canary is attached may be one whose paths are unknown.
    if own_mark(claims, cx) != Mark::Canary || cx.cluster.has_cut_in(cx.namespace()) {
        return;
    }
    // A canary may have thousands of paths, with one host and one Service.
    let (mut by_service, mut by_host) = (HashMap::new(), HashMap::new());
    for position in cx.part.of(claims.distinct()) {
        let route = &claims.routes[*position];
        let (Some(service), Some(path)) = (service_key(route.backend), &route.path) else { continue };
        let path = path.notated(claims.notation(route));
        if let Some((rival, other)) = beside_default_backend(route, path, rivals, cx) {
            let template = "canary {} on {} gets requests of the default backend of {other}: use a host of your own";
            report((route, path), rival, other, template, found);
            continue;
        }
        if !*by_service.entry(service).or_insert_with_key(|service| is_used(service, rivals, cx))
            || has_path(&route.host, path, rivals, cx)
        {
            continue;
        }
        let on_host = *by_host.entry(&route.host).or_insert_with(|| on_host(&route.host, rivals, cx));
        let beside = match on_host {
            HostUsers::None => beside_every_host(path, rivals, cx),
            HostUsers::Own => None,
            HostUsers::Foreign(rival, other) => Some((rival, other)),
        };
        if let Some((rival, other)) = beside {
            let template = match on_host == HostUsers::None {
                false => "canary {} on {} is served beside {other}: give it its own Service",
                true => "canary {} on {} gets unknown hosts beside {other}: use its own Service",
            };
            report((route, path), rival, other, template, found);
        }
    }
}

/// The ordinary Ingresses with a rule for a host.
#[derive(Debug, Clone, Copy, PartialEq)]
enum HostUsers<'c> {
    None,
    /// Only Ingresses of the namespace under review, or others with which it may share the host.
    Own,
    /// An Ingress of another namespace.
    Foreign(Rival, &'c IngressFacts),
}

fn report(
    (route, path): (&Route<'_>, NotatedPath<'_>),
    rival: Rival,
    other: &IngressFacts,
    template: &'static str,
    found: &mut Findings<'_>,
) {
    let host = route.host.to_string();
    let identity = format!("{host} {} canary", route.written);
    let finding = found.duplicate(route.at.then("path"), &identity, template);
    finding.args([route.written, &route.host.described()]).other(&other.object_ref);
    finding.claim(&host, Some(NotatedPath::key(path.kind, path.text)));
    if rival == Rival::Squatter {
        finding.only_warns();
    }
}

/// An Ingress of another namespace that only has a default backend, and to which a canary for every host and path is attached.
fn beside_default_backend<'c>(
    route: &Route<'_>,
    path: NotatedPath<'_>,
    rivals: &IngressRivals<'_, 'c>,
    cx: &Context<'c>,
) -> Option<(Rival, &'c IngressFacts)> {
    if route.host != Host::Any || !path.may_be_root() || has_path(&EVERY_HOST, path, rivals, cx) {
        return None;
    }
    let takes_rest = |other: &&'c IngressFacts| {
        other.routes.iter().all(|route| route.notation.is_default_backend)
            && rivals.controller(other, rivals.nearest(other)) == Readers::Only(Controller::IngressNginx)
    };
    let others = with_path(&EVERY_HOST, NotatedPath::DEFAULT_BACKEND, rivals);
    first(&EVERY_HOST, others.filter(takes_rest), rivals, cx)
}

/// Whether an ordinary Ingress of the namespace sends requests to the Service.
fn is_used(service: &str, rivals: &IngressRivals<'_, '_>, cx: &Context<'_>) -> bool {
    rivals.with_service(service).any(|other| shares_plane_with_canary(other, rivals, cx))
}

/// Whether an ordinary Ingress has the host and path, so that the canary is attached to it. Only paths of known types
/// are attached.
fn has_path(host: &Host<'_>, path: NotatedPath<'_>, rivals: &IngressRivals<'_, '_>, cx: &Context<'_>) -> bool {
    with_path(host, path, rivals).any(|other| shares_plane_with_canary(other, rivals, cx))
}

/// The other Ingresses with a rule for the host and path.
fn with_path<'c>(
    host: &Host<'_>,
    path: NotatedPath<'_>,
    rivals: &IngressRivals<'_, 'c>,
) -> impl Iterator<Item = &'c IngressFacts> {
    rivals.at(host, path).filter(|theirs| theirs.alias.is_none()).map(|theirs| theirs.facts)
}

fn on_host<'c>(host: &Host<'_>, rivals: &IngressRivals<'_, 'c>, cx: &Context<'c>) -> HostUsers<'c> {
    let with_host = || {
        let others = cx.cluster.ingress_holders(host).into_iter();
        others.filter(|(_, alias)| alias.is_none()).map(|(other, _)| other)
    };
    match first(host, with_host(), rivals, cx) {
        Some((rival, other)) => HostUsers::Foreign(rival, other),
        None if with_host().any(|other| shares_plane_with_canary(other, rivals, cx)) => HostUsers::Own,
        None => HostUsers::None,
    }
}

/// An ordinary Ingress of another namespace that serves the path, or everything, on every host.
fn beside_every_host<'c>(
    path: NotatedPath<'_>,
    rivals: &IngressRivals<'_, 'c>,
    cx: &Context<'c>,
) -> Option<(Rival, &'c IngressFacts)> {
    let paths = [path, NotatedPath::ROOT, NotatedPath::DEFAULT_BACKEND].into_iter();
    paths.map(|path| with_path(&EVERY_HOST, path, rivals)).find_map(|others| first(&EVERY_HOST, others, rivals, cx))
}

/// The first of these Ingresses, by age and name, that is an ordinary one of another namespace beside this one.
fn first<'c>(
    host: &Host<'_>,
    others: impl Iterator<Item = &'c IngressFacts>,
    rivals: &IngressRivals<'_, 'c>,
    cx: &Context<'c>,
) -> Option<(Rival, &'c IngressFacts)> {
    let foreign = others
        .filter(|other| other.object_ref.namespace != cx.namespace() && shares_plane_with_canary(other, rivals, cx));
    let foreign = foreign.filter_map(|other| Some((rival(host, &other.object_ref, other.created, cx)?, other)));
    foreign.min_by_key(|(rival, other)| (*rival, other.created.is_none(), other.created, &other.object_ref))
}

/// Whether `other` is an ordinary Ingress in the data plane of the canary, whose controller is ingress-nginx unless it is
/// unknown.
fn shares_plane_with_canary<'c>(other: &'c IngressFacts, rivals: &IngressRivals<'_, 'c>, cx: &Context<'_>) -> bool {
    let nearest = rivals.nearest(other);
    let is_read =
        || matches!(rivals.controller(other, nearest), Readers::Any | Readers::Only(Controller::IngressNginx));
    nearest.relation == Relation::Same && their_mark(other, cx) == Mark::None && is_read()
}
