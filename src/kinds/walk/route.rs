//! The elements of a route of any kind of the Gateway API.

use crate::field::At;
use crate::kinds::filter::Filter;
use crate::kinds::http_route::ValueMatch;
use crate::kinds::reference::{BackendRef, ParentRef};
use crate::kinds::route::{Route, Rule};

/// Each parent reference.
pub fn parent_refs<'o, 'a>(route: &Route<'o, 'a>) -> impl Iterator<Item = (At, &'o ParentRef<'a>)> + use<'o, 'a> {
    let parents = route.parent_refs().iter().enumerate();
    parents.map(|(index, parent)| (At::element("spec.parentRefs[]", [index]), parent))
}

/// Each host, as written.
pub fn hostnames<'o, 'a>(route: &Route<'o, 'a>) -> impl Iterator<Item = (At, &'o str)> + use<'o, 'a> {
    let hosts = route.hostnames().iter().enumerate();
    hosts.map(|(index, host)| (At::element("spec.hostnames[]", [index]), &**host))
}

/// Each rule.
pub fn rules<'o, 'a>(route: &Route<'o, 'a>) -> impl Iterator<Item = (At, Rule<'o, 'a>)> + use<'o, 'a> {
    route.rules().enumerate().map(|(index, rule)| (At::element("spec.rules[]", [index]), rule))
}

/// A reference, of whatever sort, as far as all of them are alike.
#[derive(Debug, Clone, Copy)]
pub struct Reference<'o> {
    /// Its address.
    pub at: At,
    /// The group, where it is written.
    pub group: Option<&'o str>,
    /// The kind, where it is written.
    pub kind: Option<&'o str>,
    /// The namespace, where it is written.
    pub namespace: Option<&'o str>,
    /// The name.
    pub name: &'o str,
    /// The port, where it is written.
    pub port: Option<i64>,
}

/// Each reference: to parents, to backends, to filters of the implementation.
pub fn references<'o>(route: &Route<'o, '_>) -> impl Iterator<Item = Reference<'o>> {
    let parents = parent_refs(route).map(|(at, parent)| Reference {
        at,
        group: parent.group.as_deref(),
        kind: parent.kind.as_deref(),
        namespace: parent.namespace.as_deref(),
        name: &parent.name,
        port: parent.port,
    });
    let backends = backend_refs(route).map(|(at, backend, _)| Reference {
        at,
        group: backend.group.as_deref(),
        kind: backend.kind.as_deref(),
        namespace: backend.namespace.as_deref(),
        name: &backend.name,
        port: backend.port,
    });
    let extensions = filters(route).filter_map(|site| {
        let extension = site.filter.extension_ref.as_deref()?;
        let (group, kind) = (extension.group.as_deref(), extension.kind.as_deref());
        let at = match site.backend {
            None => At::element("spec.rules[].filters[].extensionRef", [site.rule, site.index]),
            Some(backend) => {
                At::element("spec.rules[].backendRefs[].filters[].extensionRef", [site.rule, backend, site.index])
            }
        };
        Some(Reference { at, group, kind, namespace: None, name: &extension.name, port: None })
    });
    parents.chain(backends).chain(extensions)
}

/// What a backend reference is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It answers requests of its rule.
    Answers,
    /// It gets a copy of them.
    Mirrors,
    /// It decides about them.
    Authorises,
}

/// Each backend reference: those of a rule first, then those of its filters, then those of its backends' filters.
pub fn backend_refs<'o, 'a>(
    route: &Route<'o, 'a>,
) -> impl Iterator<Item = (At, &'o BackendRef<'a>, Role)> + use<'o, 'a> {
    let of_rules = route.rules().enumerate().flat_map(|(rule_index, rule)| {
        let backends = rule.backend_refs.iter().enumerate();
        backends.map(move |(index, backend)| {
            (At::element("spec.rules[].backendRefs[]", [rule_index, index]), backend, Role::Answers)
        })
    });
    let of_filters = filters(route).flat_map(|site| {
        let mirror = site.filter.request_mirror.as_deref().map(|mirror| (&mirror.backend_ref, Role::Mirrors));
        let auth = site.filter.external_auth.as_deref().map(|auth| (&auth.backend_ref, Role::Authorises));
        mirror.into_iter().chain(auth).map(move |(backend, role)| (site.backend_of_filter(role), backend, role))
    });
    of_rules.chain(of_filters)
}

