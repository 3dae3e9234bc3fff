//! The conditions and durations in the rules of an HTTPRoute or a GRPCRoute.

use crate::field::At;
use crate::kinds::grpc_route::{GrpcRoute, MethodMatch};
use crate::kinds::http_route::{HttpMatch, HttpRoute, HttpRule, NameValueMatch, PathMatch, SessionPersistence};
use crate::kinds::{Route, Text};

/// Each rule of an HTTPRoute, with its index.
pub fn http_rules<'o, 'a>(
    route: &'o HttpRoute<'a>,
) -> impl Iterator<Item = (At, &'o HttpRule<'a>, usize)> + use<'o, 'a> {
    let rules = route.spec.rules().iter().enumerate();
    rules.map(|(index, rule)| (At::element("spec.rules[]", [index]), rule, index))
}

/// Each match of an HTTPRoute, with the indexes of its rule and of the match.
pub fn http_matches<'o, 'a>(
    route: &'o HttpRoute<'a>,
) -> impl Iterator<Item = (At, &'o HttpMatch<'a>, [usize; 2])> + use<'o, 'a> {
    route.spec.rules().iter().enumerate().flat_map(|(rule_index, rule)| {
        rule.matches.iter().enumerate().map(move |(index, matched)| {
            let positions = [rule_index, index];
            (At::element("spec.rules[].matches[]", positions), matched, positions)
        })
    })
}

/// A path condition with its location.
#[derive(Debug, Clone, Copy)]
pub struct LocatedPath<'o, 'a> {
    /// Its address.
    pub at: At,
    /// The path.
    pub path: &'o PathMatch<'a>,
}

/// Each path condition of an HTTPRoute.
pub(super) fn paths<'o, 'a>(route: &Route<'o, 'a>) -> Vec<LocatedPath<'o, 'a>> {
    let Route::Http(route) = route else { return Vec::new() };
    let mut paths = Vec::with_capacity(route.spec.rules().iter().map(|rule| rule.matches.len()).sum());
    for (_, matched, positions) in http_matches(route) {
        let at = At::element("spec.rules[].matches[].path", positions);
        paths.extend(matched.path.as_ref().map(|path| LocatedPath { at, path }));
    }
    paths
}

/// Each query parameter condition, with the indexes of its rule, its match and the condition.
pub fn query_matches<'o, 'a>(
    route: &'o HttpRoute<'a>,
) -> impl Iterator<Item = (At, &'o NameValueMatch<'a>, [usize; 3])> + use<'o, 'a> {
    http_matches(route).flat_map(|(_, matched, [rule, index])| {
        matched.query_params.iter().enumerate().map(move |(parameter_index, parameter)| {
            let positions = [rule, index, parameter_index];
            (At::element("spec.rules[].matches[].queryParams[]", positions), parameter, positions)
        })
    })
}

/// Each gRPC method condition.
pub fn grpc_methods<'o, 'a>(route: &'o GrpcRoute<'a>) -> impl Iterator<Item = (At, &'o MethodMatch<'a>)> + use<'o, 'a> {
    route.spec.rules.iter().enumerate().flat_map(|(rule_index, rule)| {
        rule.matches.iter().enumerate().filter_map(move |(index, matched)| {
            Some((At::element("spec.rules[].matches[].method", [rule_index, index]), matched.method.as_ref()?))
        })
    })
}

/// Each session persistence.
pub fn sessions<'o, 'a>(route: &Route<'o, 'a>) -> impl Iterator<Item = (At, &'o SessionPersistence<'a>)> + use<'o, 'a> {
    route.rules().enumerate().filter_map(|(index, rule)| {
        Some((At::element("spec.rules[].sessionPersistence", [index]), rule.session_persistence?))
    })
}

/// Each timeout of an HTTPRoute: the address of the element that contains it, the name of its field, and its value.
pub fn timeouts<'o, 'a>(
    route: &'o HttpRoute<'a>,
) -> impl Iterator<Item = (At, &'static str, &'o Text<'a>)> + use<'o, 'a> {
    route.spec.rules().iter().enumerate().flat_map(|(index, rule)| {
        let timeouts = rule.timeouts.as_ref().map(|timeouts| {
            [("request", timeouts.request.as_ref()), ("backendRequest", timeouts.backend_request.as_ref())]
        });
        timeouts
            .into_iter()
            .flatten()
            .filter_map(move |(name, written)| Some((At::element("spec.rules[].timeouts", [index]), name, written?)))
    })
}

/// Each duration of retries and sessions, in the same form as [`timeouts`].
pub fn durations<'o, 'a>(
    route: &Route<'o, 'a>,
) -> impl Iterator<Item = (At, &'static str, &'o Text<'a>)> + use<'o, 'a> {
    let rules = match route {
        Route::Http(route) => route.spec.rules(),
        _ => &[],
    };
    let of_retries = rules.iter().enumerate().filter_map(|(index, rule)| {
        Some((At::element("spec.rules[].retry", [index]), "backoff", rule.retry.as_deref()?.backoff.as_ref()?))
    });
    let of_sessions = sessions(route).flat_map(|(at, session)| {
        let timeouts = [("absoluteTimeout", &session.absolute_timeout), ("idleTimeout", &session.idle_timeout)];
        timeouts.into_iter().filter_map(move |(name, timeout)| Some((at, name, timeout.as_ref()?)))
    });
    of_retries.chain(of_sessions)
}

/// A header condition with its location.
#[derive(Debug, Clone, Copy)]
pub struct LocatedHeader<'o, 'a> {
    /// Its address.
    pub at: At,
    /// The header.
    pub header: &'o NameValueMatch<'a>,
}

/// Each header condition.
pub(super) fn headers<'o, 'a>(route: &Route<'o, 'a>) -> Vec<LocatedHeader<'o, 'a>> {
    let lists = header_conditions(route);
    let mut headers = Vec::with_capacity(2 * lists.size_hint().0);
    for list in lists {
        let sites = list.headers.iter().enumerate();
        headers.extend(sites.map(|(index, header)| LocatedHeader { at: list.element(index), header }));
    }
    headers
}

/// The header conditions of one match.
#[derive(Debug, Clone, Copy)]
pub struct HeaderConditions<'o, 'a> {
    /// The headers.
    pub headers: &'o [NameValueMatch<'a>],
    positions: [usize; 2],
}

impl HeaderConditions<'_, '_> {
    /// The address of the match.
    pub fn matched(&self) -> At {
        At::element("spec.rules[].matches[]", self.positions)
    }

    /// The address of the header at the index `position`.
    pub fn element(&self, position: usize) -> At {
        let [rule, index] = self.positions;
        At::element("spec.rules[].matches[].headers[]", [rule, index, position])
    }
}

/// The header conditions of each match.
pub fn header_conditions<'o, 'a>(
    route: &Route<'o, 'a>,
) -> impl Iterator<Item = HeaderConditions<'o, 'a>> + use<'o, 'a> {
    route.rules().enumerate().flat_map(|(rule_index, rule)| {
        (0..rule.match_count())
            .map(move |index| HeaderConditions { headers: rule.headers(index), positions: [rule_index, index] })
    })
}
