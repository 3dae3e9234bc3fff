//! The trees of IngressRoutes and HTTPProxies. For each class and host there is one root, whose routes compete with
//! those of all objects below it by path, headers and query. The two kinds only differ in how a tree is built.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

use super::answer::{AnsweringPlane, Api, ChainLink, Loser, PlaneAnswer, ReachedPoint, Winner};
use super::candidate::{Candidate, RankedCandidate};
use super::gateway_chain::describe_conditions;
use super::normalization::normalized;
use super::not_evaluated::NotEvaluated;
use super::outcome::{Failure, RequestOutcome};
use super::request::Request;
use super::route_action::{self, NO_SERVICE};
use super::route_chain::ResolvedRoute;
use super::route_resolver::{ApiAnswer, Condition, Detail, RouteResolver, Scope};
use super::selection::{self, are_few};
use crate::cluster::Overlay;
use crate::field::{At, FieldPath};
use crate::kinds::ObjectRef;
use crate::kinds::ingress_route::DEFAULT_CLASS;
use crate::matching::host::Depth;
use crate::matching::{Host, Normalization, PathTest};

/// All trees of one kind.
pub(super) struct Trees<'w> {
    api: Api,
    cluster: Overlay<'w>,
    all: Vec<Tree<'w>>,
    by_host: HashMap<Host<'w>, Vec<usize>>,
    /// The number of trees of each class.
    counts: BTreeMap<Option<&'w str>, usize>,
    /// Objects that serve nothing, indexed by the host that they claim.
    idle: Vec<UnservedObject<'w>>,
    idle_by_host: HashMap<Host<'w>, Vec<usize>>,
}

/// Everything that one valid root serves.
pub(super) struct Tree<'w> {
    pub(super) root: &'w ObjectRef,
    class: Option<&'w str>,
    host: Host<'w>,
    tls_handling: TlsHandling<'w>,
    pub(super) leaves: Vec<ResolvedRoute<'w>>,
    /// What explain does not evaluate of the root, each as text.
    pub(super) not_evaluated: Vec<NotEvaluated>,
    /// Routes that are replaced by another one with the same match, and other reasons why something is not served.
    pub(super) replaced: Vec<Loser>,
}

/// How the host of a root handles TLS connections.
pub(super) enum TlsHandling<'w> {
    /// It accepts none; the host only has plain HTTP.
    PlainHttp,
    /// It terminates TLS, and each request is routed.
    Terminated,
    /// It forwards whole connections.
    TcpProxy(Box<ResolvedRoute<'w>>),
    /// It would forward whole connections, but they lead nowhere; the text says why.
    Unroutable(String),
}

/// An object that serves nothing, and the reason.
pub(super) struct UnservedObject<'w> {
    pub(super) object: &'w ObjectRef,
    pub(super) class: Option<&'w str>,
    /// The host that it claims.
    pub(super) host: Option<Host<'w>>,
    pub(super) reason: String,
}

const FQDN: At = At::field("spec.virtualhost.fqdn");

/// Whether objects of `class` are in the scope. Objects without a class have the default class.
fn is_in_scope(scope: &Scope, class: Option<&str>) -> bool {
    scope.has_class(class.or(Some(DEFAULT_CLASS)))
}

impl<'w> Trees<'w> {
    pub(super) fn new(api: Api, cluster: Overlay<'w>, all: Vec<Tree<'w>>, idle: Vec<UnservedObject<'w>>) -> Self {
        let (mut by_host, mut idle_by_host): (HashMap<_, Vec<usize>>, HashMap<_, Vec<usize>>) = Default::default();
        let mut counts = BTreeMap::new();
        for (index, tree) in all.iter().enumerate() {
            by_host.entry(tree.host.clone()).or_default().push(index);
            *counts.entry(tree.class).or_default() += 1;
        }
        for (index, host) in idle.iter().enumerate().filter_map(|(index, idle)| Some((index, idle.host.clone()?))) {
            idle_by_host.entry(host).or_default().push(index);
        }
        Self { api, cluster, all, by_host, counts, idle, idle_by_host }
    }

