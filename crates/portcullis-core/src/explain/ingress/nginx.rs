//! The answer of a data plane of ingress-nginx.

use super::super::answer::{ChainLink, Loser, PlaneAnswer, ReachedPoint, Winner};
use super::super::ingress_rules::HostRule;
use super::super::ingress_source::{ANNOTATIONS, DEFAULT_BACKEND, IngressPlane, Source};
use super::super::nginx_answer::{Answer, Decision, answer};
use super::super::not_evaluated::NotEvaluated;
use super::super::outcome::{BackendShare, Failure, Forward, Reply, RequestOutcome, TRANSPORT_SECURITY};
use super::super::request::Request;
use super::super::rewriting::PathRewrite;
use super::super::route_resolver::Detail;
use super::super::{backends, ingress_chain, not_evaluated};
use super::Ingresses;
use crate::cluster::{Lookup, Overlay};
use crate::field::{At, FieldPath};
use crate::kinds::ingress::Backend as IngressBackend;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::controller::{Controller, ControllerTraits};
use crate::matching::host::Depth;
use crate::matching::{Host, Readers};
use crate::nginx::annotations::{self, Evaluation, PREFIX};
use crate::nginx::origin::OriginField;
use crate::nginx::servers::Upstream;
use crate::nginx::{self, ControllerSettings, Location, Origin, Proxy, uri};

/// The proxy that serves these sources, if ingress-nginx does, as far as is known.
pub(super) fn proxy<'s, 'w: 's>(
    sources: impl Iterator<Item = &'s Source<'w>> + Clone,
    cluster: &Overlay<'w>,
) -> Option<Proxy<'w>> {
    let is_served = |source: &Source<'w>| {
        let class = source.served_by.or(source.class);
        class.is_some_and(|class| match cluster.ingress_class(class) {
            Lookup::Found(facts) => Controller::of(&facts.controller) == Some(Controller::IngressNginx),
            Lookup::Absent | Lookup::Unknown => {
                ControllerTraits::of_class(class).is_some_and(|known| known.controller == Controller::IngressNginx)
            }
        })
    };
    let of_proxy = |source: &Source<'w>| nginx::Source { object_ref: source.object_ref, ingress: source.ingress };
    sources
        .clone()
        .all(is_served)
        .then(|| Proxy::new(sources.map(of_proxy).collect(), ControllerSettings::known(cluster), cluster))
}

impl<'w> Ingresses<'w> {
    /// The answer of `proxy`. `ranks` are the rules for the host of the request, as for [`Self::verdict`].
    pub(super) fn nginx_verdict(
        &self,
        (plane, proxy): (&IngressPlane<'w>, &Proxy<'w>),
        ranks: &[Vec<usize>; 3],
        request: &Request,
        detail: Detail,
    ) -> PlaneAnswer {
        let answer = answer(proxy, &self.cluster, request);
        let rules: Vec<usize> = ranks.iter().flatten().copied().collect();
        let winner = self.nginx_winner((plane, proxy), &answer, &rules, request);
        let reached = winner.is_none().then(|| nginx_reached(proxy, &answer)).flatten();
        let has_won =
            |loser: &Loser| winner.as_ref().is_some_and(|won| won.object == loser.object && won.field == loser.field);
        let losers = rules.iter().map(|rule| self.nginx_loser(proxy, &answer, (*rule, &rules), request));
        let losers = detail.of(losers.filter(|loser| !has_won(loser)));
        let is_verifiable = self.is_verifiable(plane, request);
        let plane = self.answering_plane(plane);
        PlaneAnswer { plane, winner, reached, is_verifiable, losers }
    }

