//! Whether a backend reference leads to something that can answer: what feeds `ResolvedRefs` of a route.

use super::grant::{self, Referent, Referrer};
use crate::cluster::{Lookup, Overlay, ServiceFacts};
use crate::field::At;
use crate::kinds::filter::BackendRef;
use crate::kinds::walk::reference::BackendSite;

/// Where a backend reference leads, in the order in which it is decided: a grant before existence, so that nothing leaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution<'c> {
    /// To a kind that can answer nothing (`InvalidKind`).
    InvalidKind,
    /// Into a namespace that grants it nothing (`RefNotPermitted`).
    NotPermitted,
    /// To a kind that only its implementation knows, and may (`InvalidKind` for the others).
    OtherKind,
    /// To a Service that does not exist (`BackendNotFound`).
    NotFound,
    /// To a Service that lacks the port (`BackendNotFound`).
    NoPort(&'c ServiceFacts),
    /// To this Service, which has the port.
    Resolved(&'c ServiceFacts),
    /// Nobody can say: something is not known, or the reference lacks its name or its port.
    Unknown,
}

/// A backend reference and where it leads.
#[derive(Debug, Clone, Copy)]
pub struct Destination<'o, 'a, 'c> {
    /// Its address.
    pub at: At,
    /// The reference.
    pub backend: &'o BackendRef<'a>,
    /// Where it leads.
    pub resolution: Resolution<'c>,
}

/// Where each of `backends`, written in an object like `from`, leads.
pub fn destinations<'o, 'a, 'c>(
    backends: &[BackendSite<'o, 'a>],
    from: Referrer<'_>,
    cluster: &Overlay<'c>,
) -> Vec<Destination<'o, 'a, 'c>> {
    let mut all: Vec<Destination<'o, 'a, 'c>> = Vec::with_capacity(backends.len());
    for BackendSite { at, backend, .. } in backends {
        // Rules often name one backend one after the other, a mirror most of all.
        let known = all.last().filter(|before| before.backend.is_same_target(backend)).map(|before| before.resolution);
        let resolution = known.unwrap_or_else(|| resolve(backend, from, cluster));
        all.push(Destination { at: *at, backend, resolution });
    }
    all
}

/// Where `backend`, written in an object like `from`, leads.
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
        // One that lists no ports (`ExternalName`, headless) does not say which it has.
        Some(_) if service.ports.is_empty() => Resolution::Resolved(service),
        Some(port) if service.has_port(port) => Resolution::Resolved(service),
        Some(_) => Resolution::NoPort(service),
        None => Resolution::Unknown,
    }
}
