//! The references of a route of any kind: to its parents, to its backends, and those of its filters.

use super::located_filter::LocatedFilter;
use super::role::Role;
use super::route::parent_refs;
use crate::field::At;
use crate::kinds::Route;
use crate::kinds::filter::BackendRef;
use crate::kinds::reference::{ParentRef, TargetRef};

/// The common parts of all references.
#[derive(Debug, Clone, Copy)]
pub struct Reference<'o> {
    /// Its address.
    pub at: At,
    /// The group, if it is written.
    pub group: Option<&'o str>,
    /// The kind, if it is written.
    pub kind: Option<&'o str>,
    /// The namespace, if it is written.
    pub namespace: Option<&'o str>,
    /// The name.
    pub name: &'o str,
    /// The port, if it is written.
    pub port: Option<i64>,
}

impl<'o> Reference<'o> {
    /// Returns a reference to a parent.
    pub fn parent(at: At, parent: &'o ParentRef<'_>) -> Self {
        Self {
            at,
            group: parent.group.as_deref(),
            kind: parent.kind.as_deref(),
            namespace: parent.namespace.as_deref(),
            name: &parent.name,
            port: parent.port,
        }
    }

    /// Returns a reference to a backend.
    pub fn backend(at: At, backend: &'o BackendRef<'_>) -> Self {
        Self {
            at,
            group: backend.group.as_deref(),
            kind: backend.kind.as_deref(),
            namespace: backend.namespace.as_deref(),
            name: &backend.name,
            port: backend.port,
        }
    }

    /// Returns any other reference.
    pub fn target(at: At, target: &'o TargetRef<'_>) -> Self {
        Self {
            at,
            group: target.group.as_deref(),
            kind: target.kind.as_deref(),
            namespace: target.namespace.as_deref(),
            name: &target.name,
            port: None,
        }
    }
}

/// Each reference: to parents, to `backends`, and to filters of the implementation among `filters`.
pub(super) fn references<'o>(
    route: &Route<'o, '_>,
    backends: &[LocatedBackend<'o, '_>],
    filters: &[LocatedFilter<'o, '_>],
) -> Vec<Reference<'o>> {
    let mut all = Vec::with_capacity(route.parent_refs().len() + backends.len());
    all.extend(parent_refs(route).map(|(at, parent)| Reference::parent(at, parent)));
    all.extend(backends.iter().map(|site| Reference::backend(site.at, site.backend)));
    all.extend(filters.iter().filter_map(|site| {
        let extension = site.filter.extension_ref.as_deref()?;
        let (group, kind) = (extension.group.as_deref(), extension.kind.as_deref());
        Some(Reference {
            at: site.location.extension(),
            group,
            kind,
            namespace: None,
            name: &extension.name,
            port: None,
        })
    }));
    all
}

/// A backend reference with its location.
#[derive(Debug, Clone, Copy)]
pub struct LocatedBackend<'o, 'a> {
    /// Its address.
    pub at: At,
    /// The reference.
    pub backend: &'o BackendRef<'a>,
    /// Its purpose.
    pub role: Role,
}

/// Each backend reference: first those of the rules, then those of these filters.
pub(super) fn backends<'o, 'a>(
    route: &Route<'o, 'a>,
    filters: &[LocatedFilter<'o, 'a>],
) -> Vec<LocatedBackend<'o, 'a>> {
    let mut all = Vec::with_capacity(64);
    for (rule_index, rule) in route.rules().enumerate() {
        all.extend(rule.backend_refs.iter().enumerate().map(|(index, backend)| {
            let at = At::element("spec.rules[].backendRefs[]", [rule_index, index]);
            LocatedBackend { at, backend, role: Role::Answers }
        }));
    }
    for site in filters {
        let mirror = site.filter.request_mirror.as_deref().map(|mirror| (&mirror.backend_ref, Role::Mirrors));
        let auth = site.filter.external_auth.as_deref().map(|auth| (&auth.backend_ref, Role::Authorizes));
        let named = mirror.into_iter().chain(auth);
        all.extend(named.map(|(backend, role)| LocatedBackend {
            at: site.location.backend_of_filter(role),
            backend,
            role,
        }));
    }
    all
}
