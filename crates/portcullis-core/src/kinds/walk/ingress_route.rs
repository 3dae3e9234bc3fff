//! The elements of an IngressRoute.

use std::cell::OnceCell;
use std::ops::Deref;

use crate::field::At;
use crate::kinds::Text;
use crate::kinds::ingress_route::{Delegate, HealthCheck, IngressRoute, PathRoute, ServiceForm, WeightedService};

/// Each route.
pub fn routes<'o, 'a>(route: &'o IngressRoute<'a>) -> impl Iterator<Item = (At, &'o PathRoute<'a>)> + use<'o, 'a> {
    let routes = route.spec.routes.iter().enumerate();
    routes.map(|(index, path)| (At::element("spec.routes[]", [index]), path))
}

/// The services of one route or of `tcpproxy`, with the form in which they are written.
#[derive(Debug, Clone, Copy)]
pub struct ServiceList<'o, 'a> {
    /// The services.
    pub services: &'o [WeightedService<'a>],
    list: List,
}

/// The location of a list of services.
#[derive(Debug, Clone, Copy)]
enum List {
    Route(usize, ServiceForm),
    TcpProxy,
}

impl ServiceList<'_, '_> {
    /// The address of the list.
    pub fn at(&self) -> At {
        match self.list {
            List::Route(route, ServiceForm::Services) => At::element("spec.routes[].services", [route]),
            List::Route(route, _) => At::element("spec.routes[].service", [route]),
            List::TcpProxy => At::field("spec.tcpproxy.services"),
        }
    }

    /// The address of the service at the index `position`.
    pub fn element(&self, position: usize) -> At {
        match self.list {
            List::Route(route, ServiceForm::Services) => At::element("spec.routes[].services[]", [route, position]),
            List::Route(route, ServiceForm::ServiceList) => At::element("spec.routes[].service[]", [route, position]),
            List::Route(route, ServiceForm::ServiceMap) => At::element("spec.routes[].service", [route]),
            List::TcpProxy => At::element("spec.tcpproxy.services[]", [position]),
        }
    }
}

/// The services of each route, then those of `tcpproxy`.
pub fn service_lists<'o, 'a>(route: &'o IngressRoute<'a>) -> impl Iterator<Item = ServiceList<'o, 'a>> + use<'o, 'a> {
    let of_routes = route.spec.routes.iter().enumerate().map(|(index, path)| {
        let (form, services) = path.services();
        ServiceList { services, list: List::Route(index, form) }
    });
    let of_tcp = route.spec.tcpproxy.iter().map(|tcp| ServiceList { services: &tcp.services, list: List::TcpProxy });
    of_routes.chain(of_tcp)
}

/// Each service, at the address where it is written.
pub fn services<'o, 'a>(
    route: &'o IngressRoute<'a>,
) -> impl Iterator<Item = (At, &'o WeightedService<'a>)> + use<'o, 'a> {
    service_lists(route).flat_map(|list| {
        list.services.iter().enumerate().map(move |(position, service)| (list.element(position), service))
    })
}

/// Each delegation of a prefix with its route, and with the address of `delegate`.
pub fn delegated<'o, 'a>(
    route: &'o IngressRoute<'a>,
) -> impl Iterator<Item = (At, &'o Delegate<'a>, &'o PathRoute<'a>)> + use<'o, 'a> {
    route.spec.routes.iter().enumerate().filter_map(|(index, path)| {
        Some((At::element("spec.routes[].delegate", [index]), path.delegate.as_ref()?, path))
    })
}

/// Each delegation; that of whole connections is last.
pub fn delegates<'o, 'a>(route: &'o IngressRoute<'a>) -> impl Iterator<Item = (At, &'o Delegate<'a>)> + use<'o, 'a> {
    let of_tcp = route.spec.tcpproxy.iter().filter_map(|tcp| tcp.delegate.as_ref());
    let of_tcp = of_tcp.map(|delegate| (At::field("spec.tcpproxy.delegate"), delegate));
    delegated(route).map(|(at, delegate, _)| (at, delegate)).chain(of_tcp)
}

/// An IngressRoute with the list of its services, which many checks use and which is built on first use.
#[derive(Debug)]
pub struct IngressRouteParts<'o, 'a> {
    route: &'o IngressRoute<'a>,
    services: OnceCell<Vec<(At, &'o WeightedService<'a>)>>,
}

impl<'o, 'a> IngressRouteParts<'o, 'a> {
    /// Returns the parts of `route`.
    pub fn of(route: &'o IngressRoute<'a>) -> Self {
        Self { route, services: OnceCell::new() }
    }

    /// Each service, at the address where it is written.
    pub fn services(&self) -> impl Iterator<Item = (At, &'o WeightedService<'a>)> {
        let list = || {
            let mut list = Vec::with_capacity(service_lists(self.route).map(|list| list.services.len()).sum());
            list.extend(services(self.route));
            list
        };
        self.services.get_or_init(list).iter().copied()
    }

    /// Each load balancing strategy, with the address of the element that contains it.
    pub fn strategies(&self) -> impl Iterator<Item = (At, &'o Text<'a>)> {
        let own = self.route.spec.strategy.iter().map(|strategy| (At::field("spec"), strategy));
        own.chain(self.services().filter_map(|(at, service)| Some((at, service.strategy.as_ref()?))))
    }

    /// Each health check, with the address of the element that contains it.
    pub fn health_checks(&self) -> impl Iterator<Item = (At, &'o HealthCheck<'a>)> {
        let own = self.route.spec.health_check.as_deref().into_iter().map(|health| (At::field("spec"), health));
        own.chain(self.services().filter_map(|(at, service)| Some((at, service.health_check.as_deref()?))))
    }
}

impl<'a> Deref for IngressRouteParts<'_, 'a> {
    type Target = IngressRoute<'a>;

    fn deref(&self) -> &IngressRoute<'a> {
        self.route
    }
}
