//! What a rule of an HTTPRoute, a GRPCRoute or a layer 4 route does with a request.

use super::backends::{failure, target_of};
use super::candidate::Candidate;
use super::cors;
use super::not_evaluated::NotEvaluated;
use super::outcome::{BackendShare, Forward, ForwardedRequest, HeaderChanges, Reply, RequestOutcome};
use super::request::Request;
use super::rewriting::{PathRewrite, default_port, location, with_prefix_replaced};
use super::sites::GatewayListener;
use crate::field::At;
use crate::kinds::filter::{BackendRef, Cors, Filter, HeaderModifier, PathModifier, RequestMirror, RequestRedirect};
use crate::kinds::{ObjectRef, Route};
use crate::matching::{PathTest, PathType};

/// Why a path that replaces a prefix is not known.
const NO_PREFIX: &str = "ReplacePrefixMatch requires a PathPrefix match";

/// The rule of a route that answers a request.
pub(super) struct MatchedRule<'c, 'w> {
    pub(super) route: Route<'w, 'w>,
    pub(super) object_ref: &'w ObjectRef,
    /// The match, whose position selects the rule.
    pub(super) candidate: &'c Candidate<'w>,
    /// The listener that the request reached.
    pub(super) site: &'c GatewayListener<'w>,
}

impl MatchedRule<'_, '_> {
    /// The reply of the gateway itself, if `request` is a preflight request and a filter answers it.
    pub(super) fn preflight_reply(&self, request: &Request) -> Option<Reply> {
        cors::preflight_reply(self.cors()?, request)
    }

    /// What the rule does with `request`, given its `backends` in the order of the references.
    pub(super) fn outcome(&self, mut backends: Vec<BackendShare>, request: &Request) -> RequestOutcome {
        let (filters, references) = self.route.filtered(self.candidate.position[0]).unwrap_or_default();
        let only = only_backend(references);
        if only.is_none() {
            backends.iter_mut().zip(references).for_each(|(backend, own)| change_headers(backend, &own.filters));
        }
        let redirect = filters.iter().find_map(Filter::redirect);
        let reply = self.preflight_reply(request).unwrap_or_else(|| match redirect {
            Some(redirect) => self.redirected(redirect, request),
            None => self.forwarded(filters, only.map_or(&[], |backend| &backend.filters), backends, request),
        });
        // The headers of the response to a cross-origin request are not part of a redirect.
        let has_cors_headers = |cors| !cors::response_headers(cors, request).is_empty();
        let lacks_headers = matches!(reply, Reply::Redirect { .. }) && self.cors().is_some_and(has_cors_headers);
        let (mut not_evaluated, mut by_origin) = (Vec::new(), Vec::new());
        for (index, filter) in (0..).zip(filters) {
            let at = At::element("spec.rules[].filters[]", [self.candidate.position[0], index]);
            match self.cors().is_some() && filter.cors().is_some() {
                true if lacks_headers => not_evaluated.push(named(filter, at)),
                true => by_origin.push(named(filter, at)),
                false => not_evaluated.extend(unevaluated(filter, at)),
            }
        }
        for (backend, reference) in (0..).zip(references) {
            let unevaluated = (0..).zip(&reference.filters).filter(|(_, filter)| !changes_headers(filter));
            not_evaluated.extend(unevaluated.map(|(index, filter)| {
                let position = [self.candidate.position[0], backend, index];
                named(filter, At::element("spec.rules[].backendRefs[].filters[]", position))
            }));
        }
        not_evaluated.extend(self.unevaluated_fields());
        RequestOutcome { reply, not_evaluated, by_origin }
    }

