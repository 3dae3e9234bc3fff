//! The Gateway API. Each Gateway is a data plane; a request reaches one of its listeners, and the routes attached to
//! that listener compete.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::answer::{AnsweringPlane, Api, Loser, PlaneAnswer};
use super::attached::AttachedRoute;
use super::candidate::{Candidate, RankedCandidate};
use super::gateway_chain;
use super::normalization::normalized;
use super::request::Request;
use super::route_resolver::{ApiAnswer, Condition, Detail, RouteResolver, Scope, Stored, hosts_above};
use super::selection::{self, are_few, loser};
use super::sites::{GatewayListener, GatewayListeners, ReachedListener};
use crate::cluster::gateway_facts::{GatewayRouteFacts, ParentFacts};
use crate::cluster::{Lookup, Overlay};
use crate::config::Config;
use crate::field::At;
use crate::kinds::grpc_route::{GrpcMatch, GrpcRule};
use crate::kinds::http_route::{HttpMatch, HttpRule};
use crate::kinds::{Kind, ObjectRef, Route};
use crate::matching::{GatewayDialect, Host, PathTest, ValueTest};
use crate::routing::Attachment;
use crate::routing::attachment::default_parents;
use crate::routing::kind_clash::KindArbitration;

/// All routes, by the listeners that accept them and by their hostnames.
pub(super) struct GatewayPlanes<'w> {
    pub(super) cluster: Overlay<'w>,
    config: &'w Config,
    pub(super) sites: GatewayListeners<'w>,
    pub(super) routes: Vec<AttachedRoute<'w>>,
    pub(super) candidates: Vec<Candidate<'w>>,
    /// The indexes of routes by listener and hostname.
    at: HashMap<(usize, Host<'w>), Vec<usize>>,
    /// The indexes of routes by hostname.
    pub(super) named: HashMap<Host<'w>, Vec<usize>>,
    /// The indexes of routes that refer to a Gateway or to one of its ListenerSets.
    of_gateway: HashMap<ObjectRef, BTreeSet<usize>>,
}

