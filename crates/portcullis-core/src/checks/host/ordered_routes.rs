//! Part of `host/order-takes-requests`: the routes of an Ingress as a data plane with an order evaluates them. Annotations
//! restrict some of them, and add hosts and paths to others.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::matching::alias::hosts_of_expression;
use crate::matching::annotation_effect::{Effect, MATCHER, with_effect};
use crate::matching::controller::Controller;
use crate::matching::kong_fields::{ALIASES, EXPRESSION, REGEX_PREFIX};
use crate::matching::load_balancer_conditions::{RuleChange, rule_change};
use crate::matching::order_annotations::Matcher;
use crate::matching::rule_order::RuleOrder;
use crate::matching::simple_expression::{beginning, every_path_after};
use crate::matching::skipper_predicates::PREDICATES;
use crate::matching::{ClaimedHost, Claims, DataPlaneHints, Host, Path, PathType, Route};

/// A route, and the annotation that adds its host or path to the Ingress.
#[derive(Clone)]
pub(super) struct OrderedRoute<'r> {
    pub route: Route<'r>,
    pub added_by: Option<&'r str>,
    /// Whether its host and path are only known to include all that it matches.
    pub is_bound: bool,
}

impl OrderedRoute<'_> {
    /// Whether its host is a pattern of a load balancer, other than a wildcard.
    pub fn is_glob(&self) -> bool {
        self.added_by.is_some() && matches!(&self.route.host, Host::Precise(name) if name.contains(['*', '?']))
    }
}

/// The hosts that an application gateway adds to each listener.
const AZURE_HOSTS: &str = "appgw.ingress.kubernetes.io/hostname-extension";

/// How many values the conditions of a rule may have in an AWS load balancer.
const MOST_VALUES: usize = 5;

/// The routes of an Ingress by the requests that they match.
#[derive(Default)]
pub(super) struct OrderedRoutes<'r> {
    /// Those that match all requests for their host and path.
    pub all: Vec<OrderedRoute<'r>>,
    /// Those that match some of them, since conditions may reject others.
    pub narrowed: Vec<OrderedRoute<'r>>,
    /// Those that match some of them, since an expression says which.
    pub bound: Vec<OrderedRoute<'r>>,
}

/// The routes of an Ingress in a data plane with this order, without repetitions.
pub(super) fn ordered_routes<'r>(claims: &'r Claims<'_>, order: RuleOrder) -> OrderedRoutes<'r> {
    let of_service = with_effect(Effect::SharedPathOfService, claims.ingress);
    let changes: BTreeMap<&str, (&str, RuleChange)> = of_service
        .filter_map(|(row, key, value)| {
            let service = key.strip_prefix(row.key.trim_end_matches('*'))?;
            Some((service, (key, rule_change(value))))
        })
        .collect();
    let reading = Reading::of(claims, order);
    let routes = claims.distinct().iter().map(|position| &claims.routes[*position]);
    let has_predicates = order == RuleOrder::Path && DataPlaneHints::order(claims.hints()).skipper.narrow;
    let mut ordered = OrderedRoutes::default();
    for read in routes.flat_map(|route| reading.routes(route)) {
        let service = read.route.backend.service.as_ref().map_or("", |service| &*service.name);
        let (routes, narrows) = match changes.get(service) {
            None => (vec![read], false),
            Some((key, change)) => (changed(&read, key, change), change.narrows),
        };
        for route in routes {
            let list = match (route.is_bound, narrows || has_predicates) {
                (true, _) => &mut ordered.bound,
                (false, true) => &mut ordered.narrowed,
                (false, false) => &mut ordered.all,
            };
            list.push(route);
        }
    }
    ordered
}

/// What determines how a data plane reads the routes of an Ingress.
struct Reading<'r> {
    order: RuleOrder,
    /// How Traefik matches paths whose class decides, and what the annotation says in which it is written.
    matcher: (Matcher, &'r str),
    /// The hosts that an annotation of Traefik or Skipper requires.
    required: Vec<(&'r str, ClaimedHost<'r>)>,
    /// The hosts that an annotation of Kong or of an application gateway adds.
    aliases: Vec<(&'r str, ClaimedHost<'r>)>,
    /// The beginning of paths that are expressions in Kong.
    regex_prefix: &'r str,
    /// Whether paths are expressions: those whose class decides at a load balancer of AWS, and prefixes at one of Alibaba Cloud.
    has_expressions: bool,
}

