//! The locations of the filters of a route.

use super::role::Role;
use crate::field::{At, FieldPath};
use crate::kinds::Route;
use crate::kinds::filter::Filter;

/// A filter with its location.
#[derive(Debug, Clone, Copy)]
pub struct LocatedFilter<'o, 'a> {
    /// The filter.
    pub filter: &'o Filter<'a>,
    /// The location.
    pub location: FilterLocation,
}

impl LocatedFilter<'_, '_> {
    /// Its address.
    pub fn at(&self) -> At {
        self.location.at()
    }
}

/// The location of a filter. An address is built only if a fault is found, because most filters have none.
#[derive(Debug, Clone, Copy)]
pub struct FilterLocation {
    /// The index of its rule.
    pub rule: usize,
    /// The index of its backend, if it belongs to one.
    pub backend: Option<usize>,
    /// Its index in its list.
    pub index: usize,
}

impl FilterLocation {
    /// The address of the filter.
    pub fn at(self) -> At {
        self.below("spec.rules[].filters[]", "spec.rules[].backendRefs[].filters[]")
    }

    /// The address of the extension that the filter references.
    pub(super) fn extension(self) -> At {
        self.below("spec.rules[].filters[].extensionRef", "spec.rules[].backendRefs[].filters[].extensionRef")
    }

    /// The address of the backend that the filter references.
    pub(super) fn backend_of_filter(self, role: Role) -> At {
        match role {
            Role::Authorizes => self.below(
                "spec.rules[].filters[].externalAuth.backendRef",
                "spec.rules[].backendRefs[].filters[].externalAuth.backendRef",
            ),
            Role::Answers | Role::Mirrors => self.below(
                "spec.rules[].filters[].requestMirror.backendRef",
                "spec.rules[].backendRefs[].filters[].requestMirror.backendRef",
            ),
        }
    }

    /// The address of one of these patterns: `of_rule` for filters of rules, `of_backend` for filters of backends.
    fn below(self, of_rule: &'static str, of_backend: &'static str) -> At {
        match self.backend {
            None => At::element(of_rule, [self.rule, self.index]),
            Some(backend) => At::element(of_backend, [self.rule, backend, self.index]),
        }
    }
}

/// A list of filters with its location.
#[derive(Debug, Clone, Copy)]
pub struct FilterList<'o, 'a> {
    /// The filters.
    pub filters: &'o [Filter<'a>],
    /// The index of the rule.
    pub rule: usize,
    /// The index of the backend, if the filters belong to one.
    pub backend: Option<usize>,
}

impl FilterList<'_, '_> {
    /// Their address.
    pub fn at(&self) -> At {
        match self.backend {
            None => At::element("spec.rules[].filters", [self.rule]),
            Some(backend) => At::element("spec.rules[].backendRefs[].filters", [self.rule, backend]),
        }
    }

    /// The address of the filter at `index`.
    pub fn element(&self, index: usize) -> At {
        FilterLocation { rule: self.rule, backend: self.backend, index }.at()
    }
}

/// Each list of filters of `route` that is not empty: for each rule, first its own list, then those of its backends.
pub(super) fn lists<'o, 'a>(route: &Route<'o, 'a>) -> Vec<FilterList<'o, 'a>> {
    let mut lists = Vec::with_capacity(64);
    for rule in 0..route.rule_count() {
        let Some((filters, backends)) = route.filtered(rule) else { continue };
        if !filters.is_empty() {
            lists.push(FilterList { filters, rule, backend: None });
        }
        for (index, backend) in backends.iter().enumerate().filter(|(_, backend)| !backend.filters.is_empty()) {
            lists.push(FilterList { filters: &backend.filters, rule, backend: Some(index) });
        }
    }
    lists
}

/// Each filter in `lists`.
pub(super) fn sites<'o, 'a>(lists: &[FilterList<'o, 'a>]) -> Vec<LocatedFilter<'o, 'a>> {
    let mut sites = Vec::with_capacity(lists.iter().map(|list| list.filters.len()).sum());
    for list in lists {
        sites.extend(list.filters.iter().enumerate().map(|(index, filter)| LocatedFilter {
            filter,
            location: FilterLocation { rule: list.rule, backend: list.backend, index },
        }));
    }
    sites
}

/// An address below a filter: a field, the index in it if it is a list, and a field of the element. Like
/// [`At`], it is cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct FilterPath {
    filter: FilterLocation,
    field: &'static str,
    index: Option<usize>,
    name: &'static str,
}

impl FilterPath {
    pub(super) fn field(filter: FilterLocation, field: &'static str) -> Self {
        Self { filter, field, index: None, name: "" }
    }

    pub(super) fn element(filter: FilterLocation, field: &'static str, index: usize) -> Self {
        Self::field(filter, field).at_index(index)
    }

    /// The element at this index of the list.
    pub(super) fn at_index(self, index: usize) -> Self {
        Self { index: Some(index), ..self }
    }

    /// The field `name` of the element, as a copyable address.
    pub fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// The field `name` below this address.
    pub fn then(self, name: &'static str) -> FieldPath {
        FieldPath::from(self).then(name)
    }
}

impl From<FilterPath> for FieldPath {
    fn from(below: FilterPath) -> Self {
        let field = below.filter.at().then(below.field);
        let element = match below.index {
            Some(index) => field.index(index),
            None => field,
        };
        if below.name.is_empty() { element } else { element.then(below.name) }
    }
}
