//! What a route of an HTTPProxy or an IngressRoute does with a request, as Contour and Envoy do it.

use std::borrow::Cow;

use super::candidate::Candidate;
use super::not_evaluated::NotEvaluated;
use super::outcome::{BackendShare, Failure, Forward, ForwardedRequest, HeaderChanges, Port, Reply};
use super::request::Request;
use super::rewriting::{PathRewrite, default_port, location, with_prefix_replaced};
use crate::field::{At, FieldPath};
use crate::kinds::http_proxy::{HeadersPolicy, ProxyRoute, ProxyService, RedirectPolicy, ReplacePrefix};
use crate::kinds::ingress_route::{PathRoute, WeightedService};
use crate::matching::{PathTest, PathType};

/// What Contour answers if no Service is left.
pub(super) const NO_SERVICE: u16 = 503;

/// What a route does with a request.
#[derive(Clone)]
pub(super) enum RouteAction<'w> {
    /// It sends it to Services.
    Services(RouteServices<'w>),
    /// It answers with a redirect.
    Redirect(&'w RedirectPolicy<'w>),
    /// It answers with this status code, if it is known; the text says why.
    Response(Option<u16>, String),
}

/// The name, the port and the weight of a Service.
pub(super) type RouteService<'w> = (&'w str, Option<i64>, Option<i64>);

/// The Services of a route in the namespace of its object, and how requests are changed on their way.
#[derive(Clone, Default)]
pub(super) struct RouteServices<'w> {
    pub(super) all: Vec<RouteService<'w>>,
    mirrors: Vec<RouteService<'w>>,
    rewrite: Rewrite<'w>,
    request_headers: Option<&'w HeadersPolicy<'w>>,
    response_headers: Option<&'w HeadersPolicy<'w>>,
    timeouts: Vec<(&'static str, String)>,
}

/// How a route changes the path.
#[derive(Clone, Default)]
enum Rewrite<'w> {
    #[default]
    None,
    /// The matched prefix is replaced, element by element.
    Prefix(&'w str),
    /// The text of the matched prefix is replaced, whatever follows it.
    Text(Cow<'w, str>),
}

impl RouteAction<'_> {
    /// What two routes do that replace the prefix without a slash at its end, and with one; `None` if it replaces nothing.
    pub(super) fn with_and_without_slash(&self) -> Option<[Self; 2]> {
        let Self::Services(services @ RouteServices { rewrite: Rewrite::Text(text), .. }) = self else { return None };
        let base = text.trim_end_matches('/');
        let plain = if base.is_empty() { "/" } else { base };
        let variant =
            |text: String| Self::Services(RouteServices { rewrite: Rewrite::Text(text.into()), ..services.clone() });
        Some([variant(plain.to_owned()), variant(format!("{base}/"))])
    }

    /// What it does with `request`, given the backends of its Services and what is answered if none can.
    pub(super) fn reply(
        &self,
        candidate: &Candidate<'_>,
        backends: (Vec<BackendShare>, Failure),
        request: &Request,
    ) -> Reply {
        match self {
            Self::Services(services) => services.reply(candidate, backends, request),
            Self::Redirect(policy) => redirected(policy, candidate, request),
            Self::Response(code, message) => {
                Reply::Response { code: *code, message: message.clone(), headers: Vec::new() }
            }
        }
    }
}

impl<'w> RouteServices<'w> {
    /// Services that receive whole connections.
    pub(super) fn of_connections(services: impl IntoIterator<Item = RouteService<'w>>) -> Self {
        Self { all: services.into_iter().collect(), ..Self::default() }
    }

    /// The changes to a request that matches `candidate`; fails if the new path is not known.
    fn forwarded(&self, candidate: &Candidate<'_>, request: &Request) -> Option<ForwardedRequest> {
        let mut forwarded = ForwardedRequest::of(request);
        match (&self.rewrite, &candidate.path) {
            (Rewrite::None, _) => {}
            (Rewrite::Text(replacement), PathTest::Begins(matched)) => {
                let rest = request.path.strip_prefix(&**matched).unwrap_or_default();
                forwarded.rewrite(format!("{replacement}{rest}"), PathRewrite::of_text(matched, replacement));
            }
            (Rewrite::Prefix(replacement), PathTest::Begins(matched)) => {
                let path = with_prefix_replaced(&request.path, matched, replacement);
                forwarded.rewrite(path, PathRewrite::of_prefix(matched, replacement));
            }
            (Rewrite::Prefix(_) | Rewrite::Text(_), _) => return None,
        }
        forwarded.change_headers(&changes(self.request_headers));
        Some(forwarded)
    }