impl<'r> Reading<'r> {
    fn of(claims: &'r Claims<'_>, order: RuleOrder) -> Self {
        let annotations = &claims.ingress.metadata.annotations;
        let hosts_of = |wanted: &str| -> Vec<(&'r str, ClaimedHost<'r>)> {
            let aliases = claims.aliases.iter().map(|aliased| (aliased.written().0, aliased));
            let named = aliases.filter(|(key, _)| *key == wanted);
            named
                .flat_map(|(key, aliased)| aliased.claims(&claims.hosts).into_iter().map(move |host| (key, host)))
                .collect()
        };
        let text = |key| annotations.get(key).map(|value| &**value).filter(|value| !value.is_empty());
        let reads = |effect, by| with_effect(effect, claims.ingress).any(|(row, ..)| row.readers.contains(&by));
        Self {
            order,
            matcher: (DataPlaneHints::order(claims.hints()).matcher, text(MATCHER).unwrap_or_default()),
            required: match order {
                RuleOrder::Priority => hosts_of(MATCHER),
                RuleOrder::Path => hosts_of(PREDICATES),
                _ => Vec::new(),
            },
            aliases: match order {
                RuleOrder::Fields => hosts_of(ALIASES),
                RuleOrder::Listener => hosts_of(AZURE_HOSTS),
                _ => Vec::new(),
            },
            regex_prefix: text(REGEX_PREFIX).unwrap_or(EXPRESSION),
            has_expressions: match order {
                RuleOrder::Group => reads(Effect::PathInterpretation, Controller::Aws),
                RuleOrder::Ranked => reads(Effect::PathRegex, Controller::Alibaba),
                _ => false,
            },
        }
    }

