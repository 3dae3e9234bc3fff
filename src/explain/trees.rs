//! What roots of delegations serve: of each class and host one root, whose routes and those of all that it delegates to compete by path,
//! headers and query. IngressRoutes and HTTPProxies differ only in how a tree grows.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::answer::{Api, Link, Loser, Plane, Verdict, Winner};
use super::candidate::{Candidate, Entrant};
use super::contest::{self, are_few};
use super::gateway_chain::asked;
use super::request::Request;
use super::way::Leaf;
use super::world::{Planes, Said, Scope, Vocabulary};
use crate::cluster::Overlay;
use crate::field::{At, FieldPath};
use crate::kinds::ObjectRef;
use crate::matching::host::Depth;
use crate::matching::{Host, PathTest};

/// All trees of one kind.
pub(super) struct Trees<'w> {
    api: Api,
    cluster: Overlay<'w>,
    all: Vec<Tree<'w>>,
    by_host: HashMap<Host<'w>, Vec<usize>>,
    /// Objects that serve nothing.
    idle: Vec<Idle<'w>>,
}

/// What one accepted root serves.
pub(super) struct Tree<'w> {
    pub(super) root: &'w ObjectRef,
    pub(super) class: Option<&'w str>,
    pub(super) host: Host<'w>,
    pub(super) has_tls: bool,
    /// What takes whole connections: over TLS all of them.
    pub(super) whole: Option<Leaf<'w>>,
    pub(super) leaves: Vec<Leaf<'w>>,
    /// Routes that another one replaces, which has the same match.
    pub(super) replaced: Vec<Loser>,
}

/// An object that serves nothing, and why.
pub(super) struct Idle<'w> {
    pub(super) object: &'w ObjectRef,
    pub(super) class: Option<&'w str>,
    /// The host that it claims in vain.
    pub(super) host: Option<Host<'w>>,
    pub(super) because: String,
}

const FQDN: At = At::field("spec.virtualhost.fqdn");

impl<'w> Trees<'w> {
    pub(super) fn new(api: Api, cluster: Overlay<'w>, all: Vec<Tree<'w>>, idle: Vec<Idle<'w>>) -> Self {
        let mut by_host: HashMap<Host<'w>, Vec<usize>> = HashMap::new();
        for (index, tree) in all.iter().enumerate() {
            by_host.entry(tree.host.clone()).or_default().push(index);
        }
        Self { api, cluster, all, by_host, idle }
    }

    /// The trees for a host by name, by class, the one of the precise host first.
    fn reached(&self, name: &str, scope: &Scope) -> BTreeMap<Option<&'w str>, Vec<usize>> {
        let own = Host::Precise(name.into());
        let wild = own.clone().wildcard_above();
        let mut reached: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for host in std::iter::once(own).chain(wild) {
            for index in self.by_host.get(&host).into_iter().flatten() {
                let class = self.all[*index].class;
                if scope.has_class(class) {
                    reached.entry(class).or_default().push(*index);
                }
            }
        }
        reached
    }

    fn plane(&self, class: Option<&str>) -> Plane {
        let kind = if self.api == Api::IngressRoute { "IngressRoutes" } else { "HTTPProxies" };
        Plane { api: self.api, name: class.map_or(kind.to_owned(), |class| format!("{kind} of class {class}")) }
    }

    fn verdict(&self, trees: &[usize], request: &Request) -> Verdict {
        let tree = &self.all[trees[0]];
        let wider =
            trees[1..].iter().map(|index| self.all[*index].lost(format!("host {} is more specific", tree.host)));
        let mut verdict = Verdict { plane: self.plane(tree.class), winner: None, losers: wider.collect() };
        if let Some(because) = tree.refusal(request) {
            verdict.losers.insert(0, tree.lost(because));
            return verdict;
        }
        if let Some(whole) = tree.whole.as_ref().filter(|_| request.is_secure) {
            verdict.winner = Some(tree.winner(whole, request, &self.cluster));
            let because = "over TLS whole connections go to tcpproxy";
            let others = tree.leaves.iter().map(|leaf| contest::loser(&leaf.candidate, because.to_owned()));
            verdict.losers.splice(0..0, others);
            return verdict;
        }
        let entrants = tree.leaves.iter().map(|leaf| Entrant { rule: &leaf.candidate, host: &tree.host });
        let outcome = contest::hold(entrants.collect(), request);
        let won = |leaf: &&Leaf<'w>| outcome.winner.is_some_and(|winner| std::ptr::eq(winner.rule, &leaf.candidate));
        verdict.winner = tree.leaves.iter().find(won).map(|leaf| tree.winner(leaf, request, &self.cluster));
        verdict.losers.splice(0..0, outcome.losers.into_iter().chain(tree.replaced.iter().cloned()));
        verdict
    }
}