    /// The objects that serve nothing and claim no host: no root that serves requests leads to them.
    pub(super) fn orphans(&self) -> impl Iterator<Item = &'w ObjectRef> {
        self.idle.iter().filter(|idle| idle.host.is_none()).map(|idle| idle.object)
    }

    /// The trees for the host `name`, by class, that of the precise host first.
    fn reached(&self, name: &str, scope: &Scope) -> BTreeMap<Option<&'w str>, Vec<usize>> {
        let mut reached: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for host in hosts_for(name) {
            for index in self.by_host.get(&host).into_iter().flatten() {
                let class = self.all[*index].class;
                if is_in_scope(scope, class) {
                    reached.entry(class).or_default().push(*index);
                }
            }
        }
        reached
    }

    /// The trees that a request may reach, by class. The first of each class is the one it does reach: over TLS, the
    /// server name selects it among those with TLS.
    fn candidates(&self, request: &Request, scope: &Scope) -> BTreeMap<Option<&'w str>, Vec<usize>> {
        let mut candidates = self.reached(&request.host, scope);
        if request.is_secure {
            for (class, named) in self.reached(request.sni.as_deref().unwrap_or_default(), scope) {
                let trees = candidates.entry(class).or_default();
                trees.retain(|index| !named.contains(index));
                trees.splice(0..0, named);
            }
            candidates.values_mut().for_each(|trees| trees.sort_by_key(|index| self.all[*index].is_plain()));
        }
        candidates
    }

    fn plane(&self, class: Option<&str>) -> AnsweringPlane {
        let kind = if self.api == Api::IngressRoute { "IngressRoutes" } else { "HTTPProxies" };
        AnsweringPlane {
            api: self.api,
            name: class.map_or(kind.to_owned(), |class| format!("{kind} of class {class}")),
            is_class_missing: false,
        }
    }

    fn verdict(&self, trees: &[usize], request: &Request, detail: Detail) -> PlaneAnswer {
        let tree = &self.all[trees[0]];
        let mut verdict = PlaneAnswer {
            plane: self.plane(tree.class),
            winner: None,
            reached: None,
            is_verifiable: true,
            losers: Vec::new(),
        };
        match (tree.refusal(request), &tree.tls_handling) {
            (Some(reason), _) => verdict.losers.push(tree.lost(reason)),
            (None, TlsHandling::TcpProxy(leaf)) if request.is_secure => {
                verdict.winner = Some(tree.winner(leaf, request, &self.cluster));
                let reason = "spec.tcpproxy receives all TLS connections";
                let losers = tree.leaves.iter().map(|leaf| selection::loser(&leaf.candidate, reason.to_owned()));
                verdict.losers.extend(detail.of(losers));
            }
            (None, _) => {
                let entrants =
                    tree.leaves.iter().map(|leaf| RankedCandidate { rule: &leaf.candidate, host: &tree.host });
                let outcome = selection::select(entrants.collect(), request, detail);
                let won = |leaf: &&ResolvedRoute<'w>| {
                    outcome.winner.is_some_and(|won| std::ptr::eq(won.rule, &leaf.candidate))
                };
                verdict.winner = tree.leaves.iter().find(won).map(|leaf| tree.winner(leaf, request, &self.cluster));
                verdict.losers.extend(outcome.losers);
                if verdict.winner.is_none() {
                    let (object, field, reason) = (tree.root.clone(), FQDN.into(), "no route matches".to_owned());
                    verdict.reached = Some(ReachedPoint { object, field, code: Some(404), reason });
                }
                if tree.leaves.is_empty() {
                    verdict.losers.push(tree.lost(format!("host {} serves no routes", tree.host)));
                }
                verdict.losers.extend(detail.of(tree.replaced.iter().cloned()));
            }
        }
        verdict.losers.extend(detail.of(trees[1..].iter().map(|index| self.all[*index].lost_to(tree, request))));
        verdict
    }
}

