//! Ingresses. A data plane serves a class, a group of Ingresses, or a single Ingress. The host takes precedence over
//! the path, and a default backend answers requests that no rule matches (KEP-758). An Ingress with two classes is in the data planes of
//! both, and one without a class also in those of controllers that serve such Ingresses.
//!
//! Paths are regular expressions if annotations say so. Otherwise `ImplementationSpecific` is treated as `Prefix`,
//! since it is not known how a class interprets it.

mod certificates;
mod conditions;
mod contour;
mod dialect;
pub(super) mod f5_nginx;
pub(super) mod gke;
mod host_choice;
pub(super) mod kong;
mod losers;
mod nginx;
mod nginx_conditions;
mod order;
mod planes;
mod resolver;
mod traefik;

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

pub(super) use dialect::Dialect;

use super::answer::{PlaneAnswer, ReachedPoint};
use super::candidate::RankedCandidate;
use super::ingress_chain::MatchedIngressRule;
use super::ingress_rules::{AddedHost, HostRule, added, rules, under_aliases};
use super::ingress_source::{Class, Defaulted, IngressPlane, Source};
use super::normalization::normalized;
use super::outcome::Reply;
use super::request::Request;
use super::route_resolver::{Detail, Scope, Stored};
use super::selection;
use crate::cluster::{DataPlanes, Lookup, Overlay, PlaneInputs};
use crate::field::At;
use crate::kinds::{Ingress, Object, ObjectRef};
use crate::matching::{DataPlaneHints, Host};
use crate::nginx::Proxy;
use crate::routing::{controllers, default_class};

/// All Ingresses, by data plane and by host.
pub(super) struct Ingresses<'w> {
    pub(super) cluster: Overlay<'w>,
    sources: Vec<Source<'w>>,
    rules: Vec<HostRule<'w>>,
    by_host: HashMap<Host<'w>, Vec<usize>>,
    by_plane: BTreeMap<IngressPlane<'w>, PlaneIngresses<'w>>,
    /// The controller of each IngressClass.
    controllers: HashMap<&'w str, &'w str>,
    /// The classes whose controllers also serve Ingresses without a class.
    of_classless: BTreeSet<&'w str>,
    /// Hosts that annotations may add, each with the index of its source.
    possible_hosts: Vec<(usize, AddedHost<'w>)>,
}

/// The classes of a data plane, and the indexes of its rules and sources.
#[derive(Default)]
struct PlaneIngresses<'w> {
    classes: BTreeSet<Class<'w>>,
    rules: Vec<usize>,
    /// By the Ingress.
    sources: BTreeMap<&'w ObjectRef, usize>,
    /// The sources with a default backend, the oldest first.
    default_backends: Vec<usize>,
    /// What is evaluated if ingress-nginx serves it.
    nginx: Option<Proxy<'w>>,
    /// Whose answers it gives.
    dialect: Dialect,
    /// The hosts with a certificate.
    certified: BTreeSet<Host<'w>>,
}

