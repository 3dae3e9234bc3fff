//! What an object claims, as sets that two versions of it are compared by. Ratcheting, reservations and the second look at
//! an admitted write all compare these.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::LazyLock;

use hashbrown::HashMap;

use super::Facts;
use super::delegation_facts::DelegationFacts;
use super::facts::{IngressFacts, RouteFacts};
use super::gateway_facts::{GatewayRouteFacts, ListenersFacts};
use crate::matching::order_annotations::OrderAnnotations;
use crate::matching::path_interpretation::NotatedPath;
use crate::matching::{DataPlaneHints, Host, PathType};

/// The claims of an object. Each is a host, a path or match of it, and what serves it: a data plane, a parent, a
/// listener, or the condition under which it is served.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ClaimSet {
    /// By host and path.
    hosts: HashMap<Box<str>, HashMap<Box<str>, Servers>>,
    /// When the rules of an Ingress are evaluated.
    order: OrderAnnotations,
}

/// The hashes of what serves a path, each with that of a claim that includes it, if there is one.
type Servers = HashMap<u64, Option<u64>>;

fn hash(by: impl Hash) -> u64 {
    // The keys are random, so that an attacker cannot construct a claim with the hash of another one.
    static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    KEYS.hash_one(by)
}

/// What a path matches beside the text that it has in common with others: only that text, everything below it, or what
/// an expression says. A controller may treat the two types of prefixes as equal.
fn width(route: &RouteFacts) -> (bool, Option<&str>) {
    (route.kind == PathType::Exact, Some(&*route.path).filter(|_| route.notation.has_special))
}

impl ClaimSet {
    /// The claims of the object with these facts.
    pub fn of(facts: &Facts) -> Self {
        let mut set = Self::default();
        match facts {
            Facts::Ingress(facts) => set.add_ingress(facts),
            Facts::Listeners(facts) => set.add_listeners(facts),
            Facts::GatewayRoute(facts) => set.add_route(facts),
            Facts::Delegation(facts) => facts.root.iter().for_each(|host| set.add_served(&host.to_string(), facts)),
            Facts::IngressClass(facts) => {
                if facts.default {
                    set.add("", "/default", "");
                }
            }
            Facts::GatewayClass(facts) => facts.marks.iter().for_each(|mark| set.add("", "/default", mark)),
            Facts::Service(_)
            | Facts::Namespace(_)
            | Facts::ReferenceGrant(_)
            | Facts::BackendTlsPolicy(_)
            | Facts::Certificates(_)
            | Facts::HostClaim(_)
            | Facts::HostRequest(_)
            | Facts::IssuedCertificate(_) => {}
        }
        set
    }

    /// Adds a claim that the facts do not contain, such as a host that only `spec.tls` or an annotation names.
    pub fn add(&mut self, host: &str, path: &str, by: impl Hash) {
        self.add_within(host, path, hash(by), None);
    }

    fn add_within(&mut self, host: &str, path: &str, by: u64, within: Option<u64>) {
        self.hosts.entry_ref(host).or_default().entry_ref(path).or_default().insert(by, within);
    }

    /// Whether this set has a claim to `host` that `before` has not, or its claims may be evaluated earlier. `path` limits the question
    /// to one path or match.
    pub fn adds_to(&self, before: &Self, host: &str, path: Option<&str>) -> bool {
        let Some(paths) = self.hosts.get(host) else { return false };
        let old = before.hosts.get(host);
        let is_earlier = old.is_some() && self.order.may_precede(before.order);
        let is_new = |path: &str, claims: &Servers| {
            let had = |by: &u64| old.and_then(|old| old.get(path)).is_some_and(|old| old.contains_key(by));
            is_earlier || claims.iter().any(|(by, within)| !had(by) && !within.is_some_and(|within| had(&within)))
        };
        match path {
            Some(path) => paths.get(path).is_some_and(|claims| is_new(path, claims)),
            None => paths.iter().any(|(path, claims)| is_new(path, claims)),
        }
    }

    /// Whether this set has a claim to any host that `before` has not.
    pub fn adds_any(&self, before: &Self) -> bool {
        self.hosts.keys().any(|host| self.adds_to(before, host, None))
    }

    /// Whether the object claims `host`.
    pub fn has(&self, host: &str) -> bool {
        self.hosts.contains_key(host)
    }

    fn add_ingress(&mut self, facts: &IngressFacts) {
        let choices = facts.hints.as_deref().and_then(|hints| Some(format!("{:?}", hints.choices_of_claim()?)));
        self.order = DataPlaneHints::order(facts.hints.as_deref());
        let added = facts.added.iter().filter(|added| !added.is_described);
        let added: Vec<&str> = added.flat_map(|added| added.hosts().map(|(_, host)| host)).collect();
        for plane in facts.plane_keys() {
            for route in &facts.routes {
                let key = NotatedPath::key(route.kind, &route.path);
                let by = (plane, &choices, facts.mark, width(route), route.notation.chosen_for);
                self.add(&route.host().to_string(), key, by);
                // An annotation adds its hosts to every rule.
                let rules = added.iter().filter(|_| !route.notation.is_default_backend);
                rules.for_each(|host| self.add(host, key, by));
            }
        }
    }

    fn add_listeners(&mut self, facts: &ListenersFacts) {
        for listener in &facts.listeners {
            let from = format!("{:?} {:?}", listener.from, listener.kinds);
            let by = (&facts.class, &facts.parent, listener.port, &listener.protocol, listener.passthrough, from);
            self.add(&listener.host.to_string(), "", by);
        }
    }

    fn add_route(&mut self, facts: &GatewayRouteFacts) {
        let any = [Host::Any];
        let hosts = if facts.hosts.is_empty() { &any[..] } else { &facts.hosts };
        let parents = facts.parents.iter().map(|parent| Some((&parent.target, &parent.section, parent.port)));
        let parents: Vec<_> = parents.chain(facts.uses_defaults.then_some(None)).collect();
        for host in hosts.iter().map(Host::to_string) {
            for parent in &parents {
                // A parent without a section or port includes each of its listeners.
                let whole = parent.map(|(target, ..)| hash(Some((target, &None::<Box<str>>, None::<i64>))));
                for matched in [""].into_iter().chain(facts.matches.iter().map(|matched| &**matched)) {
                    self.add_within(&host, matched, hash(parent), whole);
                }
            }
        }
    }

    /// Adds what an IngressRoute or HTTPProxy serves of `host`, itself and through the objects to which it delegates.
    pub fn add_served(&mut self, host: &str, facts: &DelegationFacts) {
        self.add(host, "", &facts.class);
        facts.serves.iter().for_each(|prefix| self.add(host, prefix, &facts.class));
        for edge in &facts.edges {
            self.add(host, &edge.prefix, (&facts.class, &edge.target));
        }
        facts.tcp.iter().for_each(|target| self.add(host, "", (&facts.class, target)));
    }
}
