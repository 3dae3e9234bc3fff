//! One host and path of any kind, normalised, and where it was written.

use super::path_reading::Spelling;
use super::{Host, Path, PathType};
use crate::field::At;
use crate::kinds::Ingress;
use crate::kinds::ingress::{Backend, HttpPath, ServiceBackend};

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
    /// What answers it.
    pub backend: &'a Backend<'a>,
}

impl Route<'_> {
    /// How its path is written, in an Ingress of which `is_chosen` says whether its annotations choose how such a path is read.
    pub fn spelling(&self, is_chosen: impl FnOnce() -> bool) -> Spelling {
        self.path.as_ref().map_or_else(Spelling::default, |path| Spelling::of(path.kind, self.written, is_chosen))
    }

    /// Whether an action of the controller answers it, after which the next route of the same path may be asked.
    fn is_action(&self) -> bool {
        self.backend.service.as_ref().is_some_and(ServiceBackend::is_action)
    }
}

/// The routes of an Ingress, in document order. A host that is no DNS name in any spelling has none: no client can ask for it, so it
/// takes nothing from anybody.
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
pub struct Twins<'r, 'a> {
    /// The one whose path comes first as text or, if both are written alike, in the document.
    pub first: &'r Route<'a>,
    /// The other one.
    pub second: &'r Route<'a>,
    /// The path of both in canonical form.
    pub path: &'r Path<'a>,
}

/// The routes that match what another one matches already: each with its neighbour by text, so that reordering the document changes
/// neither how many there are nor which texts they pair. Actions are left out. O(n log n).
pub fn twins<'r, 'a>(routes: &'r [Route<'a>]) -> Vec<Twins<'r, 'a>> {
    let served = routes.iter().filter(|route| !route.is_action());
    let known = served.filter_map(|route| Some((route.host.parts(), route.path.as_ref()?, route)));
    let mut sorted = Vec::with_capacity(routes.len());
    sorted.extend(known);
    sorted.sort_by_key(|(host, path, route)| (*host, *path, route.written));
    let pairs = sorted.iter().zip(sorted.iter().skip(1));
    let same = pairs.filter(|(first, second)| (first.0, first.1) == (second.0, second.1));
    same.map(|(first, second)| Twins { first: first.2, second: second.2, path: second.1 }).collect()
}

/// The path that an Ingress means, in canonical form; `None` where its type is none that we know.
pub fn path_of<'i>(path: &'i HttpPath<'_>) -> Option<Path<'i>> {
    let kind = PathType::parse(path.path_type.as_deref())?;
    Some(Path::new(kind, path.path.as_deref()))
}
