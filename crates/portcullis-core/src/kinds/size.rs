//! The number of entries of an object, for the kinds whose schemas do not limit it.

use super::{HttpProxy, Ingress, IngressRoute, Object, TlsCertificateDelegation};

/// The maximum number of entries of an object: paths, hosts, routes, services, conditions. The largest objects in
/// practice have some hundreds.
pub const MAX_ENTRIES: usize = 20_000;

/// The maximum number of includes of an HTTPProxy. Each of them refers to another object.
pub const MAX_INCLUDES: usize = 2_000;

/// The number of entries of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// All entries.
    pub entries: usize,
    /// The includes among the entries.
    pub includes: usize,
}

impl Size {
    /// Returns the size of `object`; `None` for kinds whose schemas limit it.
    pub fn of(object: &Object<'_>) -> Option<Self> {
        let (entries, includes) = match object {
            Object::Ingress(ingress) => (of_ingress(ingress), 0),
            Object::IngressRoute(route) => (of_ingress_route(route), 0),
            Object::HttpProxy(proxy) => (of_http_proxy(proxy), proxy.spec.includes.len()),
            Object::TlsCertificateDelegation(delegated) | Object::ProxyCertificateDelegation(delegated) => {
                (of_certificate_delegation(delegated), 0)
            }
            _ => return None,
        };
        Some(Self { entries, includes })
    }

    /// Whether it exceeds the limits.
    pub fn is_too_large(self) -> bool {
        self.entries > MAX_ENTRIES || self.includes > MAX_INCLUDES
    }

    /// Whether any of its numbers is greater than in `before`.
    pub fn has_grown(self, before: Self) -> bool {
        self.entries > before.entries || self.includes > before.includes
    }
}

impl Object<'_> {
    /// An upper bound of the number of paths and matches of the object, which is cheap to compute.
    pub fn most_entries(&self) -> usize {
        match self {
            Object::Ingress(ingress) => {
                // An annotation may add one host for each two of its bytes to every path.
                let bytes: usize = ingress.metadata.annotations.iter().map(|(_, value)| value.len()).sum();
                (1 + of_ingress(ingress)).saturating_mul(1 + bytes / 2)
            }
            Object::IngressRoute(route) => 2 * route.spec.routes.len(),
            Object::HttpProxy(proxy) => proxy.spec.routes.len() + proxy.spec.includes.len(),
            object => object.route().map_or(0, |route| {
                let matches: usize = route.rules().map(|rule| rule.match_count().max(1)).sum();
                route.hostnames().len().max(1) * (route.parent_refs().len() + matches)
            }),
        }
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

fn of_certificate_delegation(delegation: &TlsCertificateDelegation<'_>) -> usize {
    delegation.spec.delegations.iter().map(|delegated| at_least_one(&delegated.target_namespaces)).sum()
}

/// The number of entries of an element with this list; at least one, for the element itself.
fn at_least_one<T>(list: &[T]) -> usize {
    list.len().max(1)
}
