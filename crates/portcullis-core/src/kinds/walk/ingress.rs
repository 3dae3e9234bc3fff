//! The elements of an Ingress.

use crate::field::At;
use crate::kinds::ingress::{Backend, HttpPath, Ingress, IngressRule, LoadBalancerIngress, ServiceBackend};

/// Each rule.
pub fn rules<'i, 'a>(ingress: &'i Ingress<'a>) -> impl Iterator<Item = (At, &'i IngressRule<'a>)> {
    let at = |rule| At::element("spec.rules[]", [rule]);
    ingress.spec.rules.iter().enumerate().map(move |(index, rule)| (at(index), rule))
}

/// Each host that a rule names, as written.
pub fn rule_hosts<'i>(ingress: &'i Ingress<'_>) -> impl Iterator<Item = (At, &'i str)> {
    let hosts = ingress.spec.rules.iter().map(|rule| rule.host.as_deref().unwrap_or_default()).enumerate();
    hosts.filter(|(_, host)| !host.is_empty()).map(|(rule, host)| (At::element("spec.rules[].host", [rule]), host))
}

/// Each path, with its rule.
pub fn http_paths<'i, 'a>(
    ingress: &'i Ingress<'a>,
) -> impl Iterator<Item = (At, &'i HttpPath<'a>, &'i IngressRule<'a>)> {
    ingress.spec.rules.iter().enumerate().flat_map(|(rule_index, rule)| {
        let paths = rule.paths().iter().enumerate();
        paths.map(move |(index, path)| (At::element("spec.rules[].http.paths[]", [rule_index, index]), path, rule))
    })
}

/// Each backend: first the default backend, then those of the paths.
pub fn backends<'i, 'a>(ingress: &'i Ingress<'a>) -> impl Iterator<Item = (At, &'i Backend<'a>)> {
    let default = ingress.spec.default_backend.iter().map(|backend| (At::field("spec.defaultBackend"), backend));
    let of_paths = ingress.spec.rules.iter().enumerate().flat_map(|(rule_index, rule)| {
        let paths = rule.paths().iter().enumerate();
        paths.map(move |(index, path)| {
            (At::element("spec.rules[].http.paths[].backend", [rule_index, index]), &path.backend)
        })
    });
    default.chain(of_paths)
}

/// Each Service backend, with the address of `service`.
pub fn service_backends<'i, 'a>(ingress: &'i Ingress<'a>) -> impl Iterator<Item = (At, &'i ServiceBackend<'a>)> {
    let default = ingress.spec.default_backend.iter().filter_map(|backend| backend.service.as_ref());
    let default = default.map(|service| (At::field("spec.defaultBackend.service"), service));
    let of_paths = ingress.spec.rules.iter().enumerate().flat_map(|(rule_index, rule)| {
        let paths = rule.paths().iter().enumerate();
        paths.filter_map(move |(index, path)| {
            let at = At::element("spec.rules[].http.paths[].backend.service", [rule_index, index]);
            path.backend.service.as_ref().map(|service| (at, service))
        })
    });
    default.chain(of_paths)
}

/// Each host of `spec.tls`, as written.
pub fn tls_hosts<'i>(ingress: &'i Ingress<'_>) -> impl Iterator<Item = (At, &'i str)> {
    ingress.spec.tls.iter().enumerate().flat_map(|(entry, tls)| {
        let hosts = tls.hosts.iter().enumerate();
        hosts.map(move |(index, host)| (At::element("spec.tls[].hosts[]", [entry, index]), &**host))
    })
}

/// Whether `spec.tls` has exactly the same hosts as the rules, in the same order, as templates generate them. Then each
/// list covers the other, and the hosts need not be compared.
pub fn tls_repeats_rules(ingress: &Ingress<'_>) -> bool {
    let of_rules = ingress.spec.rules.iter().map(|rule| rule.host.as_deref().unwrap_or_default());
    tls_hosts(ingress).map(|(_, host)| host).eq(of_rules)
}

/// Each published address.
pub fn load_balancer_points<'i, 'a>(
    ingress: &'i Ingress<'a>,
) -> impl Iterator<Item = (At, &'i LoadBalancerIngress<'a>)> {
    let at = |point| At::element("status.loadBalancer.ingress[]", [point]);
    ingress.status.load_balancer.ingress.iter().enumerate().map(move |(index, point)| (at(index), point))
}

/// Host and path as written. They distinguish paths that lack other properties.
pub fn written_route(rule: &IngressRule<'_>, path: &HttpPath<'_>) -> String {
    let written = [&rule.host, &path.path].map(|text| text.as_deref().unwrap_or_default());
    written.concat()
}
