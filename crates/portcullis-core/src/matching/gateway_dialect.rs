//! What implementations of the Gateway API do where the specification leaves it open. It follows their sources, and is not verified
//! against their releases, except for Contour and Traefik, which `just oracles` asks.

use super::compile::Reach;

/// How an implementation serves routes where the specification leaves it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GatewayDialect {
    /// How much of a path an expression must match.
    pub reach: Reach,
    /// Which of an expression and a prefix that match a request answers it.
    pub order: ExpressionOrder,
    /// Whether only the routes with the most specific host that matches answer, even if none of their rules does.
    pub is_host_final: bool,
    /// How paths are normalized before they are matched and forwarded.
    pub normalization: Option<Normalization>,
    /// After which time a request ends, if a route says nothing.
    pub timeout: Option<&'static str>,
}

/// How a proxy normalizes paths: `.` and `..`, repeated slashes, and escapes that are not needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Normalization {
    /// As Envoy does.
    Envoy,
    /// As Traefik does.
    Traefik,
}

/// Which of an expression and a prefix that match a request answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExpressionOrder {
    /// The expression.
    BeforePrefixes,
    /// The longer of both, as written.
    ByLength,
}

impl GatewayDialect {
    /// What is assumed of other implementations. Most are proxies by Envoy.
    pub const ASSUMED: Self = Self {
        reach: Reach::Whole,
        order: ExpressionOrder::BeforePrefixes,
        is_host_final: false,
        normalization: None,
        timeout: None,
    };

    /// The dialect of the implementation with this `controllerName`, if it is known.
    pub fn of(controller: &str) -> Option<Self> {
        TABLE.iter().find(|(name, _)| controller.starts_with(name)).map(|(_, dialect)| *dialect)
    }

    /// How much of a path an expression must match, as text, if not all of it.
    pub const fn reach_message(self) -> Option<&'static str> {
        match self.reach {
            Reach::Whole => None,
            Reach::Beginning(_) => Some("an expression matches the beginning of the path"),
            Reach::Anywhere(_) => Some("an expression matches any part of the path"),
        }
    }
}

/// The dialects by the beginning of `controllerName`: Envoy Gateway 1.6 (`internal/gatewayapi/sort.go`, `safe_regex`; a virtual host of Envoy
/// for each host, whose routes have the timeout of Envoy), NGINX Gateway Fabric 2.4 (`createPath` in `servers.go`; before, expressions were searched anywhere), Traefik 3.7 (`buildPathRule` in `httproute.go`),
/// and the others that configure `safe_regex` of Envoy.
static TABLE: [(&str, GatewayDialect); 7] = [
    (
        "gateway.envoyproxy.io/",
        GatewayDialect {
            is_host_final: true,
            normalization: Some(Normalization::Envoy),
            timeout: Some("15s"),
            ..GatewayDialect::ASSUMED
        },
    ),
    ("gateway.nginx.org/", GatewayDialect { reach: Reach::Beginning(false), ..GatewayDialect::ASSUMED }),
    ("io.cilium/", GatewayDialect::ASSUMED),
    ("istio.io/", GatewayDialect::ASSUMED),
    ("kgateway.dev/", GatewayDialect::ASSUMED),
    (
        "projectcontour.io/",
        GatewayDialect { is_host_final: true, normalization: Some(Normalization::Envoy), ..GatewayDialect::ASSUMED },
    ),
    (
        "traefik.io/",
        GatewayDialect {
            reach: Reach::Anywhere(false),
            order: ExpressionOrder::ByLength,
            normalization: Some(Normalization::Traefik),
            ..GatewayDialect::ASSUMED
        },
    ),
];