    /// The rule that answers; `None` if only nginx itself or the default backend of the controller does.
    fn nginx_winner(
        &self,
        (plane, proxy): (&IngressPlane<'w>, &Proxy<'w>),
        answer: &Answer<'_, 'w>,
        rules: &[usize],
        request: &Request,
    ) -> Option<Winner> {
        let origin = answer.location.and_then(|location| location.origin);
        let because = answer.because.map(|(source, annotation)| (proxy.sources[source], annotation));
        let is_of_nginx = matches!(answer.decision, Decision::Response(..)) && answer.because.is_none();
        let has_backend = answer.location.is_some_and(|location| location.backend.is_some());
        if is_of_nginx && !has_backend {
            return None;
        }
        let (object, field) = match (origin, because) {
            (Some(origin), _) => (proxy.sources[origin.source].object_ref, field(origin)),
            (None, Some((source, annotation))) => (source.object_ref, annotation_field(annotation)),
            (None, None) => return None,
        };
        let source = &self.sources[*self.by_plane.get(plane)?.sources.get(object)?];
        let mut chain = vec![ingress_chain::class(source, self.controller(source), &self.cluster)];
        let link = |field: FieldPath, message: String| ChainLink { object: object.clone(), field, message };
        if let Some(server) = answer.server {
            chain.push(nginx_host(proxy, server, (object, origin), request));
        }
        if let Some(location) = answer.location {
            chain.push(link(field.clone(), self.nginx_path(proxy, answer, location, rules)));
        }
        chain.extend(because.map(|(source, annotation)| nginx_cause(proxy, answer, source, annotation)));
        let reply = match &answer.decision {
            Decision::Redirect(code, location) => Reply::Redirect { code: *code, location: location.clone() },
            Decision::Response(503, _) if because.is_none() => {
                self.nginx_forward(proxy, answer, request, &mut chain)?
            }
            Decision::Response(code, message) => {
                Reply::Response { code: Some(*code), message: message.clone(), headers: Vec::new() }
            }
            Decision::Unknown(why) => Reply::Unknown(why.clone()),
            Decision::Fallback(name) => {
                let place = object.namespace.as_str();
                let message = "answers, since the backend has no endpoints".to_owned();
                let service = ObjectRef::new(Kind::Service, place, name);
                chain.push(ChainLink { object: service, field: FieldPath::default(), message });
                let forward =
                    Forward::unchanged(vec![BackendShare::of_service(name, place, None)], Failure::Code(503), request);
                Reply::Forward(Box::new(forward))
            }
            Decision::Forward { .. } => self.nginx_forward(proxy, answer, request, &mut chain)?,
        };
        let mut named =
            not_evaluated::annotations(&source.ingress.metadata.annotations, Readers::Only(Controller::IngressNginx));
        named.retain(|named| match named {
            NotEvaluated::Annotation(key) => key.strip_prefix(PREFIX).is_none_or(may_change_answer),
            _ => true,
        });
        let guards = answer.guards.iter();
        named.extend(guards.map(|guard| NotEvaluated::Guard(guard.origin.clone(), guard.codes.clone())));
        let of_controller = proxy.controller.not_evaluated.iter();
        named.extend(of_controller.map(|key| NotEvaluated::Other(format!("setting {key} of the controller"))));
        let outcome = RequestOutcome { reply, not_evaluated: named, by_origin: Vec::new() };
        let is_default = origin.is_some_and(|origin| !matches!(origin.field, OriginField::Path(_)));
        Some(Winner { object: object.clone(), field, is_default, outcome, chain })
    }

