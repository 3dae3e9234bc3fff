//! The chain of a route: GatewayClass, Gateway, listener, rule and backends.

use super::answer::{ChainLink, Winner};
use super::attached::AttachedRoute;
use super::candidate::{Candidate, RankedCandidate};
use super::not_evaluated::NotEvaluated;
use super::outcome::{BackendShare, RequestOutcome};
use super::request::Request;
use super::route_outcome::MatchedRule;
use super::sites::{self, GatewayListener};
use super::{backends, filters, not_evaluated};
use crate::cluster::{Lookup, Overlay};
use crate::config::Config;
use crate::field::{At, FieldPath};
use crate::kinds::filter::BackendRef;
use crate::kinds::filter::Filter;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::PathTest;
use crate::routing::controllers;

/// The winning rule with its chain, for the listener `site` that the request reached.
pub(super) fn winner(
    won: &RankedCandidate<'_, '_>,
    attached: &AttachedRoute<'_>,
    (index, site): (usize, &GatewayListener<'_>),
    request: &Request,
    (cluster, config): (&Overlay<'_>, &Config),
) -> Winner {
    let (rule, object_ref) = (won.rule, &attached.facts.object_ref);
    let link = |field: At, message: String| ChainLink { object: object_ref.clone(), field: field.into(), message };
    let mut chain = entrance(site, matches!(rule.path, PathTest::Pattern(_)), cluster);
    if let Some((_, reference)) = attached.sites.iter().find(|(own, _)| *own == index) {
        let at = match reference {
            Some(reference) => At::element("spec.parentRefs[]", [*reference]),
            None => At::field("spec.useDefaultGateways"),
        };
        chain.push(link(at, format!("attached to listener {}", site.listener.name)));
    }
    if let Some(host) = attached.facts.hosts.iter().position(|host| host == won.host) {
        chain.push(link(At::element("spec.hostnames[]", [host]), format!("host {}", won.host)));
    }
    chain.push(link(rule.field, describe_conditions(rule)));
    let (of_rule, references): (&[Filter<'_>], &[BackendRef<'_>]) =
        attached.route.filtered(rule.position[0]).unwrap_or_default();
    let of_rule_at = |at| At::element("spec.rules[].filters[]", [rule.position[0], at]);
    chain.extend((0..).zip(of_rule).map(|(at, filter)| link(of_rule_at(at), filters::describe(filter))));
    let matched = MatchedRule { route: attached.route, object_ref, candidate: rule, site };
    let mut backends = Vec::new();
    if !of_rule.iter().any(filters::answers) && matched.preflight_reply(request).is_none() {
        let is_own = sites::is_own(site.gateway, cluster, &config.status);
        let (shares, links) = backends::of_rule(attached, rule.position[0], is_own, cluster);
        chain.extend(links);
        chain.extend(backend_filters(references, rule.position[0]).map(|(at, message)| link(at, message)));
        if shares.iter().all(|backend| backend.share == 0.0) {
            let at = At::element("spec.rules[].backendRefs", [rule.position[0]]);
            let answer = backends::failure(&attached.route).message();
            chain.push(link(at, format!("no backend has a weight above 0: {answer}")));
        }
        backends = shares;
    }
    let mut outcome = matched.outcome(backends, request);
    let readers = controllers::of_listeners(&site.gateway.object_ref, cluster);
    outcome.not_evaluated.extend(client_validation(site, request));
    outcome.not_evaluated.extend(external_names(&outcome, cluster));
    outcome.not_evaluated.extend(not_evaluated::annotations(&attached.route.metadata().annotations, readers));
    Winner { object: object_ref.clone(), field: rule.field.into(), is_default: false, outcome, chain }
}

/// The Services that are aliases of other hosts, which implementations should not support (BackendObjectReference).
fn external_names(outcome: &RequestOutcome, cluster: &Overlay<'_>) -> Vec<NotEvaluated> {
    let is_external = |backend: &&BackendShare| match cluster.service(&backend.namespace, &backend.name) {
        Lookup::Found(facts) => backend.kind == "Service" && facts.external,
        Lookup::Absent | Lookup::Unknown => false,
    };
    let external = outcome.backends().iter().filter(is_external);
    external
        .map(|backend| NotEvaluated::Other(format!("ExternalName Service {}/{}", backend.namespace, backend.name)))
        .collect()
}

/// The validation of client certificates of the Gateway, which may refuse a connection.
fn client_validation(site: &GatewayListener<'_>, request: &Request) -> Option<NotEvaluated> {
    let settings = site.gateway.settings.as_ref().filter(|_| request.is_secure)?;
    let is_validated = !settings.authorities_on(site.listener.port).is_empty();
    let field = At::field("spec.tls.frontend").into();
    is_validated.then(|| NotEvaluated::FieldOf(site.gateway.object_ref.clone(), field))
}

/// The filters of the backends of rule number `rule`, each described, with its address.
fn backend_filters(references: &[BackendRef<'_>], rule: usize) -> impl Iterator<Item = (At, String)> {
    (0..).zip(references).flat_map(move |(backend, reference)| {
        let at = move |index| At::element("spec.rules[].backendRefs[].filters[]", [rule, backend, index]);
        (0..).zip(&reference.filters).map(move |(index, filter)| (at(index), filters::describe(filter)))
    })
}

/// The first steps of the chain: the class, the Gateway if the listener belongs to a ListenerSet, and the listener.
fn entrance(site: &GatewayListener<'_>, is_expression: bool, cluster: &Overlay<'_>) -> Vec<ChainLink> {
    let link =
        |object: &ObjectRef, field: FieldPath, message: String| ChainLink { object: object.clone(), field, message };
    let class = ObjectRef::new(Kind::GatewayClass, "", &site.gateway.class);
    let message = match cluster.gateway_class(&site.gateway.class) {
        Lookup::Found(facts) => match site.dialect.reach_message().filter(|_| is_expression) {
            Some(reach) => format!("controller {}: {reach}, by its source", facts.controller),
            None => format!("controller {}", facts.controller),
        },
        Lookup::Absent => "the class does not exist".to_owned(),
        Lookup::Unknown => "it is not known whether the class exists".to_owned(),
    };
    let mut chain = vec![link(&class, FieldPath::default(), message)];
    if site.holder.object_ref != site.gateway.object_ref {
        chain.push(link(
            &site.gateway.object_ref,
            FieldPath::default(),
            format!("includes {}", site.holder.object_ref),
        ));
    }
    let at = At::element("spec.listeners[]", [site.index]);
    chain.push(link(&site.holder.object_ref, at.into(), site.describe()));
    chain
}

/// Describes all conditions of a rule.
pub(super) fn describe_conditions(rule: &Candidate<'_>) -> String {
    let mut conditions = vec![rule.path.to_string()];
    conditions.extend(rule.method.map(|method| format!("method {method}")));
    conditions.extend(rule.headers.iter().map(|header| format!("header {}: {}", header.name, header.wanted())));
    conditions.extend(rule.query.iter().map(|query| format!("query {}={}", query.name, query.wanted())));
    conditions.join(", ")
}
