//! One host and path of any type in canonical form, and where it is written.

use super::path_interpretation::{ChosenFor, NotatedPath, PathNotation};
use super::{Host, Path, PathType};
use crate::field::At;
use crate::kinds::Ingress;
use crate::kinds::ingress::{Backend, HttpPath, ServiceBackend};

/// One host with one of its paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route<'a> {
    /// The element that contains the path.
    pub at: At,
    /// The field of the host.
    pub host_at: At,
    /// The host.
    pub host: Host<'a>,
    /// The path; `None` if its type is unknown, so that it is not equal to any other.
    pub path: Option<Path<'a>>,
    /// The path as written; empty if it is absent.
    pub written: &'a str,
    /// The backend that serves it.
    pub backend: &'a Backend<'a>,
}

impl<'a> Route<'a> {
    /// The path as written, or `/` if it is absent (KEP-758).
    pub const fn written_or_root(&self) -> &'a str {
        if self.written.is_empty() { "/" } else { self.written }
    }

    /// The [key](NotatedPath::key) of its path; `None` if its type is unknown.
    pub fn key(&self) -> Option<&str> {
        self.path.as_ref().map(|path| NotatedPath::key(path.kind, &path.text))
    }

    /// The notation of its path. `chosen_for` returns the controllers for which annotations of the Ingress choose the interpretation
    /// of such paths.
    pub fn notation(&self, chosen_for: impl FnOnce() -> ChosenFor) -> PathNotation {
        self.path
            .as_ref()
            .map_or_else(PathNotation::default, |path| PathNotation::of(path.kind, self.written, chosen_for))
    }

    /// Whether its backend is an action of the controller, after which the controller may evaluate the next route with
    /// the same path.
    fn is_action(&self) -> bool {
        self.backend.service.as_ref().is_some_and(ServiceBackend::is_action)
    }
}

/// The routes of an Ingress, in document order. A host that is not a DNS name in any notation has none: no client can
/// request it, so it cannot conflict.
pub fn of_ingress<'i>(ingress: &'i Ingress<'_>) -> Vec<Route<'i>> {
    let mut routes = Vec::with_capacity(16);
    for (index, rule) in ingress.spec.rules.iter().enumerate() {
        let host = Host::parse(rule.host.as_deref().unwrap_or_default());
        if !host.is_well_formed() {
            continue;
        }
        let host_at = At::element("spec.rules[].host", [index]);
        for (position, path) in rule.paths().iter().enumerate() {
            let at = At::element("spec.rules[].http.paths[]", [index, position]);
            let written = path.path.as_deref().unwrap_or_default();
            routes.push(Route {
                at,
                host_at,
                host: host.clone(),
                path: path_of(path),
                written,
                backend: &path.backend,
            });
        }
    }
    routes
}

/// Two routes of one object that match the same requests.
#[derive(Debug, Clone, Copy)]
pub struct DuplicateRoutes<'r, 'a> {
    /// The route whose path comes first as text or, if both are written alike, in the document.
    pub first: &'r Route<'a>,
    /// The other route.
    pub second: &'r Route<'a>,
    /// The path of both in canonical form.
    pub path: &'r Path<'a>,
}

/// The routes that match the same requests as another one, each paired with its neighbor in the order of texts.
/// Therefore, reordering the document changes neither the number of pairs nor their texts. Actions are left out. O(n
/// log n).
pub fn duplicates<'r, 'a>(routes: &'r [Route<'a>]) -> Vec<DuplicateRoutes<'r, 'a>> {
    let served = routes.iter().filter(|route| !route.is_action());
    let known = served.filter_map(|route| Some((route.host.parts(), route.path.as_ref()?, route)));
    let mut sorted = Vec::with_capacity(routes.len());
    sorted.extend(known);
    sorted.sort_by_key(|(host, path, route)| (*host, *path, route.written));
    let pairs = sorted.iter().zip(sorted.iter().skip(1));
    let same = pairs.filter(|(first, second)| (first.0, first.1) == (second.0, second.1));
    same.map(|(first, second)| DuplicateRoutes { first: first.2, second: second.2, path: second.1 }).collect()
}

/// The path of an Ingress in canonical form; `None` if its type is unknown.
pub fn path_of<'i>(path: &'i HttpPath<'_>) -> Option<Path<'i>> {
    let kind = PathType::parse(path.path_type.as_deref())?;
    Some(Path::new(kind, path.path.as_deref()))
}