impl<'w> Tree<'w> {
    /// Whether it answers nothing, neither requests nor connections.
    pub(super) fn is_empty(&self) -> bool {
        self.leaves.is_empty() && matches!(self.tls_handling, TlsHandling::PlainHttp | TlsHandling::Terminated)
    }

    /// A tree without routes.
    pub(super) fn new(
        root: &'w ObjectRef,
        class: Option<&'w str>,
        host: Host<'w>,
        tls_handling: TlsHandling<'w>,
    ) -> Self {
        let (leaves, not_evaluated, replaced) = Default::default();
        Self { root, class, host, tls_handling, leaves, not_evaluated, replaced }
    }

    fn is_plain(&self) -> bool {
        matches!(self.tls_handling, TlsHandling::PlainHttp)
    }

    fn lost(&self, reason: String) -> Loser {
        Loser { object: self.root.clone(), field: FQDN.into(), reason, is_elsewhere: false }
    }

    /// The reason for a root that lost against the root that the request reaches.
    fn lost_to(&self, by: &Self, request: &Request) -> Loser {
        self.lost(match self.refusal(request) {
            Some(reason) => reason,
            None => format!("host {} is more specific", by.host),
        })
    }

    /// Why a connection with this request does not reach the host, or does not reach a service behind it.
    fn refusal(&self, request: &Request) -> Option<String> {
        let sni = request.sni.as_deref().unwrap_or_default();
        match &self.tls_handling {
            _ if !request.is_secure => None,
            TlsHandling::PlainHttp => Some(format!("host {} has no TLS", self.host)),
            _ if sni.is_empty() => Some("the client sent no server name (SNI)".to_owned()),
            _ if !self.host.matches(sni, Depth::OneLabel) => Some(misdirected(request)),
            TlsHandling::Terminated if !self.host.matches(&request.host, Depth::OneLabel) => Some(misdirected(request)),
            TlsHandling::Unroutable(why) => Some(why.clone()),
            TlsHandling::Terminated | TlsHandling::TcpProxy(_) => None,
        }
    }

    fn winner(&self, leaf: &ResolvedRoute<'_>, request: &Request, cluster: &Overlay<'_>) -> Winner {
        let (object, rule) = (leaf.candidate.object.clone(), &leaf.candidate);
        let mut chain = leaf.chain.links();
        let message = match &self.tls_handling {
            TlsHandling::TcpProxy(whole) if std::ptr::eq(&**whole, leaf) => "all TLS connections".to_owned(),
            _ => format!("{}{}", describe_conditions(rule), boundary(rule, request)),
        };
        chain.push(ChainLink { object: object.clone(), field: rule.field.into(), message });
        let (backends, links) = leaf.backends(cluster);
        let is_connection = matches!(&self.tls_handling, TlsHandling::TcpProxy(whole) if std::ptr::eq(&**whole, leaf));
        let failure = if is_connection { Failure::Closed } else { Failure::Code(NO_SERVICE) };
        let mut reply = leaf.action.reply(rule, (backends, failure), request);
        if !request.is_secure && !self.is_plain() && !leaf.permits_insecure {
            let (redirect, location) = route_action::secured(request);
            chain.push(ChainLink {
                object: self.root.clone(),
                field: At::field("spec.virtualhost.tls").into(),
                message: format!("plain HTTP is redirected: 301 to {location}"),
            });
            reply = redirect;
        } else {
            chain.extend(links);
        }
        let not_evaluated = leaf.not_evaluated.iter().chain(&self.not_evaluated).cloned().collect();
        let outcome = RequestOutcome { reply, not_evaluated, by_origin: Vec::new() };
        Winner { object, field: FieldPath::from(rule.field), is_default: false, outcome, chain }
    }
}

fn misdirected(request: &Request) -> String {
    format!("TLS server name {} does not match host {}", request.sni.as_deref().unwrap_or_default(), request.host)
}

