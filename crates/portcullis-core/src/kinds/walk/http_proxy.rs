//! The elements of an HTTPProxy.

use crate::field::At;
use crate::kinds::HttpProxy;
use crate::kinds::http_proxy::{HeaderCondition, Include, MatchCondition, ProxyRoute, ProxyService, Traffic};

/// Each route.
pub fn routes<'o, 'a>(proxy: &'o HttpProxy<'a>) -> impl Iterator<Item = (At, &'o ProxyRoute<'a>)> + use<'o, 'a> {
    let routes = proxy.spec.routes.iter().enumerate();
    routes.map(|(index, route)| (At::element("spec.routes[]", [index]), route))
}

/// Each include.
pub fn includes<'o, 'a>(proxy: &'o HttpProxy<'a>) -> impl Iterator<Item = (At, &'o Include<'a>)> + use<'o, 'a> {
    let includes = proxy.spec.includes.iter().enumerate();
    includes.map(|(index, include)| (At::element("spec.includes[]", [index]), include))
}

/// An HTTPProxy that another one includes.
#[derive(Debug, Clone, Copy)]
pub struct IncludedProxy<'o> {
    /// The address of the reference.
    pub at: At,
    /// The name.
    pub name: &'o str,
    /// The namespace, which may be the object's own.
    pub namespace: &'o str,
    /// The traffic for which it is included.
    pub traffic: Traffic,
}

/// Each included HTTPProxy: first for requests, then for connections. References without a name are left out.
pub fn included_proxies<'o>(proxy: &'o HttpProxy<'_>) -> impl Iterator<Item = IncludedProxy<'o>> {
    let own = proxy.metadata.namespace();
    let of_requests = includes(proxy).map(move |(at, include)| IncludedProxy {
        at,
        name: &include.name,
        namespace: include.namespace_from(own),
        traffic: Traffic::Requests,
    });
    let of_connections =
        proxy.spec.tcpproxy.as_ref().and_then(|tcp| tcp.include()).map(|(field, include)| IncludedProxy {
            at: At::field(if field == "include" { "spec.tcpproxy.include" } else { "spec.tcpproxy.includes" }),
            name: &include.name,
            namespace: include.namespace_from(own),
            traffic: Traffic::Connections,
        });
    of_requests.chain(of_connections).filter(|included| !included.name.is_empty())
}

/// The conditions of one route or include, all of which must hold.
#[derive(Debug, Clone, Copy)]
pub struct Block<'o, 'a> {
    /// The conditions.
    pub conditions: &'o [MatchCondition<'a>],
    /// Whether they belong to an include.
    pub is_include: bool,
    index: usize,
}

impl<'o, 'a> Block<'o, 'a> {
    /// Their address.
    pub fn at(&self) -> At {
        At::element(
            if self.is_include { "spec.includes[].conditions" } else { "spec.routes[].conditions" },
            [self.index],
        )
    }

    /// The address of the condition at the index `position`.
    pub fn element(&self, position: usize) -> At {
        let pattern = if self.is_include { "spec.includes[].conditions[]" } else { "spec.routes[].conditions[]" };
        At::element(pattern, [self.index, position])
    }

    /// Each header condition.
    pub fn headers(self) -> impl Iterator<Item = (At, &'o HeaderCondition<'a>)> {
        let pattern = ["spec.routes[].conditions[].header", "spec.includes[].conditions[].header"];
        let pattern = pattern[usize::from(self.is_include)];
        let conditions = self.conditions.iter().enumerate();
        conditions.filter_map(move |(position, condition)| {
            Some((At::element(pattern, [self.index, position]), condition.header.as_ref()?))
        })
    }

    /// The address of the query parameter in the condition at the index `position`.
    pub fn query(&self, position: usize) -> At {
        let patterns = ["spec.routes[].conditions[].queryParameter", "spec.includes[].conditions[].queryParameter"];
        At::element(patterns[usize::from(self.is_include)], [self.index, position])
    }
}

/// The conditions of each include, then of each route.
pub fn blocks<'o, 'a>(proxy: &'o HttpProxy<'a>) -> impl Iterator<Item = Block<'o, 'a>> + use<'o, 'a> {
    let block = |is_include| move |(index, conditions)| Block { conditions, is_include, index };
    let of_includes = proxy.spec.includes.iter().map(|include| &*include.conditions).enumerate().map(block(true));
    let of_routes = proxy.spec.routes.iter().map(|route| &*route.conditions).enumerate().map(block(false));
    of_includes.chain(of_routes)
}

/// Each Service: first those of the routes, then those of whole connections.
pub fn services<'o, 'a>(proxy: &'o HttpProxy<'a>) -> impl Iterator<Item = (At, &'o ProxyService<'a>)> + use<'o, 'a> {
    let of_routes = proxy.spec.routes.iter().enumerate().flat_map(|(route_index, route)| {
        let services = route.services.iter().enumerate();
        services.map(move |(index, service)| (At::element("spec.routes[].services[]", [route_index, index]), service))
    });
    let of_connections = proxy.spec.tcpproxy.iter().flat_map(|tcp| tcp.services.iter().enumerate());
    of_routes.chain(of_connections.map(|(index, service)| (At::element("spec.tcpproxy.services[]", [index]), service)))
}
