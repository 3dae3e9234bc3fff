//! What is wrong with an IngressRoute by itself, whatever else is in the cluster: the first fault makes the whole object invalid.

use hashbrown::HashSet;

use crate::field::At;
use crate::kinds::ingress_route::{
    Delegate, HealthCheck, PathRoute, STRATEGIES, TLS_VERSIONS, TcpProxy, VirtualHost, VirtualHostTls, WeightedService,
};
use crate::kinds::{IngressRoute, Misfit};
use crate::matching::go_duration;
use crate::names;
use crate::sentence::brief;

/// The most characters that are shown of a value.
const SHOWN: usize = 60;
/// The most bytes of a label of a host.
const LABEL: usize = 63;

/// A fault of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The rule that is broken, by the name of its check without the family: `match-slash`.
    pub rule: &'static str,
    /// Where, and in which way: within a line, whatever the object holds.
    pub says: Box<str>,
}

/// The rule that an object can be read at all.
const SHAPE: &str = "shape";
/// The most characters that are shown of why it cannot.
const WORDS: usize = 160;

impl Fault {
    /// The fault of an object that is no IngressRoute by its shape, and has no other.
    pub(super) fn of_misfit(misfit: &Misfit) -> Self {
        Self { rule: SHAPE, says: format!("cannot be read: {}", brief(&misfit.to_string(), WORDS)).into() }
    }

    /// Whether the object cannot be read.
    pub(super) fn is_of_shape(&self) -> bool {
        self.rule == SHAPE
    }

    fn at(rule: &'static str, at: At, says: impl AsRef<str>) -> Self {
        let at = crate::field::FieldPath::from(at);
        Self { rule, says: format!("{at} {}", says.as_ref()).into() }
    }

    /// The first fault of `route`: of its host, then of its routes in document order.
    pub fn of(route: &IngressRoute<'_>) -> Option<Self> {
        let spec = &route.spec;
        let tcpproxy = spec.tcpproxy.as_deref();
        let host = spec.virtualhost.as_ref().and_then(|host| of_host(host, tcpproxy.is_some()));
        let strategy = spec.strategy.as_deref().and_then(|own| of_strategy(own, At::field("spec.strategy")));
        let probe = spec.health_check.as_deref().and_then(|own| of_health_check(own, At::field("spec.healthCheck")));
        let none = || (spec.routes.is_empty() && tcpproxy.is_none()).then(none);
        host.or(strategy).or(probe).or_else(none).or_else(|| of_routes(route)).or_else(|| of_tcpproxy(route, tcpproxy?))
    }
}

fn none() -> Fault {
    Fault::at("routes-non-empty", At::field("spec.routes"), "is empty, and nothing is served")
}

fn of_host(host: &VirtualHost<'_>, has_tcpproxy: bool) -> Option<Fault> {
    let (at, shown) = (At::field("spec.virtualhost.fqdn"), brief(&host.fqdn, SHOWN));
    let name = host.fqdn.to_ascii_lowercase();
    if host.fqdn.trim().is_empty() {
        return Some(Fault::at("fqdn-required", at, "is empty, and a root needs a host"));
    }
    if host.fqdn.contains('*') {
        return Some(Fault::at("fqdn-wildcard", at, format!("`{shown}` is a wildcard, and a root has one host")));
    }
    if !names::is_subdomain(&name) || name.split('.').any(|label| label.len() > LABEL) {
        return Some(Fault::at("fqdn-syntax", at, format!("`{shown}` is no DNS name")));
    }
    host.tls.as_ref().and_then(|tls| of_tls(tls, has_tcpproxy))
}