    /// The backends of the location, with the share of a canary.
    fn nginx_forward(
        &self,
        proxy: &Proxy<'w>,
        answer: &Answer<'_, 'w>,
        request: &Request,
        chain: &mut Vec<ChainLink>,
    ) -> Option<Reply> {
        let primary = answer.location?.backend?;
        let services = |upstream: &Upstream<'w>, source: usize| {
            let backend = IngressBackend { service: Some(upstream.service.clone()), resource: None };
            backends::of_ingress(&backend, proxy.sources[source].object_ref, &self.cluster)
        };
        let (mut shares, links) = services(&proxy.upstreams[primary], answer.location?.origin?.source);
        chain.extend(links);
        let canary =
            proxy.canary_of(primary).map(|(upstream, source, canary)| (services(upstream, source), source, canary));
        if let Some(((canaries, links), source, canary)) = canary
            && canaries.iter().chain(&shares).all(|backend| backend.may_answer)
        {
            let share = canary.share_of(&request.headers);
            shares.iter_mut().for_each(|backend| backend.share = 1.0 - share);
            shares.extend(canaries.into_iter().map(|backend| BackendShare { share, ..backend }));
            let object = proxy.sources[source].object_ref.clone();
            chain.push(ChainLink {
                object,
                field: annotation_field("canary"),
                message: "receives a share of the requests as a canary".to_owned(),
            });
            chain.extend(links);
        }
        let mut forward = Forward::unchanged(shares, Failure::Code(503), request);
        if request.is_secure && proxy.has_certificate(&request.host) {
            let value = proxy.controller.transport_security.iter();
            forward.response_headers.set.extend(value.map(|value| (TRANSPORT_SECURITY.to_owned(), value.clone())));
        }
        if let Decision::Forward { path, rewrite, host } = &answer.decision {
            if *rewrite != PathRewrite::None {
                forward.request.rewrite(path.clone(), rewrite.clone());
            }
            if let Some(host) = host {
                (*host).clone_into(&mut forward.request.host);
            }
        }
        Some(Reply::Forward(Box::new(forward)))
    }

    /// The condition of a location on the path, as text.
    fn nginx_path(
        &self,
        proxy: &Proxy<'w>,
        answer: &Answer<'_, 'w>,
        location: &Location<'w>,
        rules: &[usize],
    ) -> String {
        if answer.server.is_some_and(|server| server.locations.are_expressions()) {
            return format!("path pattern {}", location.path);
        }
        let is_own = |rule: &&usize| {
            let candidate = &self.rules[**rule].candidate;
            location.origin.is_some_and(|origin| {
                origin.field == OriginField::Path(candidate.position)
                    && proxy.sources[origin.source].object_ref == candidate.object
            })
        };
        let own = rules.iter().find(is_own);
        own.map_or_else(|| format!("path prefix {}", location.path), |rule| self.rules[*rule].candidate.path_in_words())
    }

    /// Why a rule does not answer.
    fn nginx_loser(
        &self,
        proxy: &Proxy<'w>,
        answer: &Answer<'_, 'w>,
        (rule, rules): (usize, &[usize]),
        request: &Request,
    ) -> Loser {
        let HostRule { host, candidate, alias, .. } = &self.rules[rule];
        let source = proxy.sources.iter().position(|source| source.object_ref == candidate.object);
        let settings = source.map(|source| &proxy.settings[source]);
        let named = host.to_string();
        let reason = match (settings, answer.server) {
            (Some(settings), _) if let Some(annotation) = settings.rejected => {
                format!("ingress-nginx ignores the Ingress because of its annotation {PREFIX}{annotation}")
            }
            (Some(settings), _) if settings.canary.is_some() => {
                "is a canary, whose paths are those of another Ingress".to_owned()
            }
            (_, Some(server)) if alias.is_some() && server.host == named => {
                "another rule has this host, so the alias has no effect".to_owned()
            }
            (_, Some(server))
                if alias.is_none() && server.host != named && (server.host != "_" || *host != Host::Any) =>
            {
                format!("host {} is more specific", server.host)
            }
            (_, Some(server)) => self.nginx_reason(proxy, server, answer, (rule, rules), request),
            (_, None) => "no location is selected".to_owned(),
        };
        self.lost(rule, reason)
    }

    /// Why the location of a path is not selected.
    fn nginx_reason(
        &self,
        proxy: &Proxy<'w>,
        server: &nginx::Server<'w>,
        answer: &Answer<'_, 'w>,
        (rule, rules): (usize, &[usize]),
        request: &Request,
    ) -> String {
        let candidate = &self.rules[rule].candidate;
        let is_own = |location: &&Location<'w>| {
            let origin = location.origin.filter(|origin| origin.field == OriginField::Path(candidate.position));
            origin.is_some_and(|origin| proxy.sources[origin.source].object_ref == candidate.object)
        };
        if !server.locations.all().iter().any(|location| is_own(&location)) {
            let same = |location: &&Location<'w>| {
                location.path.trim_end_matches('/') == candidate.spelling.trim_end_matches('/')
            };
            let first = server.locations.all().iter().find(same).and_then(|location| location.origin);
            return match first.map(|origin| proxy.sources[origin.source].object_ref) {
                Some(object) if object == candidate.object => {
                    "an earlier rule of the Ingress has the same path".to_owned()
                }
                Some(object) => format!("{object} has the same path, and ingress-nginx reads it first"),
                None => "ingress-nginx serves no such path".to_owned(),
            };
        }
        let path = uri::normalize(&request.path).unwrap_or_default();
        let matching = server.locations.matching(&path).find(is_own);
        match (matching, answer.location) {
            (Some(own), Some(selected)) if selected.path.len() > own.path.len() => {
                format!("{} is longer", self.nginx_path(proxy, answer, selected, rules))
            }
            (Some(_), Some(selected)) => {
                format!("{} is evaluated first", self.nginx_path(proxy, answer, selected, rules))
            }
            (Some(_), None) => "nginx answers before it selects a path".to_owned(),
            (None, _) if server.locations.are_expressions() => format!("path pattern {}", candidate.spelling),
            (None, _) => candidate.path_in_words(),
        }
    }
}

