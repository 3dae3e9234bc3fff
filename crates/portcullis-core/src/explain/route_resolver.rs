//! The interface to the data planes of one API.

use std::collections::BTreeSet;

use super::answer::PlaneAnswer;
use super::candidate::Candidate;
use super::request::Request;
use crate::kinds::{Object, ObjectRef};
use crate::matching::Host;

/// An object with its reference, which differs from the object's own one if its name is yet to be generated.
#[derive(Debug)]
pub struct Stored<'w> {
    /// The reference.
    pub object_ref: ObjectRef,
    /// The decoded object.
    pub object: Object<'w>,
}

/// Which data planes to ask. All of them if no field is set.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Only those of Ingresses, HTTPProxies and IngressRoutes with this class.
    pub class: Option<String>,
    /// Only this Gateway.
    pub gateway: Option<ObjectRef>,
}

impl Scope {
    /// Whether Ingresses, HTTPProxies and IngressRoutes of `class` are in the scope.
    pub fn has_class(&self, class: Option<&str>) -> bool {
        match &self.class {
            Some(own) => class == Some(own),
            None => self.gateway.is_none(),
        }
    }

    /// Whether the Gateway at `object_ref` is in the scope.
    pub fn has_gateway(&self, object_ref: &ObjectRef) -> bool {
        match &self.gateway {
            Some(own) => object_ref == own,
            None => self.class.is_none(),
        }
    }
}

/// The answers of the data planes of one API.
#[derive(Debug, Default)]
pub struct ApiAnswer {
    /// The answer of each data plane with a winner or losers.
    pub verdicts: Vec<PlaneAnswer>,
    /// How many of their rules for other hosts are not listed.
    pub elsewhere: usize,
}

/// What a set of rules distinguishes apart from paths.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct NamedSets {
    /// The hosts they name, without `*.`.
    pub hosts: BTreeSet<String>,
    /// The ports they listen on.
    pub ports: BTreeSet<u16>,
    /// Whether they distinguish TLS from plain text on every port.
    pub distinguishes_tls: bool,
}

/// Answers requests from the objects of one API, as its data planes would.
pub trait RouteResolver<'w> {
    /// Answers `request`. Rules for other hosts are only listed if there are few.
    fn ask(&self, request: &Request, scope: &Scope) -> ApiAnswer;

    /// Whether the scope contains an object, even one that serves nothing, or may contain one that is not known.
    fn has_objects(&self, scope: &Scope) -> bool;

    /// Adds the hosts and ports of the objects in the scope.
    fn collect_names(&self, scope: &Scope, named_sets: &mut NamedSets);

    /// The rules that a request for `host` may reach.
    fn rules<'s>(&'s self, host: &str, scope: &Scope) -> Vec<&'s Candidate<'w>>;
}

/// All hosts that match `name`, wildcards of any depth included, the most specific first.
pub(super) fn hosts_above(name: &str) -> Vec<Host<'_>> {
    let own = Host::Precise(name.into());
    let mut hosts = vec![own.clone()];
    hosts.extend(name.match_indices('.').map(|(dot, _)| Host::Wildcard(name[dot + 1..].into())));
    hosts.push(Host::Any);
    hosts
}