fn of_tls(tls: &VirtualHostTls<'_>, has_tcpproxy: bool) -> Option<Fault> {
    let secret = At::field("spec.virtualhost.tls.secretName");
    let passthrough = At::field("spec.virtualhost.tls.passthrough");
    let version = tls.minimum_protocol_version.as_ref().map(|version| &*version.text).filter(|text| !text.is_empty());
    match (tls.passthrough, tls.secret_name.is_empty()) {
        (true, false) => {
            Some(Fault::at("tls-passthrough", passthrough, "and secretName exclude each other: one of them ends TLS"))
        }
        (true, true) if !has_tcpproxy => Some(Fault::at("tls-passthrough", passthrough, "needs tcpproxy")),
        (false, true) => Some(Fault::at("tls-secret-required", secret, "is empty, and TLS needs a certificate")),
        (false, false) if !names::is_place(&tls.secret_name) => {
            let says = format!("`{}` is no Secret's name", brief(&tls.secret_name, SHOWN));
            Some(Fault::at("tls-secret-namespace", secret, says))
        }
        _ => version.filter(|version| !TLS_VERSIONS.contains(version)).map(|version| {
            let says = format!("`{}` is none of 1.1, 1.2 and 1.3", brief(version, SHOWN));
            Fault::at("tls-min-version", At::field("spec.virtualhost.tls.minimumProtocolVersion"), says)
        }),
    }
}

fn of_routes(route: &IngressRoute<'_>) -> Option<Fault> {
    let mut seen = HashSet::with_capacity(route.spec.routes.len());
    route.spec.routes.iter().enumerate().find_map(|(index, path)| {
        let at = At::element("spec.routes[].match", [index]);
        let is_new = seen.insert(path.prefix().trim_end_matches('/'));
        let again = || {
            let says = format!("`{}` is the match of another route", brief(path.prefix(), SHOWN));
            (!is_new).then(|| Fault::at("match-duplicate", at, says))
        };
        let policies = || of_timeout(path, index).or_else(|| of_retries(path, index));
        of_match(path, at).or_else(again).or_else(|| of_action(route, path, index)).or_else(policies)
    })
}

fn of_match(path: &PathRoute<'_>, at: At) -> Option<Fault> {
    let prefix = path.prefix();
    if !prefix.starts_with('/') {
        return Some(Fault::at("match-slash", at, format!("`{}` must begin with `/`", brief(prefix, SHOWN))));
    }
    let says = || format!("`{}` has a space or a control character", brief(prefix, SHOWN));
    prefix.contains(is_blank).then(|| Fault::at("match-chars", at, says()))
}

fn is_blank(character: char) -> bool {
    character.is_control() || character.is_whitespace()
}

fn of_action(route: &IngressRoute<'_>, path: &PathRoute<'_>, index: usize) -> Option<Fault> {
    let (at, (_, services)) = (At::element("spec.routes[]", [index]), path.services());
    if path.is_spelt_twice() {
        return Some(Fault::at("service-spelling", at, "names services under `service` and under `services`"));
    }
    match (services, &path.delegate) {
        ([], None) => Some(Fault::at("route-action", at, "has neither services nor a delegate")),
        ([_, ..], Some(_)) => Some(Fault::at("route-action", at, "has both services and a delegate")),
        ([], Some(delegate)) => of_delegate(route, delegate, At::element("spec.routes[].delegate", [index])),
        (services, None) => {
            of_services(services, at).or_else(|| of_rewrite(path, At::element("spec.routes[].prefixRewrite", [index])))
        }
    }
}

fn of_rewrite(path: &PathRoute<'_>, at: At) -> Option<Fault> {
    let rewrite = path.prefix_rewrite.as_deref().filter(|rewrite| !rewrite.is_empty() && !rewrite.starts_with('/'))?;
    Some(Fault::at("prefix-rewrite", at, format!("`{}` must begin with `/`", brief(rewrite, SHOWN))))
}

fn of_timeout(path: &PathRoute<'_>, index: usize) -> Option<Fault> {
    let request = path.timeout_policy.as_ref()?.request.as_deref()?;
    let at = At::element("spec.routes[].timeoutPolicy.request", [index]);
    let says = || format!("`{}` is no time", brief(request, SHOWN));
    (!matches!(request, "" | "infinity") && !go_duration::is_time(request)).then(|| Fault::at("timeouts", at, says()))
}

fn of_retries(path: &PathRoute<'_>, index: usize) -> Option<Fault> {
    let (policy, at) = (path.retry_policy.as_ref()?, At::element("spec.routes[].retryPolicy", [index]));
    let attempt =
        policy.per_try_timeout.as_deref().filter(|attempt| !attempt.is_empty() && !go_duration::is_time(attempt));
    let too_few = policy.count.filter(|count| *count < 0);
    let says = too_few.map(|count| format!("asks for {count} tries"));
    let says = says.or_else(|| Some(format!("gives a try `{}`, which is no time", brief(attempt?, SHOWN))))?;
    Some(Fault::at("retries", at, says))
}