impl Tree<'_> {
    fn lost(&self, because: String) -> Loser {
        Loser { object: self.root.clone(), field: FQDN.into(), because }
    }

    /// Why no connection with this request comes to the host.
    fn refusal(&self, request: &Request) -> Option<String> {
        let sni = request.sni.as_deref().unwrap_or_default();
        match (request.is_secure, self.has_tls) {
            (true, false) => Some(format!("host {} speaks no TLS", self.host)),
            (true, true) if !self.host.matches(sni, Depth::OneLabel) => Some(match sni {
                "" => "TLS asks for no name".to_owned(),
                sni => format!("TLS asks for {sni}, the request for {}", request.host),
            }),
            _ => None,
        }
    }

    fn winner(&self, leaf: &Leaf<'_>, request: &Request, cluster: &Overlay<'_>) -> Winner {
        let (object, rule) = (leaf.candidate.object.clone(), &leaf.candidate);
        let mut chain = leaf.way.links();
        let is_whole = self.whole.as_ref().is_some_and(|whole| std::ptr::eq(whole, leaf));
        let says = if is_whole {
            "whole connections".to_owned()
        } else {
            format!("{}{}", asked(rule), boundary(rule, request))
        };
        chain.push(Link { object: object.clone(), field: rule.field.into(), says });
        let (mut backends, links) = leaf.backends(cluster);
        // Behind tcpproxy nobody could answer the second request.
        if !request.is_secure && self.has_tls && !leaf.permits_insecure && self.whole.is_none() {
            let says = format!("plain HTTP is redirected: 301 to https://{}{}", request.host, request.path);
            chain.push(Link { object: self.root.clone(), field: At::field("spec.virtualhost.tls").into(), says });
            backends.clear();
        } else {
            chain.extend(links);
        }
        Winner { object, field: FieldPath::from(rule.field), is_default: false, backends, chain }
    }
}

/// A hint where a prefix ends inside of an element of the path.
fn boundary(rule: &Candidate<'_>, request: &Request) -> String {
    let PathTest::Begins(beginning) = &rule.path else { return String::new() };
    match request.path.strip_prefix(&**beginning) {
        Some(rest) if !(rest.is_empty() || rest.starts_with('/') || beginning.ends_with('/')) => {
            format!(", of which {} goes on inside of the element", request.path)
        }
        _ => String::new(),
    }
}

impl<'w> Planes<'w> for Trees<'w> {
    fn ask(&self, request: &Request, scope: &Scope) -> Said {
        let reached = self.reached(&request.host, scope);
        let mut verdicts: Vec<Verdict> = reached.values().map(|trees| self.verdict(trees, request)).collect();
        let mut losers = Vec::new();
        let is_met = |index: &usize| reached.values().any(|trees| trees.contains(index));
        let others = (0..self.all.len()).filter(|index| !is_met(index) && scope.has_class(self.all[*index].class));
        let elsewhere = self.all.len() - reached.values().map(Vec::len).sum::<usize>();
        if are_few(elsewhere) {
            losers.extend(others.map(|index| self.all[index].lost(format!("host {}", self.all[index].host))));
        }
        let few = are_few(self.idle.len());
        for idle in self.idle.iter().filter(|idle| scope.has_class(idle.class)) {
            let is_near = idle.host.as_ref().is_some_and(|host| host.matches(&request.host, Depth::OneLabel));
            if few || is_near {
                let (object, because) = (idle.object.clone(), idle.because.clone());
                losers.push(Loser { object, field: FieldPath::default(), because });
            }
        }
        if !losers.is_empty() {
            verdicts.push(Verdict { plane: self.plane(None), winner: None, losers });
        }
        Said { verdicts, elsewhere: if are_few(elsewhere) { 0 } else { elsewhere } }
    }

    fn tell(&self, scope: &Scope, vocabulary: &mut Vocabulary) {
        let asked = self.all.iter().filter(|tree| scope.has_class(tree.class));
        vocabulary.hosts.extend(asked.map(|tree| tree.host.parts().1.to_owned()));
    }

    fn rules<'s>(&'s self, host: &str, scope: &Scope) -> Vec<&'s Candidate<'w>> {
        let trees = self.reached(host, scope).into_values().flatten();
        trees.flat_map(|index| &self.all[index].leaves).map(|leaf| &leaf.candidate).collect()
    }
}
