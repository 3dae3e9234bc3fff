//! ACME solvers: objects that answer a challenge for a host and nothing else. The answer gives a certificate of the
//! host, and a tenant can set the label, so only some users may create them for hosts of other namespaces.

use crate::checks::{Context, Operation};
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::ParentFacts;
use crate::kinds::{Kind, Route};
use crate::matching::ClaimedHost;
use crate::routing::Hosts;
use crate::routing::host_holders::gateway_namespace;

/// Whether the claim only serves to answer a challenge, and it is permitted: a listed user writes it, or it is at a Gateway of the
/// namespace. Stored objects are permitted, since their authors are not known.
pub(super) fn is_permitted(hosts: &Hosts<'_, '_>, claim: &ClaimedHost<'_>, cx: &Context<'_>) -> bool {
    hosts.is_challenge(claim) && (unlisted_user(cx).is_none() || is_at_own_gateway(hosts, cx))
}

/// The user who may not create the solver that makes the claim; `None` if the claim is another one.
pub(super) fn refused_user<'c>(hosts: &Hosts<'_, '_>, claim: &ClaimedHost<'_>, cx: &Context<'c>) -> Option<&'c str> {
    unlisted_user(cx).filter(|_| hosts.is_challenge(claim))
}

fn unlisted_user<'c>(cx: &Context<'c>) -> Option<&'c str> {
    let user = cx.subject.user.filter(|_| cx.operation != Operation::Stored)?.name;
    (!cx.config.acme_solvers.permits(user)).then_some(user)
}

/// Whether each parent of a route belongs to a Gateway in the namespace under review, which gets the certificate.
fn is_at_own_gateway(hosts: &Hosts<'_, '_>, cx: &Context<'_>) -> bool {
    let Hosts::OfObject(object) = hosts else { return false };
    let is_own = |parent: ParentFacts| match (parent.target.kind, cx.cluster.listeners(&parent.target)) {
        (Kind::Gateway, _) => parent.target.namespace == cx.namespace(),
        (_, Lookup::Found(set)) => gateway_namespace(set) == cx.namespace(),
        _ => false,
    };
    let are_own = |route: Route<'_, '_>| {
        let parents = route.parent_refs();
        !parents.is_empty() && parents.iter().all(|parent| ParentFacts::of(parent, cx.namespace()).is_some_and(is_own))
    };
    object.route().is_some_and(are_own)
}