    fn reply(
        &self,
        candidate: &Candidate<'_>,
        (backends, failure): (Vec<BackendShare>, Failure),
        request: &Request,
    ) -> Reply {
        let Some(forwarded) = self.forwarded(candidate, request) else { return Reply::Unknown(NO_PREFIX.to_owned()) };
        let namespace = &candidate.object.namespace;
        let mirror = |(name, port, weight): &RouteService<'_>| BackendShare {
            share: weight.filter(|weight| *weight > 0).unwrap_or(100) as f64 / 100.0,
            ..BackendShare::of_service(name, namespace, port.map(Port::Number))
        };
        Reply::Forward(Box::new(Forward {
            backends,
            failure,
            request: forwarded,
            cors_headers: Vec::new(),
            response_headers: changes(self.response_headers),
            mirrors: self.mirrors.iter().map(mirror).collect(),
            timeouts: self.timeouts.clone(),
        }))
    }
}

/// Why a new path is not known.
const NO_PREFIX: &str = "the route replaces a prefix and matches a regular expression";

/// What the route at `at` of an HTTPProxy does with requests for `path`, and what of it explain does not evaluate.
pub(super) fn of_proxy<'w>(
    route: &'w ProxyRoute<'w>,
    at: At,
    path: &PathTest<'_>,
) -> (RouteAction<'w>, Vec<NotEvaluated>) {
    let at = FieldPath::from(at);
    let field = |name| NotEvaluated::Field(at.clone().then(name));
    let mut not_evaluated: Vec<NotEvaluated> = route.policies().map(field).collect();
    let has_body = route.direct_response_policy.is_some_and(|response| response.body.0);
    not_evaluated.extend(has_body.then(|| field("directResponsePolicy.body")));
    let variables = [
        ("requestHeadersPolicy", route.request_headers_policy.as_deref()),
        ("responseHeadersPolicy", route.response_headers_policy.as_deref()),
    ];
    let has_variable = |policy: &HeadersPolicy<'_>| policy.set.iter().any(|header| header.value.contains('%'));
    let variables = variables.into_iter().filter(|(_, policy)| policy.is_some_and(has_variable));
    not_evaluated.extend(variables.map(|(name, _)| NotEvaluated::Variables(at.clone().then(name))));
    for (index, service) in route.services.iter().enumerate() {
        let at = at.clone().then("services").index(index);
        not_evaluated.extend(service.policies().map(|name| NotEvaluated::Field(at.clone().then(name))));
    }
    let action = match (&route.request_redirect_policy, &route.direct_response_policy) {
        (Some(redirect), _) => RouteAction::Redirect(redirect),
        (None, Some(response)) => {
            let code = response.status_code.and_then(|code| u16::try_from(code).ok());
            RouteAction::Response(code, "a fixed response".to_owned())
        }
        (None, None) => RouteAction::Services(RouteServices {
            all: services(&route.services).collect(),
            mirrors: route.services.iter().filter(|service| service.mirror).map(service).collect(),
            rewrite: route
                .path_rewrite_policy
                .as_ref()
                .and_then(|policy| replacement(&policy.replace_prefix, path))
                .map_or(Rewrite::None, |text| Rewrite::Text(text.into())),
            request_headers: route.request_headers_policy.as_deref(),
            response_headers: route.response_headers_policy.as_deref(),
            timeouts: Vec::new(),
        }),
    };
    (action, not_evaluated)
}

/// The Services that answer requests, each with port and weight. Mirrors are omitted, since they only receive copies.
pub(super) fn services<'w>(services: &'w [ProxyService<'w>]) -> impl Iterator<Item = RouteService<'w>> {
    services.iter().filter(|service| !service.mirror).map(service)
}

fn service<'w>(service: &'w ProxyService<'w>) -> RouteService<'w> {
    (&*service.name, service.port, service.weight)
}

/// What the route at `at` of an IngressRoute does, and what of it explain does not evaluate.
pub(super) fn of_path_route<'w>(route: &'w PathRoute<'w>, at: At) -> (RouteAction<'w>, Vec<NotEvaluated>) {
    let timeout = route.timeout_policy.as_ref().and_then(|policy| policy.request.as_ref());
    let action = RouteAction::Services(RouteServices {
        all: weighted(route.services().1).collect(),
        rewrite: route.prefix_rewrite.as_deref().filter(|text| !text.is_empty()).map_or(Rewrite::None, Rewrite::Prefix),
        timeouts: timeout.map(|timeout| ("request", timeout.to_string())).into_iter().collect(),
        ..RouteServices::default()
    });
    let retries = route.retry_policy.iter().map(|_| NotEvaluated::Field(at.then("retryPolicy")));
    (action, retries.collect())
}

