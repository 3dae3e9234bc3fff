//! One host and path of any kind, normalised, and where it was written.

use super::{Host, Path, PathType};
use crate::field::At;
use crate::kinds::{Ingress, ingress::HttpPath};

/// One host with one of its paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route<'a> {
    /// The element that says so.
    pub at: At,
    /// The host's own field.
    pub host_at: At,
    /// The host.
    pub host: Host<'a>,
    /// The path; `None` where its type is none that we know, so that it equals no other.
    pub path: Option<Path<'a>>,
    /// The path as written, empty where it is absent.
    pub written: &'a str,
}

/// The routes of an Ingress, in document order.
pub fn of_ingress<'i>(ingress: &'i Ingress<'_>) -> Vec<Route<'i>> {
    let mut routes = Vec::with_capacity(16);
    for (index, rule) in ingress.spec.rules.iter().enumerate() {
        let (host, host_at) =
            (Host::parse(rule.host.as_deref().unwrap_or_default()), At::element("spec.rules[].host", [index]));
        for (position, path) in rule.http.iter().flat_map(|http| &http.paths).enumerate() {
            let at = At::element("spec.rules[].http.paths[]", [index, position]);
            let written = path.path.as_deref().unwrap_or_default();
            routes.push(Route { at, host_at, host: host.clone(), path: normalised(path), written });
        }
    }
    routes
}

fn normalised<'i>(path: &'i HttpPath<'_>) -> Option<Path<'i>> {
    let kind = PathType::parse(path.path_type.as_deref())?;
    Some(Path::new(kind, path.path.as_deref()))
}
