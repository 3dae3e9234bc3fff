//! The finite regions of requests that some objects tell apart: within one, every request is answered alike, so two sets of objects are
//! compared exactly by comparing their answers to one request of each region.
//!
//! For comparing whole sets of objects, before and after a change or a migration. No command does so yet; what only this module uses of the
//! others is [`Snapshot::named_sets`] and [`Snapshot::rules`].
//!
//! Regular expressions are the exception: of what an expression takes there is one example, and [`Regions::is_exact`] says so. The name
//! that TLS asks for is taken to be the request's host.

mod literals;

use std::collections::BTreeSet;

use literals::{Paths, fresh};

use super::candidate::Candidate;
use super::request::Request;
use super::request_constraint::{self, RequestConstraint};
use super::route_resolver::Scope;
use super::snapshot::Snapshot;

pub use literals::PathClass;

/// The methods of which one stands for all that no rule names.
const METHODS: [&str; 9] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT"];

/// Where a host stands among those that objects name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostClass {
    /// It is this one.
    Is(String),
    /// It is one label under this one.
    OneLabelUnder(String),
    /// It is more than one label under this one.
    Under(String),
    /// It has to do with none.
    Other,
}

/// Requests that are answered alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Their hosts.
    pub host: HostClass,
    /// Their paths.
    pub path: PathClass,
    /// One of them: its method, headers and parameters are those that count.
    pub representative: Request,
}

/// The regions of some worlds, told apart by what any of them names.
pub struct Regions<'s, 'w> {
    worlds: Vec<&'s Snapshot<'w>>,
    scope: Scope,
    /// Whether over TLS, and the port; the last ones stand for all ports that no object names.
    doors: Vec<(bool, u16)>,
    tells_tls: bool,
    /// The names of hosts, and a label that none of them holds.
    names: BTreeSet<String>,
    label: String,
}

impl<'s, 'w> Regions<'s, 'w> {
    /// The regions of requests that the `worlds` tell apart among them.
    pub fn new(worlds: &[&'s Snapshot<'w>], scope: &Scope) -> Self {
        let (mut names, mut ports, mut tells_tls) = (BTreeSet::new(), BTreeSet::new(), false);
        for named_sets in worlds.iter().map(|world| world.named_sets(scope)) {
            names.extend(named_sets.hosts.into_iter().filter(|name| !name.is_empty()));
            ports.extend(named_sets.ports);
            tells_tls |= named_sets.tells_tls;
        }
        let other = [80].into_iter().chain(1..).find(|port| !ports.contains(port)).unwrap_or(80);
        let known = ports.iter().flat_map(|port| [(false, *port), (true, *port)]);
        let of_other = [(true, other), (false, other)].into_iter().filter(|(is_secure, _)| tells_tls || !is_secure);
        let doors = known.chain(of_other).collect();
        let label = fresh(|word| names.iter().any(|name| name.split('.').any(|label| label == word)));
        Self { worlds: worlds.to_vec(), scope: scope.clone(), doors, tells_tls, names, label }
    }

    /// Each region, those of one host together.
    pub fn iter(&self) -> impl Iterator<Item = Region> {
        let hosts = self.hosts().into_iter();
        hosts.flat_map(|(name, class)| self.of_host(&name, &class))
    }

    /// The region in which `request` lies.
    pub fn of(&self, request: &Request) -> Region {
        let (host, class) = self.host_for(&request.host);
        let rules = self.rules(&host);
        let paths = Paths::of(&rules);
        let path = paths.standing_for(&request.path);
        let cell = Cell::of(&rules, &path);
        let door = self.door(request);
        let method = if cell.methods.contains(request.method.as_str()) { &request.method } else { cell.other_method() };
        let demand = RequestConstraint::met(&cell.rules_for(method), request);
        let path_class = paths.all().remove(&path).unwrap_or(PathClass::Other);
        Region { host: class, path: path_class, representative: representative(door, &host, &path, method, demand) }
    }