    /// The routes that the data plane makes of one.
    fn routes(&self, route: &Route<'r>) -> Vec<OrderedRoute<'r>> {
        let Some(path) = &route.path else { return Vec::new() };
        let (path, is_bound) = match (self.order, path.kind) {
            (RuleOrder::Priority, PathType::ImplementationSpecific) if !route.written.is_empty() => {
                self.path_of_traefik(route)
            }
            (RuleOrder::Fields, PathType::ImplementationSpecific) => self.path_of_kong(route),
            (RuleOrder::Group, PathType::ImplementationSpecific) if self.has_expressions => {
                // The controller removes the slash.
                path_of_balancer(route.written.strip_prefix('/').unwrap_or(route.written))
            }
            (RuleOrder::Ranked, PathType::Prefix)
                if self.has_expressions && every_path_after(route.written) != Some(route.written_or_root()) =>
            {
                path_of_balancer(route.written)
            }
            _ => (path.clone(), false),
        };
        let own = OrderedRoute { route: Route { path: Some(path), ..route.clone() }, added_by: None, is_bound };
        let hosted = |(key, claimed): &(&'r str, ClaimedHost<'r>)| OrderedRoute {
            route: Route { host: claimed.host.clone(), ..own.route.clone() },
            added_by: Some(*key),
            is_bound: is_bound || !claimed.is_served(),
        };
        // An annotation of Traefik or Skipper restricts the rule to its hosts.
        let is_restricted =
            (is_bound || self.order == RuleOrder::Path) && route.host == Host::Any && !self.required.is_empty();
        let added = if is_restricted { &self.required } else { &self.aliases };
        // All hosts of an annotation are added or none of them.
        let are_added = !self.aliases.is_empty() && self.aliases.iter().all(|(_, claimed)| claimed.is_served());
        let keeps_host = !is_restricted && (route.host != Host::Any || !are_added);
        keeps_host.then(|| own.clone()).into_iter().chain(added.iter().map(hosted)).collect()
    }

    /// A path as Traefik reads it, and whether it is only the beginning of what it matches.
    fn path_of_traefik(&self, route: &Route<'r>) -> (Path<'r>, bool) {
        let written = route.written;
        let path = |kind, text: &'r str| Path { kind, text: Cow::Borrowed(text) };
        // What is not anchored may match in the middle of a path, which only matters where the host is not the own one.
        let begun = match route.host {
            Host::Precise(_) => beginning(written),
            _ if written.starts_with('^') => beginning(written),
            _ => "/",
        };
        match self.matcher.0 {
            Matcher::Prefix => (path(PathType::ImplementationSpecific, written), false),
            Matcher::Whole => (path(PathType::Exact, written), false),
            Matcher::Expression => match every_path_after(written) {
                Some(text) => (path(PathType::ImplementationSpecific, text), false),
                None => (path(PathType::ImplementationSpecific, begun), true),
            },
            Matcher::Other => {
                // In a conjunction, the last matcher is that of the path.
                let is_conjunction = self.required.iter().all(|(_, claimed)| claimed.host != Host::Any);
                let text = match self.matcher.1.rsplit("&&").next().map(str::trim) {
                    Some("PathPrefix" | "Path") if is_conjunction => written,
                    Some("PathRegexp") if is_conjunction => begun,
                    _ => "/",
                };
                (path(PathType::ImplementationSpecific, text), true)
            }
        }
    }

    /// The same in Kong.
    fn path_of_kong(&self, route: &Route<'r>) -> (Path<'r>, bool) {
        let Some(expression) = route.written.strip_prefix(self.regex_prefix) else {
            let text = route.written_or_root();
            return (Path { kind: PathType::ImplementationSpecific, text: Cow::Borrowed(text) }, false);
        };
        let (text, is_bound) = match every_path_after(expression) {
            Some(text) => (text, false),
            None => (beginning(expression), true),
        };
        let text = Cow::Owned(format!("{EXPRESSION}{text}"));
        (Path { kind: PathType::ImplementationSpecific, text }, is_bound)
    }
}

/// The path of an expression at a load balancer as a pattern, and whether that is only the beginning of what it matches.
fn path_of_balancer(expression: &str) -> (Path<'static>, bool) {
    // It is not known whether an expression must match the whole path.
    let every = every_path_after(expression).filter(|_| expression.contains(".*"));
    let text = format!("{}*", every.unwrap_or_else(|| beginning(expression)));
    (Path { kind: PathType::ImplementationSpecific, text: text.into() }, every.is_none())
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
fn changed<'r>(own: &OrderedRoute<'r>, key: &'r str, change: &RuleChange) -> Vec<OrderedRoute<'r>> {
    let route = &own.route;
    let hosts = change.hosts.iter().take(MOST_VALUES).map(|host| (host_of(host), false));
    let of_expressions = change.host_expressions.iter().take(MOST_VALUES).flat_map(|text| hosts_of_expression(text));
    let of_expressions = of_expressions.map(|host| {
        let is_bound = !matches!(host, Host::Precise(_));
        (host, is_bound)
    });
    let hosts: Vec<(Host<'r>, Option<&'r str>, bool)> =
        hosts.chain(of_expressions).map(|(host, is_bound)| (host, Some(key), is_bound)).collect();
    let own_host = (route.host != Host::Any || hosts.is_empty()).then(|| (route.host.clone(), None, false));
    let pattern = |path: &String| (Path { kind: PathType::ImplementationSpecific, text: path.clone().into() }, false);
    let patterns = change.paths.iter().take(MOST_VALUES).map(pattern);
    let of_expressions = change.path_expressions.iter().take(MOST_VALUES).map(|text| path_of_balancer(text));
    let paths: Vec<(Option<Path<'r>>, Option<&'r str>, bool)> =
        patterns.chain(of_expressions).map(|(path, is_bound)| (Some(path), Some(key), is_bound)).collect();
    let of_host = |(host, by_host, is_host_bound): (Host<'r>, Option<&'r str>, bool)| {
        let all = [(route.path.clone(), None, own.is_bound)].into_iter().chain(paths.clone());
        let routes = all.map(move |(path, by_path, is_path_bound)| OrderedRoute {
            route: Route { host: host.clone(), path, ..route.clone() },
            added_by: by_host.or(by_path),
            is_bound: is_host_bound || is_path_bound,
        });
        routes.collect::<Vec<_>>()
    };
    own_host.into_iter().chain(hosts).flat_map(of_host).collect()
}
