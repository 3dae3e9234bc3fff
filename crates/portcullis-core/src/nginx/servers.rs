//! The servers and upstreams of an ingress-nginx.

use super::locations::Locations;
use crate::kinds::ingress::ServiceBackend;
use crate::kinds::{Ingress, ObjectRef};
use crate::matching::Host;
use crate::matching::host::Depth;

/// The name of the server for hosts without another one.
pub(super) const DEFAULT: &str = "_";

/// An Ingress that the controller serves.
#[derive(Debug, Clone, Copy)]
pub struct Source<'w> {
    /// Its address.
    pub object_ref: &'w ObjectRef,
    /// Its content.
    pub ingress: &'w Ingress<'w>,
}

/// A Service with a port, as the controller sees it.
#[derive(Debug)]
pub struct Upstream<'w> {
    /// The namespace of the Service.
    pub namespace: &'w str,
    /// The Service and its port.
    pub service: &'w ServiceBackend<'w>,
    /// The Ingress that makes it a canary.
    pub canary: Option<usize>,
    /// The upstreams of its canaries. Only the first gets requests.
    pub alternatives: Vec<usize>,
    /// Whether it gets no requests, since a path of its canary has no primary.
    pub is_removed: bool,
}

/// The server of a host.
#[derive(Debug)]
pub struct Server<'w> {
    /// The host; `_` for the default server.
    pub host: &'w str,
    /// Its locations.
    pub locations: Locations<'w>,
    /// The further hosts.
    pub aliases: Vec<&'w str>,
    /// The Ingress that adds these.
    pub aliased_by: Option<usize>,
    /// The Ingress with the certificate; its host is redirected to HTTPS.
    pub certified_by: Option<usize>,
    /// The Ingress because of which all of its locations answer 403.
    pub denied_by: Option<usize>,
    /// Whether clients must present a certificate.
    pub asks_for_certificate: bool,
    /// Whether the host with or without `www.` is redirected to it.
    pub(super) from_to_www: bool,
    /// The names on the certificate; `None` if it is the one of the controller, or not known.
    pub(super) certificate: Option<&'w [Box<str>]>,
}

/// Whether a certificate with these names is valid for `host`.
pub(super) fn covers(names: &[Box<str>], host: &str) -> bool {
    names.iter().any(|name| Host::parse(name).matches(host, Depth::OneLabel))
}