/// A filter and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct FilterSite<'o, 'a> {
    /// The filter.
    pub filter: &'o Filter<'a>,
    /// Its address.
    pub at: At,
    /// The position of its rule.
    pub rule: usize,
    /// The position of its backend, if it stands in one.
    pub backend: Option<usize>,
    /// Its position in its list.
    pub index: usize,
}

impl FilterSite<'_, '_> {
    fn backend_of_filter(&self, role: Role) -> At {
        match (self.backend, role) {
            (None, Role::Authorises) => {
                At::element("spec.rules[].filters[].externalAuth.backendRef", [self.rule, self.index])
            }
            (None, _) => At::element("spec.rules[].filters[].requestMirror.backendRef", [self.rule, self.index]),
            (Some(backend), Role::Authorises) => At::element(
                "spec.rules[].backendRefs[].filters[].externalAuth.backendRef",
                [self.rule, backend, self.index],
            ),
            (Some(backend), _) => At::element(
                "spec.rules[].backendRefs[].filters[].requestMirror.backendRef",
                [self.rule, backend, self.index],
            ),
        }
    }
}

/// Each filter: of a rule, or of one of its backends.
pub fn filters<'o, 'a>(route: &Route<'o, 'a>) -> impl Iterator<Item = FilterSite<'o, 'a>> + use<'o, 'a> {
    filter_lists(route).flat_map(|list| {
        list.filters.iter().enumerate().map(move |(index, filter)| {
            let at = list.element(index);
            FilterSite { filter, at, rule: list.rule, backend: list.backend, index }
        })
    })
}

/// A list of filters and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct FilterList<'o, 'a> {
    /// The filters.
    pub filters: &'o [Filter<'a>],
    /// Their address.
    pub at: At,
    /// The position of the rule.
    pub rule: usize,
    /// The position of the backend, if they stand in one.
    pub backend: Option<usize>,
}

impl FilterList<'_, '_> {
    /// The address of the filter at `index`.
    pub fn element(&self, index: usize) -> At {
        match self.backend {
            None => At::element("spec.rules[].filters[]", [self.rule, index]),
            Some(backend) => At::element("spec.rules[].backendRefs[].filters[]", [self.rule, backend, index]),
        }
    }
}

/// Each list of filters that is not empty: of a rule, then of its backends.
pub fn filter_lists<'o, 'a>(route: &Route<'o, 'a>) -> impl Iterator<Item = FilterList<'o, 'a>> + use<'o, 'a> {
    let lists = route.rules().enumerate().flat_map(|(rule_index, rule)| {
        let own = FilterList {
            filters: rule.filters,
            at: At::element("spec.rules[].filters", [rule_index]),
            rule: rule_index,
            backend: None,
        };
        let of_backends = rule.backend_refs.iter().enumerate().map(move |(index, backend)| FilterList {
            filters: &backend.filters,
            at: At::element("spec.rules[].backendRefs[].filters", [rule_index, index]),
            rule: rule_index,
            backend: Some(index),
        });
        std::iter::once(own).chain(of_backends)
    });
    lists.filter(|list| !list.filters.is_empty())
}

/// Each header that a match asks for, with the positions of its rule, its match and itself.
pub fn header_matches<'o, 'a>(
    route: &Route<'o, 'a>,
) -> impl Iterator<Item = (At, &'o ValueMatch<'a>, [usize; 3])> + use<'o, 'a> {
    route.rules().enumerate().flat_map(|(rule_index, rule)| {
        (0..rule.match_count()).flat_map(move |match_index| {
            rule.headers(match_index).iter().enumerate().map(move |(index, header)| {
                let positions = [rule_index, match_index, index];
                (At::element("spec.rules[].matches[].headers[]", positions), header, positions)
            })
        })
    })
}
