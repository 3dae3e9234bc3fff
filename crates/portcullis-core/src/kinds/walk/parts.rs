//! A route with the lists of its parts that several checks use, so that each list is built once per review.

use std::cell::OnceCell;
use std::ops::Deref;

use super::header_modifier::{self, LocatedModifier};
use super::located_filter::{self, FilterList, LocatedFilter};
use super::reference::{self, LocatedBackend, Reference};
use super::rule::{self, LocatedHeader, LocatedPath};
use crate::field::At;
use crate::kinds::Route;

/// A route with the lists of its parts, each built on first use.
#[derive(Debug)]
pub struct RouteParts<'o, 'a> {
    route: Route<'o, 'a>,
    filter_lists: OnceCell<Vec<FilterList<'o, 'a>>>,
    filters: OnceCell<Vec<LocatedFilter<'o, 'a>>>,
    header_modifiers: OnceCell<Vec<LocatedModifier<'o, 'a>>>,
    backends: OnceCell<Vec<LocatedBackend<'o, 'a>>>,
    references: OnceCell<Vec<Reference<'o>>>,
    headers: OnceCell<Vec<LocatedHeader<'o, 'a>>>,
    paths: OnceCell<Vec<LocatedPath<'o, 'a>>>,
}

impl<'o, 'a> RouteParts<'o, 'a> {
    /// Returns the parts of `route`.
    pub fn of(route: Route<'o, 'a>) -> Self {
        Self {
            route,
            filter_lists: OnceCell::new(),
            filters: OnceCell::new(),
            header_modifiers: OnceCell::new(),
            backends: OnceCell::new(),
            references: OnceCell::new(),
            headers: OnceCell::new(),
            paths: OnceCell::new(),
        }
    }

    /// The route.
    pub fn route(&self) -> Route<'o, 'a> {
        self.route
    }

    /// Each list of filters that is not empty: for each rule, first its own list, then those of its backends.
    pub fn filter_lists(&self) -> &[FilterList<'o, 'a>] {
        self.filter_lists.get_or_init(|| located_filter::lists(&self.route))
    }

    /// Each filter: for each rule, first its own filters, then those of its backends.
    pub fn filters(&self) -> &[LocatedFilter<'o, 'a>] {
        self.filters.get_or_init(|| located_filter::sites(self.filter_lists()))
    }

    /// Each header modifier.
    pub fn header_modifiers(&self) -> &[LocatedModifier<'o, 'a>] {
        self.header_modifiers.get_or_init(|| header_modifier::header_modifiers(self.filters()))
    }

    /// Each backend reference: first those of the rules, then those of filters.
    pub fn backends(&self) -> &[LocatedBackend<'o, 'a>] {
        self.backends.get_or_init(|| reference::backends(&self.route, self.filters()))
    }

    /// Each reference: to parents, to backends, to filters of the implementation.
    pub fn references(&self) -> &[Reference<'o>] {
        self.references.get_or_init(|| reference::references(&self.route, self.backends(), self.filters()))
    }

    /// Each header condition of a match.
    pub fn headers(&self) -> &[LocatedHeader<'o, 'a>] {
        self.headers.get_or_init(|| rule::headers(&self.route))
    }

    /// Each path condition of a match; empty for routes other than HTTPRoute.
    pub fn paths(&self) -> &[LocatedPath<'o, 'a>] {
        self.paths.get_or_init(|| rule::paths(&self.route))
    }

    /// Each path that is not a regular expression.
    pub fn plain_paths(&self) -> impl Iterator<Item = (At, &'o str)> {
        let plain = self.paths().iter().filter(|site| matches!(site.path.kind(), "Exact" | "PathPrefix"));
        plain.map(|site| (site.at, site.path.value()))
    }
}

impl<'o, 'a> Deref for RouteParts<'o, 'a> {
    type Target = Route<'o, 'a>;

    fn deref(&self) -> &Route<'o, 'a> {
        &self.route
    }
}
