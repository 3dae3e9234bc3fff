//! Whether a backend reference resolves to an object that can serve requests. This decides the condition `ResolvedRefs`
//! of a route.

use super::grant::{self, Referent, Referrer};
use crate::cluster::{Lookup, Overlay, ServiceFacts};
use crate::field::At;
use crate::kinds::Kind;
use crate::kinds::filter::BackendRef;
use crate::kinds::walk::reference::LocatedBackend;

/// The result of a backend reference. Grants are evaluated before existence, so that a result does not reveal whether
/// an object in another namespace exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution<'c> {
    /// It refers to a kind that cannot serve requests (`InvalidKind`).
    InvalidKind,
    /// It refers to a namespace that does not grant the reference (`RefNotPermitted`).
    NotPermitted,
    /// It refers to a kind that some implementations support (`InvalidKind` in all others).
    OtherKind,
    /// It refers to a Service that does not exist (`BackendNotFound`).
    NotFound,
    /// It refers to a Service that does not have the port (`BackendNotFound`).
    NoPort(&'c ServiceFacts),
    /// It refers to this Service, which has the port.
    Resolved(&'c ServiceFacts),
    /// The result is not known, because an object is not known or the reference has no name or no port.
    Unknown,
}

/// A backend reference and its result.
#[derive(Debug, Clone, Copy)]
pub struct Destination<'o, 'a, 'c> {
    /// Its address.
    pub at: At,
    /// The reference.
    pub backend: &'o BackendRef<'a>,
    /// The result.
    pub resolution: Resolution<'c>,
}

/// Resolves each of `backends`, given the kind and namespace of the object that contains them.
pub fn destinations<'o, 'a, 'c>(
    backends: &[LocatedBackend<'o, 'a>],
    from: Referrer<'_>,
    cluster: &Overlay<'c>,
) -> Vec<Destination<'o, 'a, 'c>> {
    let mut all: Vec<Destination<'o, 'a, 'c>> = Vec::with_capacity(backends.len());
    for LocatedBackend { at, backend, .. } in backends {
        // Consecutive references often have the same target, in particular a backend and its mirror.
        let known = all.last().filter(|before| before.backend.is_same_target(backend)).map(|before| before.resolution);
        let resolution = known.unwrap_or_else(|| resolve(backend, from, cluster));
        all.push(Destination { at: *at, backend, resolution });
    }
    all
}

/// Resolves `backend`, given the kind and namespace of the object that contains it.
pub fn resolve<'c>(backend: &BackendRef<'_>, from: Referrer<'_>, cluster: &Overlay<'c>) -> Resolution<'c> {
    if backend.can_answer() == Some(false) {
        return Resolution::InvalidKind;
    }
    if backend.is_delegation() {
        return Resolution::OtherKind;
    }
    if backend.name.is_empty() {
        return Resolution::Unknown;
    }
    let namespace = backend.namespace_from(from.namespace);
    if namespace != from.namespace {
        let to = Referent { group: backend.group(), kind: backend.kind(), namespace, name: &backend.name };
        match grant::find(from, to, cluster) {
            Lookup::Found(_) => {}
            Lookup::Absent => return Resolution::NotPermitted,
            Lookup::Unknown => return Resolution::Unknown,
        }
    }
    if !backend.is_service() {
        return Resolution::OtherKind;
    }
    let service = match cluster.service(namespace, &backend.name) {
        Lookup::Found(service) => service,
        Lookup::Absent => return Resolution::NotFound,
        Lookup::Unknown => return Resolution::Unknown,
    };
    match backend.port {
        // A Service that lists no ports (`ExternalName`, headless) may have any port.
        Some(_) if service.ports.is_empty() => Resolution::Resolved(service),
        Some(port) if service.has_port(port) => Resolution::Resolved(service),
        Some(_) => Resolution::NoPort(service),
        None => Resolution::Unknown,
    }
}

/// Whether the transport protocol of a port of `service` is one that no route of `kind` can use. A port that the Service
/// does not list may have any protocol.
pub fn is_wrong_transport(kind: Kind, service: &ServiceFacts, port: i64) -> bool {
    match (kind, service.takes_tcp(|_, number| number == port)) {
        (Kind::UdpRoute, Some(_)) => !service.takes_datagrams(port),
        (Kind::UdpRoute, None) => false,
        (_, takes_tcp) => takes_tcp == Some(false),
    }
}
