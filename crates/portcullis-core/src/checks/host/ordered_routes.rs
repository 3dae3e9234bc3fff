//! Part of `host/order-takes-requests`: the routes of an Ingress as a data plane with an order evaluates them. Annotations
//! restrict some of them, and add hosts and paths to others.

use std::collections::BTreeMap;

use crate::matching::annotation_effect::{Effect, with_effect};
use crate::matching::load_balancer_conditions::{RuleChange, rule_change};
use crate::matching::rule_order::Matcher;
use crate::matching::{Claims, Host, Path, PathType, Route, simple_expression};

/// A route, and the annotation that adds its host or path to the Ingress.
pub(super) struct OrderedRoute<'r> {
    pub route: Route<'r>,
    pub added_by: Option<&'r str>,
}

impl OrderedRoute<'_> {
    /// Whether its host is a pattern of a load balancer, other than a wildcard.
    pub fn is_glob(&self) -> bool {
        self.added_by.is_some() && matches!(&self.route.host, Host::Precise(name) if name.contains(['*', '?']))
    }
}

/// Whether a pattern matches a host: `*` matches any characters, `?` one.
pub(super) fn matches_glob(pattern: &str, host: &str) -> bool {
    let (pattern, host) = (pattern.as_bytes(), host.as_bytes());
    // The state after each byte of the host: which beginnings of the pattern match what was read.
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    let skip_stars = |reached: &mut [bool]| {
        for (at, byte) in pattern.iter().enumerate() {
            reached[at + 1] |= reached[at] && *byte == b'*';
        }
    };
    skip_stars(&mut reached);
    for byte in host {
        let mut next = vec![false; pattern.len() + 1];
        for (at, own) in pattern.iter().enumerate().filter(|(at, _)| reached[*at]) {
            match own {
                b'*' => next[at] = true,
                b'?' => next[at + 1] = true,
                own => next[at + 1] |= own == byte,
            }
        }
        skip_stars(&mut next);
        reached = next;
    }
    reached[pattern.len()]
}

/// How many values the conditions of a rule may have in an AWS load balancer.
const MOST_VALUES: usize = 5;
/// The routes of an Ingress by the requests that they match.
pub(super) struct OrderedRoutes<'r> {
    /// Those that match all requests for their host and path.
    pub all: Vec<OrderedRoute<'r>>,
    /// Those that match some of them, since conditions may reject others.
    pub narrowed: Vec<OrderedRoute<'r>>,
}

/// The routes of an Ingress, without repetitions and without those whose path is not compared.
pub(super) fn ordered_routes<'r>(claims: &'r Claims<'_>, matcher: Matcher) -> OrderedRoutes<'r> {
    let of_service = with_effect(Effect::SharedPathOfService, claims.ingress);
    let changes: BTreeMap<&str, (&str, RuleChange)> = of_service
        .filter_map(|(row, key, value)| {
            let service = key.strip_prefix(row.key.trim_end_matches('*'))?;
            Some((service, (key, rule_change(value))))
        })
        .collect();
    let routes = claims.distinct().iter().map(|position| &claims.routes[*position]);
    let matched = routes.filter_map(|route| matched(route, matcher));
    let mut ordered = OrderedRoutes { all: Vec::new(), narrowed: Vec::new() };
    for route in matched {
        let service = route.backend.service.as_ref().map_or("", |service| &*service.name);
        match changes.get(service) {
            None => ordered.all.push(OrderedRoute { route, added_by: None }),
            Some((key, change)) if change.narrows => ordered.narrowed.extend(changed(&route, key, change)),
            Some((key, change)) => ordered.all.extend(changed(&route, key, change)),
        }
    }
    ordered
}

/// The route as the matcher reads its path; `None` if it is not known which requests that are. Traefik reads the annotation for
/// paths whose class decides alone (`loadRouter` in pkg/provider/kubernetes/ingress/kubernetes.go).
fn matched<'r>(route: &Route<'r>, matcher: Matcher) -> Option<Route<'r>> {
    let has_type = route.path.as_ref().is_some_and(|path| path.kind != PathType::ImplementationSpecific);
    match matcher {
        _ if has_type => Some(route.clone()),
        Matcher::Prefix => Some(route.clone()),
        Matcher::Expression => {
            let text = simple_expression::every_path_after(route.written)?;
            let path = Path { kind: PathType::ImplementationSpecific, text: text.into() };
            Some(Route { path: Some(path), ..route.clone() })
        }
        Matcher::Other => None,
    }
}

/// The host of a condition: one of a rule, or a pattern as if it were a name.
fn host_of(text: &str) -> Host<'static> {
    match Host::parse(text.trim()) {
        host if host != Host::Any && host.is_well_formed() => host.into_owned(),
        _ => Host::Precise(text.trim().to_ascii_lowercase().into()),
    }
}

/// The routes that conditions make of one: each with its own host and path or with those that the conditions add. A rule
/// without a host has only those of the conditions.
fn changed<'r>(route: &Route<'r>, key: &'r str, change: &RuleChange) -> Vec<OrderedRoute<'r>> {
    let own_host = (route.host != Host::Any || change.hosts.is_empty()).then(|| (route.host.clone(), None));
    let added = change.hosts.iter().take(MOST_VALUES).map(|host| host_of(host)).map(|host| (host, Some(key)));
    let hosts = own_host.into_iter().chain(added);
    let pattern = |path: &String| Path { kind: PathType::ImplementationSpecific, text: path.clone().into() };
    let added: Vec<_> = change.paths.iter().take(MOST_VALUES).map(|path| (Some(pattern(path)), Some(key))).collect();
    let of_host = |(host, by_host): (Host<'r>, Option<&'r str>)| {
        let paths = [(route.path.clone(), None)].into_iter().chain(added.clone());
        let routes = paths.map(move |(path, by_path)| OrderedRoute {
            route: Route { host: host.clone(), path, ..route.clone() },
            added_by: by_host.or(by_path),
        });
        routes.collect::<Vec<_>>()
    };
    hosts.flat_map(of_host).collect()
}