fn of_delegate(route: &IngressRoute<'_>, delegate: &Delegate<'_>, at: At) -> Option<Fault> {
    let own = route.metadata.namespace();
    let namespace = delegate.namespace_from(own);
    if !names::is_subdomain(&delegate.name) || !(namespace == own || names::is_label(namespace)) {
        let says = format!("`{}/{}` can be no object", brief(namespace, SHOWN), brief(&delegate.name, SHOWN));
        return Some(Fault::at("delegate-ref", at, says));
    }
    let is_self = namespace == own && *delegate.name == *route.metadata.name();
    is_self.then(|| Fault::at("self-delegation", at, "is the object itself"))
}

fn of_services(services: &[WeightedService<'_>], at: At) -> Option<Fault> {
    let sum =
        services.iter().try_fold(0u32, |sum, service| sum.checked_add(service.weight.unwrap_or(0).try_into().ok()?));
    let weights = || {
        let says = match services.iter().filter_map(|service| service.weight).find(|weight| *weight < 0) {
            Some(below) => format!("has the weight {below}, which is below 0"),
            None => "has weights of more than 4294967295 together".to_owned(),
        };
        Fault::at("weight-range", at, says)
    };
    services.iter().find_map(|service| of_service(service, at)).or_else(|| sum.is_none().then(weights))
}

fn of_service(service: &WeightedService<'_>, at: At) -> Option<Fault> {
    let shown = brief(&service.name, SHOWN);
    if !names::is_label(&service.name) {
        return Some(Fault::at("service-ref", at, format!("names a service `{shown}`, which can be none")));
    }
    match service.port {
        Some(port) if names::is_port(port) => {}
        Some(port) => {
            return Some(Fault::at("port-range", at, format!("names port {port} of {shown}, not 1 to 65535")));
        }
        None => return Some(Fault::at("port-range", at, format!("names no port of {shown}"))),
    }
    let strategy = service.strategy.as_deref().and_then(|strategy| of_strategy(strategy, at));
    strategy.or_else(|| service.health_check.as_deref().and_then(|check| of_health_check(check, at)))
}

fn of_strategy(strategy: &str, at: At) -> Option<Fault> {
    let is_known = strategy.is_empty() || STRATEGIES.contains(&strategy);
    let says = || format!("has the strategy `{}`, which is none", brief(strategy, SHOWN));
    (!is_known).then(|| Fault::at("strategy", at, says()))
}

fn of_health_check(check: &HealthCheck<'_>, at: At) -> Option<Fault> {
    let numbers =
        [check.interval_seconds, check.timeout_seconds, check.unhealthy_threshold_count, check.healthy_threshold_count];
    if !check.path.starts_with('/') {
        let says = format!("probes the path `{}`, which must begin with `/`", brief(&check.path, SHOWN));
        return Some(Fault::at("healthcheck", at, says));
    }
    let host = check.host.as_deref().unwrap_or_default();
    if host.contains(is_blank) {
        return Some(Fault::at("healthcheck", at, "probes with a Host that has a space or a control character"));
    }
    let negative = numbers.into_iter().flatten().find(|number| *number < 0)?;
    Some(Fault::at("healthcheck", at, format!("probes with {negative}, a number below 0")))
}

fn of_tcpproxy(route: &IngressRoute<'_>, tcpproxy: &TcpProxy<'_>) -> Option<Fault> {
    let (at, root) = (At::field("spec.tcpproxy"), route.spec.virtualhost.as_ref());
    match (&*tcpproxy.services, &tcpproxy.delegate) {
        ([], None) => Some(Fault::at("tcpproxy", at, "has neither services nor a delegate")),
        ([_, ..], Some(_)) => Some(Fault::at("tcpproxy", at, "has both services and a delegate")),
        _ if root.is_some_and(|root| root.tls.is_none()) => {
            Some(Fault::at("tcpproxy", at, "needs TLS, which tells the hosts apart"))
        }
        ([], Some(delegate)) => of_delegate(route, delegate, At::field("spec.tcpproxy.delegate")),
        (services, _) => of_services(services, at),
    }
}