    /// The settings for cross-origin requests. Only an HTTPRoute has them.
    fn cors(&self) -> Option<&Cors<'_>> {
        let (filters, _) = self.route.filtered(self.candidate.position[0])?;
        filters.iter().find_map(Filter::cors).filter(|_| matches!(self.route, Route::Http(_)))
    }

    /// The redirect that the client gets (HTTPRequestRedirectFilter): absent parts are those of the request. A port that is
    /// not written is the default of a written scheme, or else that of the listener.
    fn redirected(&self, redirect: &RequestRedirect<'_>, request: &Request) -> Reply {
        let Ok(path) = self.path(redirect.path.as_ref(), request) else { return Reply::Unknown(NO_PREFIX.to_owned()) };
        let scheme = redirect.scheme.as_deref().unwrap_or(request.scheme());
        let written = redirect.port.and_then(|port| u16::try_from(port).ok());
        let of_listener = self.site.listener.port.and_then(|port| u16::try_from(port).ok());
        let port = match (written, &redirect.scheme) {
            (Some(port), _) => port,
            (None, Some(_)) => default_port(scheme),
            (None, None) => of_listener.unwrap_or(request.port),
        };
        let host = redirect.hostname.as_deref().unwrap_or(&request.host);
        let code = redirect.status_code.and_then(|code| u16::try_from(code).ok()).unwrap_or(302);
        Reply::Redirect { code, location: location(scheme, host, port, &path, request) }
    }

    /// What the backends get after `filters`, and after those `of_backend` that change headers.
    fn forwarded(
        &self,
        filters: &[Filter<'_>],
        of_backend: &[Filter<'_>],
        backends: Vec<BackendShare>,
        request: &Request,
    ) -> Reply {
        let mut forwarded = ForwardedRequest::of(request);
        if let Some(rewrite) = filters.iter().find_map(Filter::rewrite) {
            let Ok(path) = self.path(rewrite.path.as_ref(), request) else {
                return Reply::Unknown(NO_PREFIX.to_owned());
            };
            forwarded.rewrite(path, self.rewrite(rewrite.path.as_ref()));
            forwarded.host = rewrite.hostname.as_deref().unwrap_or(&request.host).to_owned();
        }
        let modifiers = || filters.iter().chain(of_backend);
        for modifier in modifiers().filter_map(Filter::request_headers) {
            forwarded.change_headers(&changes(modifier));
        }
        let mut response_headers = HeaderChanges::default();
        modifiers().filter_map(Filter::response_headers).for_each(|own| response_headers.extend(changes(own)));
        let mirrors = filters.iter().filter_map(Filter::mirror).map(|mirror| self.mirror(mirror)).collect();
        let failure = failure(&self.route);
        Reply::Forward(Box::new(Forward {
            backends,
            failure,
            request: forwarded,
            cors_headers: self.cors().map(|cors| cors::response_headers(cors, request)).unwrap_or_default(),
            response_headers,
            mirrors,
            timeouts: self.timeouts(),
        }))
    }

    /// The path of `request` after a change; fails if it replaces a prefix and the rule matches none.
    fn path(&self, modifier: Option<&PathModifier<'_>>, request: &Request) -> Result<String, ()> {
        let Some(modifier) = modifier else { return Ok(request.path.clone()) };
        match (&modifier.replace_full_path, &modifier.replace_prefix_match, &self.candidate.path) {
            (Some(full), _, _) if &*modifier.kind == "ReplaceFullPath" => Ok(full.to_string()),
            (_, Some(prefix), PathTest::Path(path)) if path.kind == PathType::Prefix => {
                Ok(with_prefix_replaced(&request.path, &path.text, prefix))
            }
            (_, Some(_), _) => Err(()),
            (_, None, _) => Ok(request.path.clone()),
        }
    }

    /// How a modifier changes paths.
    fn rewrite(&self, modifier: Option<&PathModifier<'_>>) -> PathRewrite {
        let Some(modifier) = modifier else { return PathRewrite::None };
        match (&modifier.replace_full_path, &modifier.replace_prefix_match, &self.candidate.path) {
            (Some(full), _, _) if &*modifier.kind == "ReplaceFullPath" => PathRewrite::Constant(full.to_string()),
            (_, Some(prefix), PathTest::Path(path)) => PathRewrite::of_prefix(&path.text, prefix),
            _ => PathRewrite::None,
        }
    }

    fn mirror(&self, mirror: &RequestMirror<'_>) -> BackendShare {
        let of = |numerator: i64, denominator: i64| numerator as f64 / denominator.max(1) as f64;
        let fraction = mirror.fraction.as_ref();
        let fraction = fraction.map(|own| of(own.numerator.unwrap_or_default(), own.denominator.unwrap_or(100)));
        let share = fraction.or(mirror.percent.map(|percent| of(percent, 100))).unwrap_or(1.0);
        BackendShare { share, ..target_of(&mirror.backend_ref, &self.object_ref.namespace) }
    }

    fn timeouts(&self) -> Vec<(&'static str, String)> {
        let Route::Http(route) = self.route else { return Vec::new() };
        let timeouts = route.spec.rules().get(self.candidate.position[0]).and_then(|rule| rule.timeouts.as_ref());
        let written = timeouts.map(|own| [("request", &own.request), ("backendRequest", &own.backend_request)]);
        let written = written.into_iter().flatten();
        let mut all: Vec<_> = written.filter_map(|(name, value)| Some((name, value.as_ref()?.to_string()))).collect();
        if !all.iter().any(|(name, _)| *name == "request") {
            all.extend(self.site.dialect.timeout.map(|timeout| ("request", timeout.to_owned())));
        }
        all
    }

    /// The fields of the rule that are not evaluated.
    fn unevaluated_fields(&self) -> Vec<NotEvaluated> {
        let index = self.candidate.position[0];
        let (retries, persists) = match self.route {
            Route::Http(route) => route
                .spec
                .rules()
                .get(index)
                .map_or((false, false), |rule| (rule.retry.is_some(), rule.session_persistence.is_some())),
            Route::Grpc(route) => {
                (false, route.spec.rules.get(index).is_some_and(|rule| rule.session_persistence.is_some()))
            }
            Route::L4(..) => (false, false),
        };
        let fields = [("spec.rules[].retry", retries), ("spec.rules[].sessionPersistence", persists)];
        let at = |field| NotEvaluated::Field(At::element(field, [index]).into());
        fields.into_iter().filter(|(_, is_set)| *is_set).map(|(field, _)| at(field)).collect()
    }
}

/// The backend that gets all requests, if only one has a weight. Its filters are then as those of the rule.
fn only_backend<'r, 'a>(references: &'r [BackendRef<'a>]) -> Option<&'r BackendRef<'a>> {
    let mut weighted = references.iter().filter(|backend| backend.weight.is_none_or(|weight| weight > 0));
    weighted.next().filter(|_| weighted.next().is_none())
}