/// The Services of a list, each with port and weight.
pub(super) fn weighted<'w>(services: &'w [WeightedService<'w>]) -> impl Iterator<Item = RouteService<'w>> {
    services.iter().map(|service| (&*service.name, service.port, service.weight))
}

/// The replacement for the prefix that a route matches: of the entry that names it, or else of the one that names none.
fn replacement<'w>(entries: &'w [ReplacePrefix<'w>], path: &PathTest<'_>) -> Option<&'w str> {
    let PathTest::Begins(matched) = path else { return None };
    let own = |entry: &&ReplacePrefix<'_>| entry.prefix.as_deref().is_some_and(|prefix| prefix == matched);
    let any = |entry: &&ReplacePrefix<'_>| entry.prefix.as_deref().is_none_or(str::is_empty);
    entries.iter().find(own).or(entries.iter().find(any)).map(|entry| &*entry.replacement)
}

/// `path` with what `test` matches replaced; `None` if that is not known.
fn with_prefix(path: &str, test: &PathTest<'_>, replacement: &str) -> Option<String> {
    match test {
        PathTest::Begins(matched) => Some(with_prefix_replaced(path, matched, replacement)),
        PathTest::Path(exact) if exact.kind == PathType::Exact => Some(replacement.to_owned()),
        _ => None,
    }
}

fn changes(policy: Option<&HeadersPolicy<'_>>) -> HeaderChanges {
    let Some(policy) = policy else { return HeaderChanges::default() };
    let set = policy.set.iter().map(|header| (header.name.to_ascii_lowercase(), header.value.to_string())).collect();
    let remove = policy.remove.iter().map(|name| name.to_ascii_lowercase()).collect();
    HeaderChanges { set, add: Vec::new(), remove }
}

/// The redirect of a route that matches `candidate`. The port of the request is kept unless another host or port is
/// written, or it is the default of a scheme that is replaced.
fn redirected(policy: &RedirectPolicy<'_>, candidate: &Candidate<'_>, request: &Request) -> Reply {
    let path = match (&policy.path, &policy.prefix) {
        (Some(path), _) => Some(path.to_string()),
        (None, Some(prefix)) => match &candidate.path {
            PathTest::Begins(matched) => {
                // Envoy replaces the text, whatever its end.
                Some(format!("{prefix}{}", request.path.strip_prefix(&**matched).unwrap_or_default()))
            }
            // An expression matches the whole path.
            PathTest::Pattern(_) => Some(prefix.to_string()),
            test => with_prefix(&request.path, test, prefix),
        },
        (None, None) => Some(request.path.clone()),
    };
    let Some(path) = path else { return Reply::Unknown(NO_PREFIX.to_owned()) };
    let scheme = policy.scheme.as_deref().unwrap_or(request.scheme());
    let written = policy.port.and_then(|port| u16::try_from(port).ok());
    let is_default = request.port == default_port(request.scheme());
    let host = policy.hostname.as_deref().unwrap_or(&request.host);
    let (host, port) = match written {
        // Envoy writes it even if it is the default.
        Some(port) => (format!("{host}:{port}"), default_port(scheme)),
        None if policy.hostname.is_some() || is_default => (host.to_owned(), default_port(scheme)),
        None => (host.to_owned(), request.port),
    };
    let code = policy.status_code.and_then(|code| u16::try_from(code).ok()).unwrap_or(302);
    Reply::Redirect { code, location: location(scheme, &host, port, &path, request) }
}

/// The redirect of Contour's Envoy from plain HTTP to HTTPS, which keeps the port that the client asked for.
pub(super) fn secured(request: &Request) -> (Reply, String) {
    let authority = request.authority.strip_suffix(":80").unwrap_or(&request.authority);
    let location = format!("https://{authority}{}", request.target());
    (Reply::Redirect { code: 301, location: location.clone() }, location)
}
