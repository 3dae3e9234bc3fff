//! Every check there is, as data.

use super::{
    Check, backend_tls_policy, filter, gateway, gateway_class, grpc_route, host, http_route, httpproxy, ingress,
    ingress_class, ingressroute, l4_route, listener, listener_set, object, reference_grant, route, rule,
    tlscertificatedelegation,
};

/// All checks, ordered by id.
pub fn all() -> impl Iterator<Item = &'static Check> + Clone {
    let families: &'static [&'static [&'static Check]] = &[
        backend_tls_policy::ALL,
        filter::ALL,
        gateway::ALL,
        gateway_class::ALL,
        grpc_route::ALL,
        host::ALL,
        http_route::ALL,
        httpproxy::ALL,
        ingress::ALL,
        ingress_class::ALL,
        ingressroute::ALL,
        l4_route::ALL,
        listener::ALL,
        listener_set::ALL,
        object::ALL,
        reference_grant::ALL,
        route::ALL,
        rule::ALL,
        tlscertificatedelegation::ALL,
    ];
    families.iter().copied().flatten().copied()
}

/// The check of this id.
pub fn find(id: &str) -> Option<&'static Check> {
    all().find(|check| check.id == id)
}

/// Ids of checks that are gone; none is ever used again.
pub const RETIRED: &[&str] = &[];
