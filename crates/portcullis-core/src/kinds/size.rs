//! How many entries an object has, of the kinds whose schemas leave that open.

use super::{HttpProxy, Ingress, IngressRoute, Object, TlsCertificateDelegation};

/// The most entries that an object may have: paths, hosts, routes, services, conditions. The largest that are in use have some hundreds.
pub const MAX_ENTRIES: usize = 20_000;

/// The most includes of an HTTPProxy, each of which leads to another object.
pub const MAX_INCLUDES: usize = 2_000;

/// How many entries an object has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// All of them.
    pub entries: usize,
    /// The includes among them.
    pub includes: usize,
}

impl Size {
    /// The size of `object`; none of the kinds whose schemas have limits of their own.
    pub fn of(object: &Object<'_>) -> Option<Self> {
        let (entries, includes) = match object {
            Object::Ingress(ingress) => (of_ingress(ingress), 0),
            Object::IngressRoute(route) => (of_ingress_route(route), 0),
            Object::HttpProxy(proxy) => (of_http_proxy(proxy), proxy.spec.includes.len()),
            Object::TlsCertificateDelegation(delegated) | Object::ProxyCertificateDelegation(delegated) => {
                (of_lent(delegated), 0)
            }
            _ => return None,
        };
        Some(Self { entries, includes })
    }

    /// Whether it is more than an object may have.
    pub fn is_too_large(self) -> bool {
        self.entries > MAX_ENTRIES || self.includes > MAX_INCLUDES
    }

    /// Whether it is more than `before` of anything.
    pub fn has_grown(self, before: Self) -> bool {
        self.entries > before.entries || self.includes > before.includes
    }
}

fn of_ingress(ingress: &Ingress<'_>) -> usize {
    let rules = ingress.spec.rules.iter().map(|rule| at_least_one(rule.paths()));
    rules.chain(ingress.spec.tls.iter().map(|tls| at_least_one(&tls.hosts))).sum()
}

fn of_ingress_route(route: &IngressRoute<'_>) -> usize {
    route.spec.routes.iter().map(|path| at_least_one(path.services().1)).sum()
}

fn of_http_proxy(proxy: &HttpProxy<'_>) -> usize {
    let routes = proxy.spec.routes.iter().map(|route| at_least_one(&route.services).max(route.conditions.len()));
    routes.chain(proxy.spec.includes.iter().map(|include| at_least_one(&include.conditions))).sum()
}

fn of_lent(delegation: &TlsCertificateDelegation<'_>) -> usize {
    delegation.spec.delegations.iter().map(|delegated| at_least_one(&delegated.target_namespaces)).sum()
}

/// The entries of an element with this list in it.
fn at_least_one<T>(list: &[T]) -> usize {
    list.len().max(1)
}
