//! Every host that an object claims, and the routes that it would serve. Ownership and conflicts are decided on these
//! claims.

use std::cell::OnceCell;

use hashbrown::HashSet;

use super::alias::Aliased;
use super::annotation_effect::{Effect, with_effect};
use super::claimed_host::{ClaimLocation, ClaimedHost};
use super::controller::Controller;
use super::path_interpretation::{ChosenFor, PathNotation};
use super::route::{self, DuplicateRoutes, Route};
use super::{DataPlaneHints, Mark};
use crate::field::At;
use crate::kinds::ingress::Classes;
use crate::kinds::{Ingress, walk};

/// The hosts and routes of an Ingress.
#[derive(Debug, Clone)]
pub struct Claims<'i> {
    /// The classes that may serve the object, since controllers disagree on which of annotation and field counts.
    pub classes: Classes<'i>,
    /// The mark that allows it to repeat routes of other Ingresses in its namespace.
    pub mark: Mark,
    /// The hosts of its spec.
    pub hosts: Vec<ClaimedHost<'i>>,
    /// The annotations that add hosts if the controller reads them.
    pub aliases: Vec<Aliased<'i>>,
    /// Its routes.
    pub routes: Vec<Route<'i>>,
    /// The Ingress.
    pub ingress: &'i Ingress<'i>,
    /// Computed on first use.
    distinct: OnceCell<Vec<usize>>,
    /// Computed on first use.
    first_by_host: OnceCell<Vec<usize>>,
    /// Computed on first use.
    has_duplicates: OnceCell<bool>,
    /// Computed on first use.
    chosen_for: OnceCell<ChosenFor>,
    /// Computed on first use.
    hints: OnceCell<Option<Box<DataPlaneHints>>>,
}

impl<'i> Claims<'i> {
    /// Returns the claims of an Ingress: its rules, `spec.tls`, and every host if it has a default backend.
    pub fn of_ingress(ingress: &'i Ingress<'_>) -> Self {
        // Most hosts occur once in a rule and once in `spec.tls`.
        let mut hosts = Vec::with_capacity(2 * ingress.spec.rules.len() + 1);
        let mut claim = |at, written: &'i str| hosts.push(ClaimedHost::written(at, written));
        if ingress.spec.default_backend.is_some() {
            claim(ClaimLocation::At(At::field("spec.defaultBackend")), "");
        }
        for (index, rule) in ingress.spec.rules.iter().enumerate() {
            let at = At::element("spec.rules[].host", [index]);
            claim(ClaimLocation::At(at), rule.host.as_deref().unwrap_or_default());
        }
        for (at, host) in walk::tls_hosts(ingress).filter(|(_, host)| !host.is_empty()) {
            claim(ClaimLocation::At(at), host);
        }
        Self {
            classes: ingress.classes(),
            mark: Mark::of_ingress(ingress),
            hosts,
            aliases: Aliased::all("metadata.annotations", &ingress.metadata.annotations).collect(),
            routes: route::of_ingress(ingress),
            ingress,
            distinct: OnceCell::new(),
            first_by_host: OnceCell::new(),
            has_duplicates: OnceCell::new(),
            chosen_for: OnceCell::new(),
            hints: OnceCell::new(),
        }
    }

    /// Whether it has a default backend.
    pub fn has_default_backend(&self) -> bool {
        self.ingress.spec.default_backend.is_some()
    }

    /// The positions of its routes with a path, without those that repeat host, path and path type of an earlier one.
    pub fn distinct(&self) -> &[usize] {
        self.distinct.get_or_init(|| {
            let mut seen = HashSet::with_capacity(self.routes.len());
            let routes = self.routes.iter().enumerate();
            let distinct = routes.filter(|(_, route)| {
                let kind = route.path.as_ref().map(|path| path.kind);
                kind.is_some() && seen.insert((route.host.parts(), kind, route.written))
            });
            distinct.map(|(position, _)| position).collect()
        })
    }

    /// The positions of the first of its distinct routes with each host.
    pub fn first_by_host(&self) -> &[usize] {
        self.first_by_host.get_or_init(|| {
            let mut seen = HashSet::new();
            let distinct = self.distinct().iter().copied();
            distinct.filter(|position| seen.insert(self.routes[*position].host.parts())).collect()
        })
    }

    /// The notation of the path of one of its routes.
    pub fn notation(&self, route: &Route<'_>) -> PathNotation {
        route.notation(|| *self.chosen_for.get_or_init(|| ChosenFor::of(self.ingress)))
    }

    /// The controllers that read an annotation which makes them treat the paths as regular expressions.
    pub fn path_regex(&self) -> impl Iterator<Item = Controller> {
        let rows = with_effect(Effect::PathRegex, self.ingress);
        rows.flat_map(|(row, ..)| row.readers.iter().copied())
    }

    /// The default class, if the file that contains the object names no class.
    pub fn default_class(&self) -> Option<&'i str> {
        self.ingress.default_class.as_deref()
    }

    /// The hints about its data plane in its annotations.
    pub fn hints(&self) -> Option<&DataPlaneHints> {
        self.hints.get_or_init(|| DataPlaneHints::of(self.ingress)).as_deref()
    }

    /// The pairs of its routes that match the same requests.
    pub fn duplicates(&self) -> Vec<DuplicateRoutes<'_, 'i>> {
        match self.has_duplicates.get_or_init(|| !route::duplicates(&self.routes).is_empty()) {
            true => route::duplicates(&self.routes),
            false => Vec::new(),
        }
    }
}
