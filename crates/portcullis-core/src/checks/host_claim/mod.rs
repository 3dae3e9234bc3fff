//! Checks of a HostClaim that look beyond the object. The rules about the object by itself are in
//! [`validation::host_claim`](crate::validation::host_claim).

mod deleted_in_use;
mod namespace_not_found;
mod no_effect;
mod served_by_others;

use super::{Check, Context};
use crate::cluster::host_claims::HostClaimFacts;
use crate::cluster::hosts::KINDS;
use crate::kinds::{Kind, ObjectRef};

/// The checks of the family `host-claim` that look beyond the object, ordered by id.
pub const ALL: &[&Check] =
    &[&deleted_in_use::CHECK, &namespace_not_found::CHECK, &no_effect::CHECK, &served_by_others::CHECK];

/// The kinds of objects that name hosts.
const KINDS_WITH_HOSTS: &[Kind] = &[
    Kind::Ingress,
    Kind::Gateway,
    Kind::ListenerSet,
    Kind::HttpRoute,
    Kind::GrpcRoute,
    Kind::TlsRoute,
    Kind::IngressRoute,
    Kind::HttpProxy,
];

/// The objects that name exactly the host of the HostClaim, by kind.
fn serving<'c>(claim: &HostClaimFacts, cx: &Context<'c>) -> impl Iterator<Item = &'c ObjectRef> {
    let host = claim.host();
    let ingresses = host.into_iter().flat_map(|host| cx.cluster.ingresses_with_host(host));
    let ingresses = ingresses.map(|facts| &facts.object_ref);
    let others =
        host.into_iter().flat_map(|host| KINDS.into_iter().flat_map(|kind| cx.cluster.stored_naming(kind, host)));
    ingresses.chain(others)
}
