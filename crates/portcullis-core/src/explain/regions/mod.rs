//! The finite number of regions of requests that a set of objects distinguishes. All requests in a region get the same
//! answer, so two sets of objects can be compared exactly by their answers to one request of each region.
//!
//! This serves to compare whole sets of objects, before and after a change or a migration. No command does so yet.
//! [`Snapshot::named_sets`] and [`Snapshot::rules`] are only used by this module.
//!
//! Regular expressions are the exception: the regions contain one example of what an expression matches, and
//! [`Regions::is_exact`] reports this. The TLS server name is assumed to be the host of the request.

mod literals;

use std::collections::BTreeSet;

use literals::{Paths, fresh};

use super::candidate::Candidate;
use super::request::Request;
use super::request_constraint::{self, RequestConstraint};
use super::route_resolver::Scope;
use super::snapshot::Snapshot;

pub use literals::PathClass;

/// Methods to choose from for a method that no rule names.
const METHODS: [&str; 9] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT"];

/// A class of hosts, relative to the hosts that objects name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostClass {
    /// Exactly this host.
    Is(String),
    /// One label below this host.
    OneLabelUnder(String),
    /// More than one label below this host.
    Under(String),
    /// Unrelated to all hosts that objects name.
    Other,
}

/// Requests that get the same answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The class of their hosts.
    pub host: HostClass,
    /// The class of their paths.
    pub path: PathClass,
    /// One of these requests, with the method, headers and parameters that distinguish the region.
    pub representative: Request,
}

/// The regions that a set of snapshots distinguishes, by everything that any of them names.
pub struct Regions<'s, 'w> {
    snapshots: Vec<&'s Snapshot<'w>>,
    scope: Scope,
    /// Whether the connection uses TLS, and its port. The last entries represent all ports that no object names.
    endpoints: Vec<(bool, u16)>,
    distinguishes_tls: bool,
    /// The hosts that objects name, and a label that none of them contains.
    names: BTreeSet<String>,
    label: String,
}

impl<'s, 'w> Regions<'s, 'w> {
    /// The regions of requests that the snapshots in `snapshots` distinguish.
    pub fn new(snapshots: &[&'s Snapshot<'w>], scope: &Scope) -> Self {
        let (mut names, mut ports, mut distinguishes_tls) = (BTreeSet::new(), BTreeSet::new(), false);
        for named_sets in snapshots.iter().map(|snapshot| snapshot.named_sets(scope)) {
            names.extend(named_sets.hosts.into_iter().filter(|name| !name.is_empty()));
            ports.extend(named_sets.ports);
            distinguishes_tls |= named_sets.distinguishes_tls;
        }
        let other = [80].into_iter().chain(1..).find(|port| !ports.contains(port)).unwrap_or(80);
        let known = ports.iter().flat_map(|port| [(false, *port), (true, *port)]);
        let of_other =
            [(true, other), (false, other)].into_iter().filter(|(is_secure, _)| distinguishes_tls || !is_secure);
        let endpoints = known.chain(of_other).collect();
        let label = fresh(|word| names.iter().any(|name| name.split('.').any(|label| label == word)));
        Self { snapshots: snapshots.to_vec(), scope: scope.clone(), endpoints, distinguishes_tls, names, label }
    }

    /// All regions, those of the same host in sequence.
    pub fn iter(&self) -> impl Iterator<Item = Region> {
        let hosts = self.hosts().into_iter();
        hosts.flat_map(|(name, class)| self.of_host(&name, &class))
    }

    /// The region that contains `request`.
    pub fn of(&self, request: &Request) -> Region {
        let (host, class) = self.host_for(&request.host);
        let rules = self.rules(&host);
        let paths = Paths::of(&rules);
        let path = paths.representative(&request.path);
        let cell = Cell::of(&rules, &path);
        let endpoint = self.endpoint(request);
        let method = if cell.methods.contains(request.method.as_str()) { &request.method } else { cell.other_method() };
        let demand = RequestConstraint::met(&cell.rules_for(method), request);
        let path_class = paths.all().remove(&path).unwrap_or(PathClass::Other);
        Region { host: class, path: path_class, representative: representative(endpoint, &host, &path, method, demand) }
    }

    /// The entry of `endpoints` for `request`: an equal one, else the last one that also has or has not TLS if that
    /// matters, else the last one.
    fn endpoint(&self, request: &Request) -> (bool, u16) {
        let own = (request.is_secure, request.port);
        let alike = self.endpoints.iter().rfind(|(is_secure, _)| *is_secure == request.is_secure);
        let last = if self.distinguishes_tls { alike } else { None }.or(self.endpoints.last());
        self.endpoints.iter().find(|endpoint| **endpoint == own).or(last).copied().unwrap_or(own)
    }

    /// Whether all requests of each region get the same answer, which is not certain with regular expressions.
    pub fn is_exact(&self) -> bool {
        self.hosts().iter().all(|(host, _)| {
            let rules = self.rules(host);
            Paths::of(&rules).is_exact() && rules.into_iter().all(request_constraint::is_exact)
        })
    }

    /// Each class of hosts with a representative host.
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

    /// The representative of `host`: one of the hosts of [`hosts`](Self::hosts).
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
        self.snapshots.iter().flat_map(|snapshot| snapshot.rules(host, &self.scope)).collect()
    }

    fn of_host(&self, host: &str, class: &HostClass) -> Vec<Region> {
        let (rules, mut regions) = (self.rules(host), Vec::new());
        for (path, path_class) in Paths::of(&rules).all() {
            let cell = Cell::of(&rules, &path);
            for method in cell.methods.iter().copied().chain([cell.other_method()]) {
                for demand in RequestConstraint::all(&cell.rules_for(method)) {
                    let at_endpoint = |endpoint| representative(endpoint, host, &path, method, demand.clone());
                    regions.extend(self.endpoints.iter().map(|endpoint| Region {
                        host: class.clone(),
                        path: path_class.clone(),
                        representative: at_endpoint(*endpoint),
                    }));
                }
            }
        }
        regions
    }
}

/// The rules that match one path, and the methods that they require.
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

    /// The rules that match requests with `method`.
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
    let pairs: Vec<String> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let query_text = (!pairs.is_empty()).then(|| pairs.join("&"));
    let authority = host.clone();
    Request { method, is_secure, host, authority, port, path, query, query_text, headers, sni, client: None }
}
