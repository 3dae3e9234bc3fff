//! Core Service, with the parts that backend references need.

use serde::Deserialize;

use super::ingress::LoadBalancerStatus;
use super::{Metadata, Text, integer_or_zero, null_is_default, shape::maps_only, text_or_none};

maps_only!(Service, ServiceSpec, Port, ServiceStatus);

/// A Service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct Service<'a> {
    /// Name and namespace.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The desired state, with the ports.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: ServiceSpec<'a>,
    /// The observed state, with the addresses of the load balancer.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub status: ServiceStatus<'a>,
}

/// `spec` of a Service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", rename_all = "camelCase", expecting = "a map")]
pub struct ServiceSpec<'a> {
    /// `ClusterIP`, `ExternalName`, ...
    #[serde(borrow, rename = "type", deserialize_with = "text_or_none")]
    pub kind: Option<Text<'a>>,
    /// The ports.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub ports: Vec<Port<'a>>,
    /// The addresses inside the cluster; `None` as an entry means that there is none.
    #[serde(borrow, rename = "clusterIPs", deserialize_with = "null_is_default")]
    pub cluster_ips: Vec<Text<'a>>,
}

/// `status` of a Service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", rename_all = "camelCase", expecting = "a map")]
pub struct ServiceStatus<'a> {
    /// The load balancer.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub load_balancer: LoadBalancerStatus<'a>,
}

/// One port of a Service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct Port<'a> {
    /// The name. A single port may have none.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub name: Option<Text<'a>>,
    /// Its number.
    #[serde(deserialize_with = "integer_or_zero")]
    pub port: i64,
    /// `TCP` (the default), `UDP` or `SCTP`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub protocol: Option<Text<'a>>,
}

impl Port<'_> {
    /// Whether it accepts TCP connections.
    pub fn is_tcp(&self) -> bool {
        self.protocol.as_deref().is_none_or(|protocol| matches!(protocol, "" | "TCP"))
    }
}
