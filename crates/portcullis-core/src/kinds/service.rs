//! Core Service, with the parts that backend references need.

use serde::Deserialize;

use super::{Metadata, Text, integer_or_zero, null_is_default, shape::maps_only, text_or_none};

maps_only!(Service, ServiceSpec, Port);

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
}

/// `spec` of a Service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct ServiceSpec<'a> {
    /// `ClusterIP`, `ExternalName`, ...
    #[serde(borrow, rename = "type", deserialize_with = "text_or_none")]
    pub kind: Option<Text<'a>>,
    /// The ports.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub ports: Vec<Port<'a>>,
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
