//! One host and path of any kind, normalised, and where it was written.

use super::{Host, Path, PathType};
use crate::field::At;
use crate::kinds::{Ingress, ingress::HttpPath, walk};

/// One host with one of its paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route<'a> {
    /// The element that says so.
    pub at: At,
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
    for (at, path, rule) in walk::http_paths(ingress) {
        let host = Host::parse(rule.host.as_deref().unwrap_or_default());
        routes.push(Route { at, host, path: normalised(path), written: path.path.as_deref().unwrap_or_default() });
    }
    routes
}

fn normalised<'i>(path: &'i HttpPath<'_>) -> Option<Path<'i>> {
    let kind = PathType::parse(path.path_type.as_deref())?;
    Some(Path::new(kind, path.path.as_deref()))
}