impl<'w> GatewayPlanes<'w> {
    pub(super) fn new(objects: &'w [Stored<'w>], cluster: Overlay<'w>, config: &'w Config) -> Self {
        let sites = GatewayListeners::new(objects, &cluster, &config.status);
        let (at, named, of_gateway) = Default::default();
        let mut all =
            Self { cluster, config, sites, routes: Vec::new(), candidates: Vec::new(), at, named, of_gateway };
        for stored in objects {
            if let (Some(route), Lookup::Found(facts)) = (stored.object.route(), all.cluster.route(&stored.object_ref))
            {
                all.add(stored, route, facts);
            }
        }
        all.settle_clashes();
        for (index, attached) in all.routes.iter().enumerate() {
            for host in hosts(attached.facts) {
                for site in attached.served() {
                    let routes = all.at.entry((site, host.clone())).or_default();
                    if routes.last() != Some(&index) {
                        routes.push(index);
                    }
                }
                all.named.entry(host).or_default().push(index);
            }
        }
        all
    }

    fn add(&mut self, stored: &'w Stored<'w>, route: Route<'w, 'w>, facts: &'w GatewayRouteFacts) {
        let mut sites: Vec<(usize, Option<usize>)> = Vec::new();
        let written = route.parent_refs().iter().enumerate();
        let parent = |(index, reference)| Some((Some(index), ParentFacts::of(reference, &facts.object_ref.namespace)?));
        let mut parents: Vec<(Option<usize>, ParentFacts)> = written.filter_map(parent).collect();
        for default in default_parents(facts.uses_defaults, &self.cluster) {
            if !parents.iter().any(|(_, parent)| *parent == default) {
                parents.push((None, default));
            }
        }
        for (index, parent) in parents {
            if let Some(gateway) = gateway_of(&parent, &self.cluster) {
                self.of_gateway.entry(gateway).or_default().insert(self.routes.len());
            }
            let attachment = Attachment::of(facts, &parent, &self.cluster);
            let accepting = attachment.accepting().filter_map(|listener| self.sites.of(listener));
            sites.extend(accepting.map(|site| (site, index)));
        }
        let mut dialects: Vec<GatewayDialect> = sites.iter().map(|(site, _)| self.sites.all[*site].dialect).collect();
        dialects.sort_unstable();
        dialects.dedup();
        if dialects.is_empty() {
            dialects.push(GatewayDialect::ASSUMED);
        }
        let in_dialect = |dialect: GatewayDialect| {
            let first = self.candidates.len();
            self.candidates.extend(candidates(&route, facts, dialect));
            (dialect, first..self.candidates.len())
        };
        let candidates = dialects.into_iter().map(in_dialect).collect();
        let (clashes, faults) = Default::default();
        self.routes.push(AttachedRoute { stored, facts, route, sites, clashes, candidates, faults });
    }

    /// Finds routes that a listener rejects: if HTTPRoutes and GRPCRoutes on a listener have a host in common, it only
    /// accepts the kind of the oldest route.
    fn settle_clashes(&mut self) {
        let positions: HashMap<&ObjectRef, usize> =
            self.routes.iter().enumerate().map(|(index, route)| (&route.facts.object_ref, index)).collect();
        let mut arbitrations = HashMap::new();
        let mut clashes: Vec<Vec<(usize, usize)>> = Vec::new();
        for attached in &self.routes {
            let kept_out = attached.sites.iter().filter_map(|(index, _)| {
                let site = &self.sites.all[*index];
                let arbitration = arbitrations
                    .entry(*index)
                    .or_insert_with(|| KindArbitration::new(site.holder, site.listener, &self.cluster));
                let other = arbitration.blocked_by(attached.facts)?;
                Some((*index, *positions.get(&other.object_ref)?))
            });
            clashes.push(kept_out.collect());
        }
        drop(arbitrations);
        self.routes.iter_mut().zip(clashes).for_each(|(route, clashes)| route.clashes = clashes);
    }

    fn verdict(
        &self,
        choice: ReachedListener,
        request: &Request,
        detail: Detail,
        seen: &mut BTreeSet<usize>,
    ) -> PlaneAnswer {
        let site = &self.sites.all[choice.site];
        let plane =
            AnsweringPlane { api: Api::Gateway, name: site.gateway.object_ref.to_string(), is_class_missing: false };
        let request = &*normalized(request, site.dialect.normalization);
        let hosts = hosts_above(site.name_of(request));
        let (mut entrants, mut unserved, mut with_host) = (Vec::new(), Vec::new(), BTreeSet::new());
        // Envoy selects the host first, and falls back to no wider one.
        let own = hosts.iter().find(|host| self.at.contains_key(&(choice.site, host.borrowed())));
        let own = own.filter(|_| site.dialect.is_host_final);
        for host in &hosts {
            if let Some(own) = own.filter(|own| *own != host) {
                let wider = self.at.get(&(choice.site, host.borrowed())).into_iter().flatten();
                let wider = wider.filter(|index| !with_host.contains(*index)).map(|index| &self.routes[*index]);
                let rules = wider.flat_map(|route| &self.candidates[route.candidates_in(site.dialect)]);
                unserved.extend(detail.of(rules.map(|rule| loser(rule, format!("host {own} is more specific")))));
                continue;
            }
            for index in self.at.get(&(choice.site, host.borrowed())).into_iter().flatten() {
                // A route competes under the most specific of its hosts that match.
                if !with_host.insert(*index) {
                    continue;
                }
                let attached = &self.routes[*index];
                for rule in &self.candidates[attached.candidates_in(site.dialect)] {
                    let fault = || attached.fault(choice.site, rule.position[0], &self.cluster, self.config);
                    match rule.matches(request).then(fault).flatten() {
                        None => entrants.push(RankedCandidate { rule, host }),
                        Some(fault) => unserved.push(loser(rule, fault)),
                    }
                }
            }
        }
        seen.extend(&with_host);
        if let Some(other) = choice.misdirected {
            let reason = self.misdirection(site, other, request);
            let losers = entrants.iter().map(|ranked| loser(ranked.rule, format!("421: {reason}")));
            let losers = detail.of(unserved.into_iter().chain(losers));
            let reached = Some(site.reached(Some(421), reason));
            return PlaneAnswer { plane, winner: None, reached, is_verifiable: true, losers };
        }
        let outcome = selection::select(entrants, request, detail);
        let winner = outcome.winner.and_then(|winner| {
            let is_its = |index: &usize| {
                self.candidates[self.routes[*index].candidates_in(site.dialect)]
                    .iter()
                    .any(|rule| std::ptr::eq(rule, winner.rule))
            };
            let attached = &self.routes[with_host.into_iter().find(is_its)?];
            let site = (choice.site, site);
            Some(gateway_chain::winner(&winner, attached, site, request, (&self.cluster, self.config)))
        });
        unserved.extend(outcome.losers);
        let reached = winner.is_none().then(|| site.unanswered());
        PlaneAnswer { plane, winner, reached, is_verifiable: true, losers: unserved }
    }

    /// Why `site` does not answer a request for the host of listener number `other`.
    fn misdirection(&self, site: &GatewayListener<'_>, other: usize, request: &Request) -> String {
        let (sni, other) = (request.sni.as_deref().unwrap_or_default(), &self.sites.all[other].listener.name);
        format!(
            "TLS server name {sni} selects listener {}; host {} belongs to listener {other}",
            site.listener.name, request.host
        )
    }
}