/// Adds what the filters of one of several backends do to headers.
fn change_headers(backend: &mut BackendShare, filters: &[Filter<'_>]) {
    for filter in filters {
        backend.request_headers.extend(filter.request_headers().map(changes).unwrap_or_default());
        backend.response_headers.extend(filter.response_headers().map(changes).unwrap_or_default());
    }
}

/// Whether a filter of a backend only changes headers.
fn changes_headers(filter: &Filter<'_>) -> bool {
    filter.request_headers().is_some() || filter.response_headers().is_some()
}

/// The filter at `at`, if explain does not evaluate it.
fn unevaluated(filter: &Filter<'_>, at: At) -> Option<NotEvaluated> {
    let is_evaluated = filter.redirect().is_some()
        || filter.rewrite().is_some()
        || filter.request_headers().is_some()
        || filter.response_headers().is_some()
        || filter.mirror().is_some();
    (!is_evaluated).then(|| named(filter, at))
}

fn named(filter: &Filter<'_>, at: At) -> NotEvaluated {
    NotEvaluated::Filter { kind: filter.kind.to_string(), at: at.into() }
}

fn changes(modifier: &HeaderModifier<'_>) -> HeaderChanges {
    let pairs = |headers: &[crate::kinds::filter::HeaderValue<'_>]| -> Vec<(String, String)> {
        headers.iter().map(|header| (header.name.to_ascii_lowercase(), header.value.to_string())).collect()
    };
    let remove = modifier.remove.iter().map(|name| name.to_ascii_lowercase()).collect();
    HeaderChanges { set: pairs(&modifier.set), add: pairs(&modifier.add), remove }
}
