//! The elements of listeners of a Gateway or a ListenerSet.

use crate::field::At;
use crate::kinds::Listener;
use crate::kinds::listener::{FromNamespaces, ListenerTls, Listeners, MAX_LISTENERS, RouteKind};
use crate::kinds::reference::TargetRef;

/// Each listener.
pub fn listeners<'o, 'a>(of: &Listeners<'o, 'a>) -> impl Iterator<Item = (At, &'o Listener<'a>)> + use<'o, 'a> {
    of.all.iter().enumerate().map(|(index, listener)| (At::element("spec.listeners[]", [index]), listener))
}

/// Each listener with those before it, up to the maximum number of listeners. Another rule rejects an object with more
/// of them.
pub fn with_earlier<'o, 'a>(
    of: &Listeners<'o, 'a>,
) -> impl Iterator<Item = (At, &'o Listener<'a>, &'o [Listener<'a>])> + use<'o, 'a> {
    let all = of.all;
    listeners(of).enumerate().take(MAX_LISTENERS).map(move |(index, (at, listener))| (at, listener, &all[..index]))
}

/// The host of each listener that has one, as written.
pub fn hostnames<'o, 'a>(of: &Listeners<'o, 'a>) -> impl Iterator<Item = (At, &'o str)> + use<'o, 'a> {
    let hosts = of.all.iter().enumerate();
    hosts.filter_map(|(index, listener)| {
        Some((At::element("spec.listeners[].hostname", [index]), &**listener.hostname.as_ref()?))
    })
}

/// The `tls` of each listener that has one.
pub fn tls<'o, 'a>(
    of: &Listeners<'o, 'a>,
) -> impl Iterator<Item = (At, &'o Listener<'a>, &'o ListenerTls<'a>)> + use<'o, 'a> {
    let listeners = of.all.iter().enumerate();
    listeners.filter_map(|(index, listener)| {
        Some((At::element("spec.listeners[].tls", [index]), listener, listener.tls.as_ref()?))
    })
}

/// Each reference to a certificate.
pub fn certificate_refs<'o, 'a>(of: &Listeners<'o, 'a>) -> impl Iterator<Item = (At, &'o TargetRef<'a>)> + use<'o, 'a> {
    of.all.iter().enumerate().flat_map(|(index, listener)| certificates_of(index, listener))
}

/// Each reference of the listener at `index` to a certificate.
pub fn certificates_of<'o, 'a>(
    index: usize,
    listener: &'o Listener<'a>,
) -> impl Iterator<Item = (At, &'o TargetRef<'a>)> + use<'o, 'a> {
    let refs = listener.tls.iter().flat_map(|tls| &tls.certificate_refs).enumerate();
    refs.map(move |(position, reference)| {
        (At::element("spec.listeners[].tls.certificateRefs[]", [index, position]), reference)
    })
}

/// The namespaces whose routes may attach, for each listener that specifies them.
pub fn namespaces<'o, 'a>(
    of: &Listeners<'o, 'a>,
) -> impl Iterator<Item = (At, &'o Listener<'a>, &'o FromNamespaces<'a>)> + use<'o, 'a> {
    let listeners = of.all.iter().enumerate();
    listeners.filter_map(|(index, listener)| {
        let at = At::element("spec.listeners[].allowedRoutes.namespaces", [index]);
        Some((at, listener, listener.allowed_routes.as_ref()?.namespaces.as_ref()?))
    })
}

/// Each route kind of a listener.
pub fn route_kinds<'o, 'a>(
    of: &Listeners<'o, 'a>,
) -> impl Iterator<Item = (At, &'o Listener<'a>, &'o RouteKind<'a>)> + use<'o, 'a> {
    of.all.iter().enumerate().flat_map(|(listener_index, listener)| {
        let kinds = listener.allowed_routes.iter().flat_map(|allowed| &allowed.kinds).enumerate();
        kinds.map(move |(index, kind)| {
            (At::element("spec.listeners[].allowedRoutes.kinds[]", [listener_index, index]), listener, kind)
        })
    })
}