/// The Gateway that a parentRef refers to, directly or through a ListenerSet.
pub(super) fn gateway_of(parent: &ParentFacts, cluster: &Overlay<'_>) -> Option<ObjectRef> {
    match (parent.target.kind, cluster.listeners(&parent.target)) {
        (Kind::Gateway, _) => Some(parent.target.clone()),
        (_, Lookup::Found(set)) => set.parent.clone(),
        _ => None,
    }
}

/// The hostnames of a route; [`Host::Any`] if it has none.
fn hosts<'w>(facts: &'w GatewayRouteFacts) -> Vec<Host<'w>> {
    match facts.hosts.is_empty() {
        true => vec![Host::Any],
        false => facts.hosts.iter().map(Host::borrowed).collect(),
    }
}

/// A candidate with the conditions of a match of an HTTPRoute.
fn http<'w>(candidate: Candidate<'w>, matched: &'w HttpMatch<'w>, dialect: GatewayDialect) -> Candidate<'w> {
    Candidate {
        path: PathTest::of_http_in(matched.path.as_ref(), dialect),
        expression_order: dialect.order,
        method: matched.method.as_deref(),
        headers: ValueTest::of_headers(&matched.headers),
        query: ValueTest::of_parameters(&matched.query_params),
        ..candidate
    }
}

/// A candidate with the conditions of a match of a GRPCRoute.
fn grpc<'w>(candidate: Candidate<'w>, matched: &'w GrpcMatch<'w>) -> Candidate<'w> {
    Candidate {
        path: PathTest::of_grpc(matched.method.as_ref()),
        headers: ValueTest::of_headers(&matched.headers),
        ..candidate
    }
}

/// One candidate for each match of each rule of a route, for an implementation with this dialect.
fn candidates<'w>(route: &Route<'w, 'w>, facts: &'w GatewayRouteFacts, dialect: GatewayDialect) -> Vec<Candidate<'w>> {
    let everything = |at, position| Candidate::of_everything(&facts.object_ref, facts.created, at, position);
    let rule_at = |index| everything(At::element("spec.rules[]", [index]), [index, 0]);
    let match_at =
        |index, position| everything(At::element("spec.rules[].matches[]", [index, position]), [index, position]);
    let every_path = |candidate| Candidate { path: PathTest::of_http(None), ..candidate };
    match *route {
        Route::Http(route) if route.spec.rules.is_none() => {
            vec![every_path(everything(At::field("spec.rules"), [0, 0]))]
        }
        Route::Http(route) => {
            let of_rule = |(index, rule): (usize, &'w HttpRule<'w>)| match rule.matches.is_empty() {
                true => vec![every_path(rule_at(index))],
                false => {
                    let of_match = |(at, matched)| http(match_at(index, at), matched, dialect);
                    (0..).zip(rule.matches.iter()).map(of_match).collect()
                }
            };
            route.spec.rules().iter().enumerate().flat_map(of_rule).collect()
        }
        Route::Grpc(route) => {
            let of_rule = |(index, rule): (usize, &'w GrpcRule<'w>)| match rule.matches.is_empty() {
                true => vec![rule_at(index)],
                false => (0..).zip(&rule.matches).map(|(at, matched)| grpc(match_at(index, at), matched)).collect(),
            };
            route.spec.rules.iter().enumerate().flat_map(of_rule).collect()
        }
        Route::L4(..) => (0..route.rule_count()).map(rule_at).collect(),
    }
}

