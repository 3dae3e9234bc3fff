//! The common form of HTTPRoute, GRPCRoute, TLSRoute, TCPRoute and UDPRoute.

use super::filter::BackendRef;
use super::filter::Filter;
use super::grpc_route::GrpcRoute;
use super::http_route::{HttpRoute, NameValueMatch, SessionPersistence};
use super::l4_route::L4Route;
use super::reference::ParentRef;
use super::{Kind, Metadata, Text, present_names};

/// A borrowed route of any kind.
#[derive(Debug, Clone, Copy)]
pub enum Route<'o, 'a> {
    /// An HTTPRoute.
    Http(&'o HttpRoute<'a>),
    /// A GRPCRoute.
    Grpc(&'o GrpcRoute<'a>),
    /// A layer 4 route, with its kind.
    L4(Kind, &'o L4Route<'a>),
}

/// A rule of a route of any kind.
#[derive(Debug, Clone, Copy)]
pub struct RouteRule<'o, 'a> {
    /// Its name.
    pub name: Option<&'o Text<'a>>,
    /// The filters for its requests; empty for layer 4 routes.
    pub filters: &'o [Filter<'a>],
    /// The backends.
    pub backend_refs: &'o [BackendRef<'a>],
    /// How the requests of a client are kept on one backend.
    pub session_persistence: Option<&'o SessionPersistence<'a>>,
    /// Whether it has `forwardTo`, the name of `backendRefs` before v1alpha2.
    pub forwards: bool,
    matches: Matches<'o, 'a>,
}

#[derive(Debug, Clone, Copy)]
enum Matches<'o, 'a> {
    Http(&'o [super::http_route::HttpMatch<'a>]),
    Grpc(&'o [super::grpc_route::GrpcMatch<'a>]),
    None,
}

impl<'o, 'a> RouteRule<'o, 'a> {
    /// The number of matches.
    pub fn match_count(&self) -> usize {
        match self.matches {
            Matches::Http(matches) => matches.len(),
            Matches::Grpc(matches) => matches.len(),
            Matches::None => 0,
        }
    }

    /// The headers of the match at `index`.
    pub fn headers(&self, index: usize) -> &'o [NameValueMatch<'a>] {
        match self.matches {
            Matches::Http(matches) => matches.get(index).map_or(&[], |matched| &matched.headers),
            Matches::Grpc(matches) => matches.get(index).map_or(&[], |matched| &matched.headers),
            Matches::None => &[],
        }
    }
}

impl<'o, 'a> Route<'o, 'a> {
    /// The kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Http(_) => Kind::HttpRoute,
            Self::Grpc(_) => Kind::GrpcRoute,
            Self::L4(kind, _) => *kind,
        }
    }

    /// Name, namespace, labels, annotations.
    pub fn metadata(&self) -> &'o Metadata<'a> {
        match self {
            Self::Http(route) => &route.metadata,
            Self::Grpc(route) => &route.metadata,
            Self::L4(_, route) => &route.metadata,
        }
    }

    /// The parents to which it attaches.
    pub fn parent_refs(&self) -> &'o [ParentRef<'a>] {
        match self {
            Self::Http(route) => &route.spec.parent_refs,
            Self::Grpc(route) => &route.spec.parent_refs,
            Self::L4(_, route) => &route.spec.parent_refs,
        }
    }

    /// The hosts that it names; empty if its kind has none.
    pub fn hostnames(&self) -> &'o [Text<'a>] {
        match self {
            Self::Http(route) => &route.spec.hostnames,
            Self::Grpc(route) => &route.spec.hostnames,
            Self::L4(Kind::TlsRoute, route) => &route.spec.hostnames,
            Self::L4(..) => &[],
        }
    }

    /// Whether its kind has hosts. Requests and TLS connections name a host, other connections do not.
    pub fn has_hosts(&self) -> bool {
        !matches!(self, Self::L4(Kind::TcpRoute | Kind::UdpRoute, _))
    }

    /// Whether it is a layer 4 route, which always sends its connections to a backend.
    pub fn is_l4(&self) -> bool {
        matches!(self, Self::L4(..))
    }

    /// The names of the fields from early drafts that it has.
    pub fn drafted(&self) -> impl Iterator<Item = &'static str> + use<> {
        let [gateways, attach_to] = match self {
            Self::Http(route) => [route.spec.gateways, route.spec.attach_to],
            Self::L4(_, route) => [route.spec.gateways, route.spec.attach_to],
            Self::Grpc(_) => Default::default(),
        };
        present_names([("gateways", gateways), ("attachTo", attach_to)])
    }

    /// Whether it attaches to the default Gateways, as written.
    pub fn use_default_gateways(&self) -> Option<&'o str> {
        let written = match self {
            Self::Http(route) => &route.spec.use_default_gateways,
            Self::Grpc(route) => &route.spec.use_default_gateways,
            Self::L4(_, route) => &route.spec.use_default_gateways,
        };
        written.as_deref()
    }

    /// Whether it attaches to the default Gateways.
    pub fn uses_default_gateways(&self) -> bool {
        self.use_default_gateways() == Some("All")
    }

    /// The number of rules.
    pub fn rule_count(&self) -> usize {
        match self {
            Self::Http(route) => route.spec.rules().len(),
            Self::Grpc(route) => route.spec.rules.len(),
            Self::L4(_, route) => route.spec.rules.len(),
        }
    }

    /// The rules, in document order.
    pub fn rules(&self) -> impl Iterator<Item = RouteRule<'o, 'a>> + use<'o, 'a> {
        let route = *self;
        (0..self.rule_count()).filter_map(move |index| route.rule(index))
    }

    /// The filters and the backends of the rule at `index`. Layer 4 routes have no filters.
    pub fn filtered(&self, index: usize) -> Option<(&'o [Filter<'a>], &'o [BackendRef<'a>])> {
        match self {
            Self::Http(route) => route.spec.rules().get(index).map(|rule| (&*rule.filters, &*rule.backend_refs)),
            Self::Grpc(route) => route.spec.rules.get(index).map(|rule| (&*rule.filters, &*rule.backend_refs)),
            Self::L4(_, route) => route.spec.rules.get(index).map(|rule| (&[][..], &*rule.backend_refs)),
        }
    }

    /// The rule at `index`.
    pub fn rule(&self, index: usize) -> Option<RouteRule<'o, 'a>> {
        match self {
            Self::Http(route) => route.spec.rules().get(index).map(|rule| RouteRule {
                name: rule.name.as_ref(),
                filters: &rule.filters,
                backend_refs: &rule.backend_refs,
                session_persistence: rule.session_persistence.as_deref(),
                forwards: rule.forward_to.0,
                matches: Matches::Http(&rule.matches),
            }),
            Self::Grpc(route) => route.spec.rules.get(index).map(|rule| RouteRule {
                name: rule.name.as_ref(),
                filters: &rule.filters,
                backend_refs: &rule.backend_refs,
                session_persistence: rule.session_persistence.as_deref(),
                forwards: false,
                matches: Matches::Grpc(&rule.matches),
            }),
            Self::L4(_, route) => route.spec.rules.get(index).map(|rule| RouteRule {
                name: rule.name.as_ref(),
                filters: &[],
                backend_refs: &rule.backend_refs,
                session_persistence: None,
                forwards: rule.forward_to.0,
                matches: Matches::None,
            }),
        }
    }
}
