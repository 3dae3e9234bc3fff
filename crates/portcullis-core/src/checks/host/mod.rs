//! Checks of hosts and routes that cover several kinds with one id and one index.

mod added_host;
mod canary_service;
mod cross_kind_conflict;
mod decided_by_age;
mod default_backend_conflict;
mod exact_paths;
mod expression_candidates;
mod first_namespace;
mod host_walk;
mod http_grpc_clash;
mod included;
mod ingress_rivals;
mod listener_takes_host;
mod not_owned;
mod not_unique;
mod older_object_takes_requests;
mod order_takes_requests;
mod ordered_routes;
mod other_ingress;
mod own_paths;
mod own_rules;
mod passthrough;
mod path_before_host;
mod path_conflict;
mod path_relation;
mod path_takes_requests;
mod rival;
mod route_conflict;
mod route_not_owner;
mod route_takes_requests;
mod shared_across_namespaces;
mod solver;
mod tls_route_conflict;
mod wildcard_takes_host;

pub(super) use ingress_rivals::IngressRivals;
pub(super) use rival::{Rival, is_later, is_of_unknown_age, is_unordered, rival, rival_by_ownership};
use rival::{RouteRivals, age, is_owner, is_squatter};

use std::cmp::Ordering;

use jiff::Timestamp;

use super::{Check, Context, Operation};
use crate::cluster::IngressFacts;
use crate::config::{Expiry, Handover, Validity};
use crate::kinds::ObjectRef;
use crate::matching::{Claims, Depth, Host, Mark};
use crate::routing::controllers::mark_of;
use crate::routing::precedence;

/// The checks of the family `host`, ordered by id.
pub const ALL: &[&Check] = &[
    &cross_kind_conflict::CHECK,
    &decided_by_age::CHECK,
    &default_backend_conflict::CHECK,
    &http_grpc_clash::CHECK,
    &listener_takes_host::CHECK,
    &not_owned::CHECK,
    &not_unique::CHECK,
    &older_object_takes_requests::CHECK,
    &order_takes_requests::CHECK,
    &path_conflict::CHECK,
    &path_takes_requests::CHECK,
    &route_conflict::CHECK,
    &route_not_owner::CHECK,
    &route_takes_requests::CHECK,
    &shared_across_namespaces::CHECK,
    &tls_route_conflict::CHECK,
    &wildcard_takes_host::CHECK,
];

/// Which of two routes takes precedence if both match a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PrecedingRoute {
    This,
    Other,
    /// Unknown, since the age of one of them is not known.
    Either,
}

impl PrecedingRoute {
    /// Of this route and `other`, each with its creation time, the one that comes first by host (`by_host`), or else by age. If that depends
    /// on an age that is not known, ownership of `host` decides.
    fn of(
        by_host: Ordering,
        host: &Host<'_>,
        own: Option<Timestamp>,
        other: (Option<Timestamp>, &ObjectRef),
        cx: &Context<'_>,
    ) -> Self {
        // What is created now is younger than what exists, also if files do not say since when.
        let is_new = cx.operation == Operation::Create && cx.created.is_none() && other.0.is_none();
        let by_age = || if is_new { Ordering::Greater } else { precedence::compare((own, cx.this), other) };
        match by_host.then_with(by_age) {
            _ if is_unordered(host, other.0, cx) => Self::Either,
            _ if is_of_unknown_age(other.0, cx) => Self::Other,
            Ordering::Less => Self::This,
            Ordering::Equal | Ordering::Greater => Self::Other,
        }
    }
}

/// Whether the Ingress with these `claims` and `other` have the same hosts and paths on purpose: both are in one namespace, and one of them
/// is a canary or answers an ACME challenge.
fn are_marked(claims: &Claims<'_>, other: &IngressFacts, cx: &Context<'_>) -> bool {
    other.object_ref.namespace == cx.namespace()
        && [own_mark(claims, cx), their_mark(other, cx)].iter().any(|mark| *mark != Mark::None)
}

/// The mark of the Ingress under review, if its controller reads it.
fn own_mark(claims: &Claims<'_>, cx: &Context<'_>) -> Mark {
    mark_of(claims.mark, claims.classes.iter(), cx.cluster)
}

/// The mark of another Ingress, if its controller reads it.
fn their_mark(other: &IngressFacts, cx: &Context<'_>) -> Mark {
    mark_of(other.mark, other.classes(), cx.cluster)
}

/// Whether a `handover` in the configuration allows the object's namespace and `other` to share `host` while it moves
/// between them.
pub(super) fn is_handed_over(host: &Host<'_>, other: &str, cx: &Context<'_>) -> bool {
    handovers(host, cx.namespace(), cx).any(|handover| is_party(handover, other))
}

/// Whether a handover moves `host` to or from `namespace`, which may therefore claim it until the handover expires.
fn is_moving(host: &Host<'_>, namespace: &str, cx: &Context<'_>) -> bool {
    handovers(host, namespace, cx).next().is_some()
}

/// The unexpired handovers that cover `host` and have `namespace` as source or target.
fn handovers<'c>(host: &Host<'_>, namespace: &str, cx: &'c Context<'_>) -> impl Iterator<Item = &'c Handover> {
    cx.config.handovers.iter().filter(move |handover| {
        is_party(handover, namespace)
            && Host::parse(&handover.host).covers(host, Depth::AnyLabels)
            && Expiry::validity(handover.expires, cx.now) != Validity::Over
    })
}

fn is_party(handover: &Handover, namespace: &str) -> bool {
    [&*handover.from, &*handover.to].contains(&namespace)
}