/// The hosts that match `name`: the precise host, and the wildcard of one label.
fn hosts_for(name: &str) -> impl Iterator<Item = Host<'_>> {
    let own = Host::Precise(name.into());
    let wild = own.clone().wildcard_above();
    std::iter::once(own).chain(wild)
}

/// A note if a prefix ends within a path element.
fn boundary(rule: &Candidate<'_>, request: &Request) -> String {
    let PathTest::Begins(beginning) = &rule.path else { return String::new() };
    match request.path.strip_prefix(&**beginning) {
        Some(rest) if !(rest.is_empty() || rest.starts_with('/') || beginning.ends_with('/')) => {
            format!("; {} continues within the same path segment", request.path)
        }
        _ => String::new(),
    }
}

impl<'w> RouteResolver<'w> for Trees<'w> {
    fn ask(&self, request: &Request, scope: &Scope, detail: Detail) -> ApiAnswer {
        // The Envoy of the releases that served IngressRoutes did not do this.
        let normalization = (self.api == Api::HttpProxy).then_some(Normalization::Envoy);
        let request = &*normalized(request, normalization);
        let candidates = self.candidates(request, scope);
        let mut verdicts: Vec<PlaneAnswer> =
            candidates.values().map(|trees| self.verdict(trees, request, detail)).collect();
        if detail == Detail::OnlyAnswers {
            return ApiAnswer { verdicts, elsewhere: 0 };
        }
        let in_scope = self.counts.iter().filter(|(class, _)| is_in_scope(scope, **class));
        let others = in_scope.map(|(_, count)| count).sum::<usize>() - candidates.values().map(Vec::len).sum::<usize>();
        let (mut losers, elsewhere) = (Vec::new(), if are_few(others) { 0 } else { others });
        if elsewhere == 0 {
            let is_candidate = |index: &usize| candidates.values().any(|trees| trees.contains(index));
            let rest = (0..self.all.len()).filter(|index| !is_candidate(index)).map(|index| &self.all[index]);
            let rest = rest.filter(|tree| is_in_scope(scope, tree.class));
            let lost = |tree: &Tree<'w>| Loser { is_elsewhere: true, ..tree.lost(format!("host {}", tree.host)) };
            losers.extend(rest.map(lost));
        }
        let near = || hosts_for(&request.host).filter_map(|host| self.idle_by_host.get(&host)).flatten().copied();
        let idle: Vec<usize> = if are_few(self.idle.len()) { (0..self.idle.len()).collect() } else { near().collect() };
        for idle in idle.into_iter().map(|index| &self.idle[index]).filter(|idle| is_in_scope(scope, idle.class)) {
            let (object, reason) = (idle.object.clone(), idle.reason.clone());
            losers.push(Loser { object, field: FieldPath::default(), reason, is_elsewhere: false });
        }
        if !losers.is_empty() {
            verdicts.push(PlaneAnswer {
                plane: self.plane(None),
                winner: None,
                reached: None,
                is_verifiable: true,
                losers,
            });
        }
        ApiAnswer { verdicts, elsewhere }
    }

    fn has_objects(&self, scope: &Scope) -> bool {
        let mut classes = self.counts.keys().copied().chain(self.idle.iter().map(|idle| idle.class));
        classes.any(|class| is_in_scope(scope, class))
    }

    fn collect_hosts<'s>(&'s self, scope: &Scope, hosts: &mut BTreeSet<Host<'s>>) {
        let trees = self.all.iter().filter(|tree| is_in_scope(scope, tree.class));
        hosts.extend(trees.map(|tree| tree.host.borrowed()));
    }

    fn conditions<'s>(&'s self, host: &str, scope: &Scope) -> Vec<Condition<'s>> {
        let trees = self.reached(host, scope).into_values().flatten();
        trees.flat_map(|index| &self.all[index].leaves).map(|leaf| Condition::of(&leaf.candidate)).collect()
    }
}