impl<'w> RouteResolver<'w> for GatewayPlanes<'w> {
    fn ask(&self, request: &Request, scope: &Scope, detail: Detail) -> ApiAnswer {
        if scope.gateway.is_none() && scope.class.is_some() {
            return ApiAnswer::default();
        }
        let mut seen = BTreeSet::new();
        let reached = self.sites.reached(request, scope);
        let mut verdicts: Vec<PlaneAnswer> =
            reached.into_values().map(|choice| self.verdict(choice, request, detail, &mut seen)).collect();
        if detail == Detail::OnlyAnswers {
            return ApiAnswer { verdicts, elsewhere: 0 };
        }
        let none = BTreeSet::new();
        let in_scope = scope.gateway.as_ref().map(|gateway| self.of_gateway.get(gateway).unwrap_or(&none));
        let is_in_scope = |route: &usize| in_scope.is_none_or(|in_scope| in_scope.contains(route));
        let named: BTreeSet<usize> = hosts_above(&request.host)
            .iter()
            .filter(|host| **host != Host::Any)
            .flat_map(|host| self.named.get(host).into_iter().flatten().copied())
            .filter(|route| !seen.contains(route) && is_in_scope(route))
            .collect();
        let others = in_scope.map_or(self.routes.len(), BTreeSet::len) - seen.len() - named.len();
        let all = if are_few(others) { 0..self.routes.len() } else { 0..0 };
        let rest = all.filter(|route| !seen.contains(route) && !named.contains(route) && is_in_scope(route));
        let losers: Vec<Loser> =
            named.iter().copied().chain(rest).flat_map(|route| self.unreached_reasons(route, request)).collect();
        if !losers.is_empty() {
            let plane = AnsweringPlane { api: Api::Gateway, name: String::new(), is_class_missing: false };
            verdicts.push(PlaneAnswer { plane, winner: None, reached: None, is_verifiable: true, losers });
        }
        ApiAnswer { verdicts, elsewhere: if are_few(others) { 0 } else { others } }
    }

    fn has_objects(&self, scope: &Scope) -> bool {
        match &scope.gateway {
            Some(gateway) => self.cluster.listeners(gateway) != Lookup::Absent,
            None => scope.class.is_none() && !self.sites.all.is_empty(),
        }
    }

    fn collect_hosts<'s>(&'s self, scope: &Scope, hosts: &mut BTreeSet<Host<'s>>) {
        let sites = self.sites.all.iter().filter(|site| scope.has_gateway(&site.gateway.object_ref));
        hosts.extend(sites.map(|site| site.listener.host.borrowed()));
        let has_routes = scope.gateway.is_some() || scope.class.is_none();
        let routes = self.routes.iter().filter(|_| has_routes);
        hosts.extend(routes.flat_map(|route| &route.facts.hosts).map(Host::borrowed));
    }

    fn conditions<'s>(&'s self, host: &str, scope: &Scope) -> Vec<Condition<'s>> {
        if scope.gateway.is_none() && scope.class.is_some() {
            return Vec::new();
        }
        let hosts = hosts_above(host);
        let routes: BTreeSet<usize> =
            hosts.iter().flat_map(|host| self.named.get(host).into_iter().flatten().copied()).collect();
        let ranges = routes.into_iter().flat_map(|route| &self.routes[route].candidates);
        ranges.flat_map(|(_, range)| &self.candidates[range.clone()]).map(Condition::of).collect()
    }
}