    /// The door that stands for that of `request`: its own, else the last one that is like it, else the last one.
    fn door(&self, request: &Request) -> (bool, u16) {
        let own = (request.is_secure, request.port);
        let alike = self.doors.iter().rfind(|(is_secure, _)| *is_secure == request.is_secure);
        let last = if self.tells_tls { alike } else { None }.or(self.doors.last());
        self.doors.iter().find(|door| **door == own).or(last).copied().unwrap_or(own)
    }

    /// Whether every region is answered alike throughout, which regular expressions prevent.
    pub fn is_exact(&self) -> bool {
        self.hosts().iter().all(|(host, _)| {
            let rules = self.rules(host);
            Paths::of(&rules).is_exact() && rules.into_iter().all(request_constraint::is_exact)
        })
    }

    /// Each class of hosts with a host of it.
    fn hosts(&self) -> Vec<(String, HostClass)> {
        let (names, label) = (&self.names, &self.label);
        let of_name = |name: &String| {
            [
                (name.clone(), HostClass::Is(name.clone())),
                (format!("{label}.{name}"), HostClass::OneLabelUnder(name.clone())),
                (format!("{label}.{label}.{name}"), HostClass::Under(name.clone())),
            ]
        };
        names.iter().flat_map(of_name).chain([(label.clone(), HostClass::Other)]).collect()
    }

    /// The host that stands for `host`: one of [`hosts`](Self::hosts).
    fn host_for(&self, host: &str) -> (String, HostClass) {
        let label = &self.label;
        let ends = [host].into_iter().chain(host.match_indices('.').map(|(dot, _)| &host[dot + 1..]));
        match ends.enumerate().find(|(_, end)| self.names.contains(*end)) {
            Some((0, name)) => (name.to_owned(), HostClass::Is(name.to_owned())),
            Some((1, name)) => (format!("{label}.{name}"), HostClass::OneLabelUnder(name.to_owned())),
            Some((_, name)) => (format!("{label}.{label}.{name}"), HostClass::Under(name.to_owned())),
            None => (label.clone(), HostClass::Other),
        }
    }

    fn rules(&self, host: &str) -> Vec<&'s Candidate<'w>> {
        self.worlds.iter().flat_map(|world| world.rules(host, &self.scope)).collect()
    }

    fn of_host(&self, host: &str, class: &HostClass) -> Vec<Region> {
        let (rules, mut regions) = (self.rules(host), Vec::new());
        for (path, path_class) in Paths::of(&rules).all() {
            let cell = Cell::of(&rules, &path);
            for method in cell.methods.iter().copied().chain([cell.other_method()]) {
                for demand in RequestConstraint::all(&cell.rules_for(method)) {
                    let of_door = |door| representative(door, host, &path, method, demand.clone());
                    regions.extend(self.doors.iter().map(|door| Region {
                        host: class.clone(),
                        path: path_class.clone(),
                        representative: of_door(*door),
                    }));
                }
            }
        }
        regions
    }
}

/// The rules that take one path, and the methods that they ask for.
struct Cell<'s, 'w> {
    rules: Vec<&'s Candidate<'w>>,
    methods: BTreeSet<&'s str>,
}

impl<'s, 'w> Cell<'s, 'w> {
    fn of(rules: &[&'s Candidate<'w>], path: &str) -> Self {
        let rules: Vec<_> = rules.iter().copied().filter(|rule| rule.path.matches(path)).collect();
        let methods = rules.iter().filter_map(|rule| rule.method).collect();
        Self { rules, methods }
    }

    /// The rules that take requests of `method`.
    fn rules_for(&self, method: &str) -> Vec<&'s Candidate<'w>> {
        self.rules.iter().copied().filter(|rule| rule.method.is_none_or(|own| own == method)).collect()
    }

    /// A method that no rule names.
    fn other_method(&self) -> &'static str {
        METHODS.into_iter().find(|method| !self.methods.contains(method)).unwrap_or("OTHER")
    }
}

fn representative(
    (is_secure, port): (bool, u16),
    host: &str,
    path: &str,
    method: &str,
    demand: RequestConstraint,
) -> Request {
    let (sni, RequestConstraint { headers, query }) = (is_secure.then(|| host.to_owned()), demand);
    let (method, host, path) = (method.to_owned(), host.to_owned(), path.to_owned());
    Request { method, is_secure, host, port, path, query, headers, sni }
}