impl<'w> Ingresses<'w> {
    pub(super) fn new(objects: &'w [Stored<'w>], cluster: Overlay<'w>, planes: &DataPlanes) -> Self {
        let default = default_class(&cluster);
        let (sources, rules, by_host, by_plane, controllers, of_classless, possible_hosts) = Default::default();
        let mut all = Self { cluster, sources, rules, by_host, by_plane, controllers, of_classless, possible_hosts };
        for stored in objects {
            match &stored.object {
                Object::Ingress(ingress) => all.of_classless.extend(ingress.classes().iter().flatten()),
                Object::IngressClass(class) => {
                    all.controllers.insert(&stored.object_ref.name, &class.spec.controller);
                    all.of_classless.insert(&stored.object_ref.name);
                }
                _ => {}
            }
        }
        let cluster = &all.cluster;
        all.of_classless.retain(|class| planes.serves_classless(class, cluster));
        for stored in objects {
            if let Object::Ingress(ingress) = &stored.object {
                all.add(&stored.object_ref, ingress, default, planes);
            }
        }
        let Self { sources, by_plane, cluster, .. } = &mut all;
        for plane_ingresses in by_plane.values_mut() {
            plane_ingresses.default_backends.sort_by(|left, right| sources[*left].compare_age(&sources[*right]));
            plane_ingresses.nginx =
                nginx::proxy(plane_ingresses.sources.values().map(|source| &sources[*source]), cluster);
        }
        all
    }

    /// Adds an Ingress to each data plane that serves one of its classes.
    fn add(&mut self, object_ref: &'w ObjectRef, ingress: &'w Ingress<'w>, default: Class<'w>, planes: &DataPlanes) {
        let mut served: Vec<Source<'w>> = Vec::new();
        for named in ingress.classes().iter() {
            let (class, defaulted) = match named {
                Some(class) => (Some(class), Defaulted::No),
                None if ingress.names_class() => (None, Defaulted::No),
                None => (default, Defaulted::Yes),
            };
            let plane = self.plane(object_ref, ingress, class, planes);
            let is_classless = plane == IngressPlane { class: None, group: None, alone: None };
            let hints = DataPlaneHints::of(ingress);
            let (order_annotations, hints) = (DataPlaneHints::order(hints.as_deref()), hints.as_deref());
            let source = |plane, served_by: Class<'w>| {
                let order = planes.rule_order(PlaneInputs { class: served_by.or(class), hints }, &self.cluster);
                Source { object_ref, ingress, class, served_by, plane, order, order_annotations, defaulted }
            };
            let shared: Vec<&'w str> = self.of_classless.iter().copied().filter(|_| is_classless).collect();
            if shared.is_empty() {
                served.push(source(plane, None));
            }
            let joined = shared.into_iter().map(|class| (self.plane(object_ref, ingress, Some(class), planes), class));
            served.extend(joined.map(|(plane, class)| source(plane, Some(class))));
        }
        let mut planes = BTreeSet::new();
        for source in served {
            if planes.insert(source.plane.clone()) {
                self.add_source(source);
            }
        }
    }

    fn add_source(&mut self, source: Source<'w>) {
        let (object_ref, ingress) = (source.object_ref, source.ingress);
        let position = self.sources.len();
        let plane_ingresses = self.by_plane.entry(source.plane.clone()).or_default();
        plane_ingresses.classes.insert(source.class);
        plane_ingresses.classes.extend(source.served_by.map(Some));
        plane_ingresses.sources.insert(object_ref, position);
        let class = source.served_by.or(source.class);
        let readers = controllers::of_classes(std::iter::once(class), &self.cluster);
        let dialect = Dialect::of_class(class, &self.cluster);
        if dialect != Dialect::Specified {
            plane_ingresses.dialect = dialect;
        }
        // Traefik takes it of an Ingress without rules only.
        if ingress.spec.default_backend.is_some() && (dialect != Dialect::Traefik || ingress.spec.rules.is_empty()) {
            plane_ingresses.default_backends.push(position);
        }
        plane_ingresses.certified.extend(certificates::hosts(ingress));
        let added = added(ingress, &readers);
        self.sources.push(source);
        let effect = |effect| controllers::effect_in(effect, ingress, std::iter::once(class), &self.cluster);
        let own = rules(object_ref, ingress, position, effect, (dialect, self.sources[position].order));
        let under_aliases = under_aliases(&own, &added);
        for rule in own.into_iter().chain(under_aliases) {
            let index = self.rules.len();
            plane_ingresses.rules.push(index);
            self.by_host.entry(rule.host.clone()).or_default().push(index);
            self.rules.push(rule);
        }
        self.possible_hosts.extend(added.into_iter().filter(|added| !added.is_served).map(|added| (position, added)));
    }

    /// The indexes of the rules for `host`, in the classes of the scope.
    fn under(&self, host: &Host<'_>, scope: &Scope) -> Vec<usize> {
        let rules = self.by_host.get(host).map(Vec::as_slice).unwrap_or_default();
        rules.iter().copied().filter(|index| self.is_in_scope(self.plane_of(*index), scope)).collect()
    }

    fn ranked_candidate(&self, rule: usize) -> RankedCandidate<'_, 'w> {
        RankedCandidate { rule: &self.rules[rule].candidate, host: &self.rules[rule].host }
    }

    /// The answer of one data plane. `ranks` are its rules for the host of the request: for the precise host, a
    /// wildcard of one label, and every host.
    fn verdict(
        &self,
        plane: &IngressPlane<'w>,
        ranks: &[Vec<usize>; 3],
        request: &Request,
        detail: Detail,
    ) -> PlaneAnswer {
        if let Some(proxy) = self.by_plane.get(plane).and_then(|plane_ingresses| plane_ingresses.nginx.as_ref()) {
            return self.nginx_verdict((plane, proxy), ranks, request, detail);
        }
        let dialect = self.dialect(plane);
        let is_contour = dialect == Dialect::Contour;
        let request = &*normalized(request, dialect.normalization());
        // The rules of all hosts compete.
        let all = (dialect == Dialect::Traefik).then(|| [ranks.concat(), Vec::new(), Vec::new()]);
        let ranks = all.as_ref().unwrap_or(ranks);
        let split = dialect.drops_missing().then(|| self.split_served(ranks));
        let (ranks, dropped) = split.as_ref().map_or((ranks, &[][..]), |(served, dropped)| (served, dropped));
        let met = (dialect == Dialect::Kong).then(|| self.split_met(ranks, request));
        let (ranks, unmet) = met.as_ref().map_or((ranks, &[][..]), |(met, unmet)| (met, unmet));
        let rank = self.rank_of(ranks, dialect, request);
        // If a rule names the host, annotations that add the same host have no effect.
        let is_named = dialect != Dialect::Kong && ranks[rank].iter().any(|rule| self.rules[*rule].alias.is_none());
        let is_own = |rule: &&usize| !is_named || self.rules[**rule].alias.is_none();
        let own: Vec<usize> = ranks[rank].iter().filter(is_own).copied().collect();
        let own = if dialect.selects_host_first() { self.of_longest_host(own) } else { own };
        let (own, doubt) = match Some(&own).filter(|_| dialect == Dialect::F5Nginx).map(|own| self.of_oldest(own)) {
            Some(Ok(served)) => (served, None),
            Some(Err(why)) => (own, Some(why)),
            None => (own, None),
        };
        let aliases = ranks[rank].iter().filter(|rule| !is_own(rule));
        let with_path = own.iter().filter(|rule| self.rules[**rule].backend.is_some());
        let outcome = selection::select(with_path.map(|rule| self.ranked_candidate(*rule)).collect(), request, detail);
        let mut losers = outcome.losers;
        let of_alias =
            |rule: &usize| self.lost(*rule, "another rule has this host, so the alias has no effect".to_owned());
        losers.extend(detail.of(aliases.map(of_alias)));
        losers.extend(detail.of(dropped.iter().map(|rule| self.lost(*rule, contour::MISSING.to_owned()))));
        losers.extend(detail.of(unmet.iter().map(|(rule, why)| self.lost(*rule, why.clone()))));
        let wider = || ranks[rank + 1..].iter().flatten().copied();
        if let Some(first) = own.first() {
            let host = &self.rules[*first].host;
            losers.extend(detail.of(wider().map(|rule| self.lost(rule, format!("host {host} is more specific")))));
        }
        let has_won =
            |rule: &usize| outcome.winner.is_some_and(|winner| std::ptr::eq(&self.rules[*rule].candidate, winner.rule));
        let selected = own.iter().copied().find(has_won);
        let redirecting = Some(()).filter(|()| dialect == Dialect::F5Nginx);
        let redirecting = redirecting.and_then(|()| self.redirecting(&own, selected, request));
        let chosen = redirecting.or(selected).map(|rule| {
            let earlier = self.earlier(rule, &own, request).into_iter();
            self.apply_rule_order(rule, earlier.chain(wider()), request, &mut losers)
        });
        let owners: BTreeSet<usize> = own.iter().map(|rule| self.rules[*rule].source).collect();
        let default_backends = self
            .by_plane
            .get(plane)
            .map(|plane_ingresses| plane_ingresses.default_backends.as_slice())
            .unwrap_or_default();
        let default = dialect.default_backend(default_backends, &owners);
        losers.extend(detail.of(self.default_losers(default_backends, &owners, (chosen, default))));
        let winner = match (chosen, default) {
            (Some(rule), _) => self.chosen(rule),
            (None, Some(source)) => {
                let rule = own.iter().find(|rule| self.rules[**rule].source == source);
                self.defaulting(source, rule.copied())
            }
            (None, None) => None,
        };
        // Envoy selects the host first. Default backends are rules for every host.
        let is_widest = rank + 1 == ranks.len();
        let winner = winner.filter(|_| !is_contour || chosen.is_some() || own.is_empty() || is_widest);
        let winner = winner.filter(|winner| dialect != Dialect::Gke || !gke::is_closed(winner.source.ingress, request));
        let mut winner = winner.map(|chosen| chosen.winner(request, &self.cluster));
        let of_host = chosen.or(own.first().copied().filter(|_| dialect == Dialect::F5Nginx));
        if let (Some(winner), Some(rule)) = (&mut winner, of_host) {
            match dialect {
                Dialect::Specified => {}
                Dialect::Contour => self.apply_contour(winner, rule, &own, request),
                Dialect::F5Nginx => self.apply_f5_nginx(winner, (rule, redirecting.is_some()), &own, request),
                Dialect::Gke => self.apply_gke(winner, rule, &own, request),
                Dialect::Kong => self.apply_kong(winner, rule, &own, request),
                Dialect::Traefik => self.apply_traefik(winner, rule, &own, request),
            }
        }
        if let (Some(winner), Some(why)) = (&mut winner, doubt) {
            winner.outcome.reply = Reply::Unknown(why);
        }
        if let Some(winner) = &mut winner {
            winner.outcome.not_evaluated.extend(self.canaries(&own, chosen, request));
        }
        let reached = own.first().filter(|_| winner.is_none()).map(|rule| {
            let (object, rule) = (self.rules[*rule].candidate.object, self.rules[*rule].candidate.position[0]);
            let field = At::element("spec.rules[]", [rule]).into();
            let reason = "no path matches, and no Ingress has a default backend".to_owned();
            ReachedPoint { object: object.clone(), field, code: None, reason }
        });
        let is_verifiable = self.is_verifiable(plane, request);
        let plane = self.answering_plane(plane);
        PlaneAnswer { plane, winner, reached, is_verifiable, losers }
    }

    /// The result if a rule matches by its path.
    fn chosen(&self, rule: usize) -> Option<MatchedIngressRule<'_, 'w>> {
        let HostRule { source, host, candidate, backend, alias } = &self.rules[rule];
        let host = Some((host, candidate.position[0]));
        let source = &self.sources[*source];
        let controller = self.controller(source);
        Some(MatchedIngressRule {
            source,
            controller,
            host,
            alias: *alias,
            path: Some(candidate),
            backend: (*backend)?,
        })
    }

    /// The result if a default backend answers, with the rule whose host matches, if any.
    fn defaulting(&self, source: usize, rule: Option<usize>) -> Option<MatchedIngressRule<'_, 'w>> {
        let source = &self.sources[source];
        let host = rule.map(|rule| (&self.rules[rule].host, self.rules[rule].candidate.position[0]));
        let (controller, alias) = (self.controller(source), rule.and_then(|rule| self.rules[rule].alias));
        let backend = source.ingress.spec.default_backend.as_ref()?;
        Some(MatchedIngressRule { source, controller, host, alias, path: None, backend })
    }

    fn controller(&self, source: &Source<'w>) -> Option<&'w str> {
        self.controllers.get(source.class?).copied()
    }
}

/// The default class, which the API server sets for an Ingress without a class.
fn default_class<'w>(cluster: &Overlay<'w>) -> Class<'w> {
    let Lookup::Found(classes) = cluster.default_classes() else { return None };
    default_class::newest(classes.into_iter()).map(|class| &*class.name)
}
