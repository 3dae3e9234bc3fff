//! Every host that an object lays claim to, and the routes it would serve: what ownership and conflicts are judged by.

use std::cell::OnceCell;

use super::route::{self, Route, Twins};
use super::{Host, Mark};
use crate::field::{At, FieldPath};
use crate::kinds::{Ingress, walk};

/// Annotations whose value is a comma-separated list of further hosts.
const ALIASES: &[&str] = &[
    "haproxy-ingress.github.io/server-alias",
    "ingress.kubernetes.io/server-alias",
    "nginx.ingress.kubernetes.io/server-alias",
];

/// The hosts and routes of an object of any kind.
#[derive(Debug, Clone)]
pub struct Claims<'i> {
    /// The class that serves the object; objects of two classes never meet.
    pub class: Option<&'i str>,
    /// Why it may repeat another's routes at home.
    pub mark: Mark,
    /// Its hosts.
    pub hosts: Vec<HostClaim<'i>>,
    /// Its routes.
    pub routes: Vec<Route<'i>>,
    /// Found out when the first check asks.
    has_twins: OnceCell<bool>,
}

/// One host that an object names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostClaim<'i> {
    /// Where.
    pub at: Place<'i>,
    /// The host.
    pub host: Host<'i>,
    /// The host as written; empty where none is named: every host is meant, or what a listener gives.
    pub written: &'i str,
}

impl<'i> HostClaim<'i> {
    /// The claim of a host as written.
    pub fn written(at: Place<'i>, written: &'i str) -> Self {
        Self { at, host: Host::parse(written), written }
    }
}

/// Where a host stands: at an element, or in an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'i> {
    /// At this element.
    At(At),
    /// In the annotation of this key.
    Annotation(&'i str),
}

impl From<Place<'_>> for FieldPath {
    fn from(place: Place<'_>) -> Self {
        match place {
            Place::At(at) => at.into(),
            Place::Annotation(key) => At::field("metadata.annotations").key(key),
        }
    }
}

/// The host of an alias; a regular expression (`~...`) and a trailing wildcard (`www.example.*`) could mean any.
fn alias_host(alias: &str) -> Host<'_> {
    match alias.starts_with('~') || alias.ends_with(".*") {
        true => Host::Any,
        false => Host::parse(alias),
    }
}

impl<'i> Claims<'i> {
    /// The claims of an Ingress: its rules, `spec.tls`, alias annotations, and every host for a default backend.
    pub fn of_ingress(ingress: &'i Ingress<'_>) -> Self {
        // A host mostly stands in a rule and in `spec.tls`.
        let mut hosts = Vec::with_capacity(2 * ingress.spec.rules.len() + 1);
        let mut claim = |at, written: &'i str| hosts.push(HostClaim::written(at, written));
        if ingress.spec.default_backend.is_some() {
            claim(Place::At(At::field("spec.defaultBackend")), "");
        }
        for (index, rule) in ingress.spec.rules.iter().enumerate() {
            let at = At::element("spec.rules[].host", [index]);
            claim(Place::At(at), rule.host.as_deref().unwrap_or_default());
        }
        for (at, host) in walk::tls_hosts(ingress).filter(|(_, host)| !host.is_empty()) {
            claim(Place::At(at), host);
        }
        for (key, value) in ingress.metadata.annotations.iter().filter(|(key, _)| ALIASES.contains(key)) {
            for alias in value.split(',').map(str::trim).filter(|alias| !alias.is_empty()) {
                hosts.push(HostClaim { at: Place::Annotation(key), host: alias_host(alias), written: alias });
            }
        }
        Self {
            class: ingress.class(),
            mark: Mark::of_ingress(ingress),
            hosts,
            routes: route::of_ingress(ingress),
            has_twins: OnceCell::new(),
        }
    }

    /// Its routes that match what another one of them matches already.
    pub fn twins(&self) -> Vec<Twins<'_, 'i>> {
        match self.has_twins.get_or_init(|| !route::twins(&self.routes).is_empty()) {
            true => route::twins(&self.routes),
            false => Vec::new(),
        }
    }
}
