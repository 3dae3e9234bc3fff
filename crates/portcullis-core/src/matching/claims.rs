//! Every host that an object lays claim to, and the routes it would serve: what ownership and conflicts are judged by.

use std::cell::OnceCell;

use super::alias::Aliased;
use super::host_claim::{ClaimLocation, HostClaim};
use super::path_reading::{self, Spelling};
use super::route::{self, Route, Twins};
use super::shared_path::is_shared;
use super::{DataPlaneHints, Mark};
use crate::field::At;
use crate::kinds::annotation::path_regex;
use crate::kinds::ingress::Classes;
use crate::kinds::{Ingress, walk};

/// The hosts and routes of an Ingress.
#[derive(Debug, Clone)]
pub struct Claims<'i> {
    /// The classes that may serve the object, since not every controller reads the same one.
    pub classes: Classes<'i>,
    /// Why it may repeat another's routes at home.
    pub mark: Mark,
    /// The hosts of its spec.
    pub hosts: Vec<HostClaim<'i>>,
    /// The annotations that add to them where the controller reads them.
    pub aliases: Vec<Aliased<'i>>,
    /// Its routes.
    pub routes: Vec<Route<'i>>,
    /// The object itself.
    ingress: &'i Ingress<'i>,
    /// Found out when the first check asks.
    has_twins: OnceCell<bool>,
    /// The same.
    is_reading_chosen: OnceCell<bool>,
    /// The same.
    balancer: OnceCell<Option<Box<DataPlaneHints>>>,
}

impl<'i> Claims<'i> {
    /// The claims of an Ingress: its rules, `spec.tls`, and every host for a default backend.
    pub fn of_ingress(ingress: &'i Ingress<'_>) -> Self {
        // A host mostly stands in a rule and in `spec.tls`.
        let mut hosts = Vec::with_capacity(2 * ingress.spec.rules.len() + 1);
        let mut claim = |at, written: &'i str| hosts.push(HostClaim::written(at, written));
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
            has_twins: OnceCell::new(),
            is_reading_chosen: OnceCell::new(),
            balancer: OnceCell::new(),
        }
    }

    /// Whether it has a default backend.
    pub fn has_default_backend(&self) -> bool {
        self.ingress.spec.default_backend.is_some()
    }

    /// How the path of one of its routes is written.
    pub fn spelling(&self, route: &Route<'_>) -> Spelling {
        let annotations = &self.ingress.metadata.annotations;
        route.spelling(|| *self.is_reading_chosen.get_or_init(|| path_reading::is_chosen(annotations)))
    }

    /// The annotation by which a controller reads its paths as regular expressions.
    pub fn path_regex(&self) -> Option<&'static str> {
        path_regex(&self.ingress.metadata.annotations)
    }

    /// The default class, where the file that holds the object names none.
    pub fn default_class(&self) -> Option<&'i str> {
        self.ingress.default_class.as_deref()
    }

    /// What its annotations say of its load balancer.
    pub fn balancer(&self) -> Option<&DataPlaneHints> {
        self.balancer.get_or_init(|| DataPlaneHints::of(self.ingress)).as_deref()
    }

    /// Its routes that match what another one of them matches already, unless its controller defines which of the two answers.
    pub fn twins(&self) -> Vec<Twins<'_, 'i>> {
        match self.has_twins.get_or_init(|| !self.find_twins().is_empty()) {
            true => self.find_twins(),
            false => Vec::new(),
        }
    }

    fn find_twins(&self) -> Vec<Twins<'_, 'i>> {
        let mut twins = route::twins(&self.routes);
        twins.retain(|twins| !is_shared(self.ingress, [twins.first.backend, twins.second.backend]));
        twins
    }
}