/// The step to the host of the server, from an Ingress and the field of the location.
fn nginx_host<'w>(
    proxy: &Proxy<'w>,
    server: &nginx::Server<'w>,
    (object, origin): (&ObjectRef, Option<Origin>),
    request: &Request,
) -> ChainLink {
    let is_named = server.host == "_" || Host::parse(server.host).matches(&request.host, Depth::OneLabel);
    if let Some(source) = server.aliased_by.filter(|_| !is_named) {
        let message = format!("host {}, an alias of {}", request.host, server.host);
        let object = proxy.sources[source].object_ref.clone();
        return ChainLink { object, field: annotation_field("server-alias"), message };
    }
    let field = match origin.map(|origin| origin.field) {
        Some(OriginField::Path([rule, _]) | OriginField::Root(rule)) => At::element("spec.rules[]", [rule]).into(),
        Some(OriginField::DefaultBackend) | None => FieldPath::default(),
    };
    let message = if server.host == "_" { "every host".to_owned() } else { format!("host {}", server.host) };
    ChainLink { object: object.clone(), field, message }
}

/// The step to what decides: an annotation of an Ingress, or what counts without it.
fn nginx_cause<'w>(
    proxy: &Proxy<'w>,
    answer: &Answer<'_, 'w>,
    source: nginx::Source<'w>,
    annotation: &str,
) -> ChainLink {
    let written = annotations::find(annotation, source.ingress).map(|(_, value)| value);
    let certified_by = answer.server.and_then(|server| server.certified_by).map(|index| proxy.sources[index]);
    let (source, field, message) = match (written, certified_by) {
        (Some(value), _) => (source, annotation_field(annotation), format!("is {value}")),
        (None, Some(certified)) if annotation == "ssl-redirect" => {
            let message = "the host has a certificate, so plain HTTP is redirected".to_owned();
            (certified, At::field("spec.tls").into(), message)
        }
        (None, _) => (
            source,
            FieldPath::default(),
            format!("{annotation} applies by default or by the configuration of the controller"),
        ),
    };
    ChainLink { object: source.object_ref.clone(), field, message }
}

/// How far a request gets that only nginx itself answers.
fn nginx_reached(proxy: &Proxy<'_>, answer: &Answer<'_, '_>) -> Option<ReachedPoint> {
    let Decision::Response(code, reason) = &answer.decision else { return None };
    let location = answer.location.or(answer.server?.locations.all().iter().find(|location| location.origin.is_some()));
    let origin = location?.origin?;
    let object = proxy.sources[origin.source].object_ref.clone();
    let field = match origin.field {
        OriginField::Path([rule, _]) | OriginField::Root(rule) => At::element("spec.rules[]", [rule]).into(),
        OriginField::DefaultBackend => At::field(DEFAULT_BACKEND).into(),
    };
    Some(ReachedPoint { object, field, code: Some(*code), reason: reason.clone() })
}

fn field(origin: Origin) -> FieldPath {
    match origin.field {
        OriginField::Path(indexes) => At::element("spec.rules[].http.paths[]", indexes).into(),
        OriginField::Root(rule) => At::element("spec.rules[]", [rule]).into(),
        OriginField::DefaultBackend => At::field(DEFAULT_BACKEND).into(),
    }
}

fn annotation_field(name: &str) -> FieldPath {
    At::field(ANNOTATIONS).key(&format!("{PREFIX}{name}"))
}

/// Whether explain does not evaluate an annotation that may change the answer.
fn may_change_answer(name: &str) -> bool {
    annotations::named(name).is_some_and(|known| known.evaluation == Evaluation::Named)
}
