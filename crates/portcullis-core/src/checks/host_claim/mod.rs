//! Checks of a HostClaim that look beyond the object. The rules about the object by itself are in
//! [`validation::host_claim`](crate::validation::host_claim).

mod deleted_in_use;
mod namespace_not_found;
mod no_effect;
mod served_by_others;

use super::Check;
use crate::kinds::Kind;

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
