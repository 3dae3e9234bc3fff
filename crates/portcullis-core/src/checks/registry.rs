//! The list of all checks. A check that looks beyond one object takes two lines in the `mod.rs` of its family. A macro could make it one,
//! but rustfmt does not find files behind macros.

use std::sync::LazyLock;

use super::{
    Check, backend_tls_policy, certificate, filter, gateway, gateway_class, host, host_claim, http_proxy, http_route,
    ingress, ingress_class, ingress_route, l4_route, listener, listener_set, object, reference_grant, route, rule,
};
use crate::validation;

/// The checks that run a rule about one object.
static OF_RULES: LazyLock<Vec<Check>> =
    LazyLock::new(|| validation::FAMILIES.iter().copied().flatten().map(Check::of_rule).collect());

/// All checks, ordered by family, then name.
static ALL: LazyLock<Vec<&'static Check>> = LazyLock::new(|| {
    let mut all: Vec<&'static Check> = FAMILIES.iter().copied().flatten().copied().chain(OF_RULES.iter()).collect();
    all.sort_by_key(|check| check.id.split_once('/'));
    all
});

/// The checks that look beyond one object, by family.
const FAMILIES: &[&[&Check]] = &[
    backend_tls_policy::ALL,
    certificate::ALL,
    filter::ALL,
    gateway::ALL,
    gateway_class::ALL,
    host::ALL,
    host_claim::ALL,
    http_route::ALL,
    http_proxy::ALL,
    ingress::ALL,
    ingress_class::ALL,
    ingress_route::ALL,
    l4_route::ALL,
    listener::ALL,
    listener_set::ALL,
    object::ALL,
    reference_grant::ALL,
    route::ALL,
    rule::ALL,
];

/// All checks, ordered by id.
pub fn all() -> impl Iterator<Item = &'static Check> + Clone {
    ALL.iter().copied()
}

/// The check with this id.
pub fn find(id: &str) -> Option<&'static Check> {
    all().find(|check| check.id == id)
}

/// Ids of removed checks, which must not be used again.
pub const RETIRED: &[&str] = &[];
