//! What the data planes of one API are asked, and what they say.

use std::collections::BTreeSet;

use super::answer::PlaneAnswer;
use super::candidate::Candidate;
use super::request::Request;
use crate::kinds::{Object, ObjectRef};
use crate::matching::Host;

/// An object and the place where it stands, which is not its own where its name is still to be made.
#[derive(Debug)]
pub struct Stored<'w> {
    /// The place.
    pub object_ref: ObjectRef,
    /// The object.
    pub object: Object<'w>,
}

/// Which data planes are asked; all of them where nothing is named.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Those of Ingresses, HTTPProxies and IngressRoutes of this class.
    pub class: Option<String>,
    /// That of this Gateway.
    pub gateway: Option<ObjectRef>,
}

impl Scope {
    /// Whether the Ingresses, HTTPProxies or IngressRoutes of `class` are asked.
    pub fn has_class(&self, class: Option<&str>) -> bool {
        match &self.class {
            Some(own) => class == Some(own),
            None => self.gateway.is_none(),
        }
    }

    /// Whether the Gateway at `object_ref` is asked.
    pub fn has_gateway(&self, object_ref: &ObjectRef) -> bool {
        match &self.gateway {
            Some(own) => object_ref == own,
            None => self.class.is_none(),
        }
    }
}

/// What the data planes of one API say.
#[derive(Debug, Default)]
pub struct ApiAnswer {
    /// Each data plane that has something to say.
    pub verdicts: Vec<PlaneAnswer>,
    /// How many of their rules are about other hosts and not told.
    pub elsewhere: usize,
}

/// What a set of rules tells apart before it comes to paths.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct NamedSets {
    /// The hosts that they name, without the `*.`.
    pub hosts: BTreeSet<String>,
    /// The ports that they listen on.
    pub ports: BTreeSet<u16>,
    /// Whether they tell TLS from plain text, whatever the port.
    pub tells_tls: bool,
}

/// The data planes of one API.
pub trait RouteResolver<'w> {
    /// What they say of `request`. Rules about other hosts are told only where there are few.
    fn ask(&self, request: &Request, scope: &Scope) -> ApiAnswer;

    /// Whether there is anything to ask, be it void, or may be.
    fn holds(&self, scope: &Scope) -> bool;

    /// Adds the hosts and ports that their objects name.
    fn tell(&self, scope: &Scope, named_sets: &mut NamedSets);

    /// The rules that a request for `host` may meet.
    fn rules<'s>(&'s self, host: &str, scope: &Scope) -> Vec<&'s Candidate<'w>>;
}

/// The hosts that take a request for `name` at any depth, the narrowest first.
pub(super) fn hosts_above(name: &str) -> Vec<Host<'_>> {
    let own = Host::Precise(name.into());
    let mut hosts = vec![own.clone()];
    hosts.extend(name.match_indices('.').map(|(dot, _)| Host::Wildcard(name[dot + 1..].into())));
    hosts.push(Host::Any);
    hosts
}
