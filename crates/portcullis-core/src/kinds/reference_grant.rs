//! `gateway.networking.k8s.io` ReferenceGrant: which objects in other namespaces may refer to objects in its namespace.

use serde::Deserialize;

use super::reference::GATEWAY_GROUP;
use super::{Kind, Metadata, Text, null_is_default, text_or_empty, text_or_none};
use crate::kinds::shape::maps_only;

/// A ReferenceGrant under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct ReferenceGrant<'a> {
    /// Name, namespace, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The allowed references.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: ReferenceGrantSpec<'a>,
}

/// `spec` of a ReferenceGrant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct ReferenceGrantSpec<'a> {
    /// The objects that may refer. Each entry is an alternative.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub from: Vec<GrantFrom<'a>>,
    /// The objects that may be referred to. Each entry is an alternative.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub to: Vec<GrantTo<'a>>,
}

/// One of `spec.from`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct GrantFrom<'a> {
    /// The group of the referring object; empty for the core group.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub group: Option<Text<'a>>,
    /// The kind.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub kind: Text<'a>,
    /// The namespace.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub namespace: Text<'a>,
}

/// One of `spec.to`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct GrantTo<'a> {
    /// The group of the referenced object; empty for the core group.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub group: Option<Text<'a>>,
    /// The kind.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub kind: Text<'a>,
    /// The name; absent for all objects of the kind.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub name: Option<Text<'a>>,
}

/// Whether objects of the kind `from` ever need a grant to refer to objects of the kind `to`, each given by group and
/// kind; `None` if only an implementation knows.
///
/// Gateways and ListenerSets refer to certificates, and routes to backends. The listener, not a grant, decides which
/// routes may attach, and filters and policies never refer to other namespaces.
pub fn is_grant_needed((group, kind): (&str, &str), to: (&str, &str)) -> Option<bool> {
    use Kind::{BackendTlsPolicy, Gateway, GatewayClass, GrpcRoute, HttpRoute, ListenerSet, ReferenceGrant};
    use Kind::{TcpRoute, TlsRoute, UdpRoute};
    let from = Kind::ALL.into_iter().find(|own| (own.api().group, own.api().kind) == (group, kind))?;
    let reaches = match from {
        Gateway => ["Secret", "ConfigMap"].as_slice(),
        ListenerSet => &["Secret"],
        HttpRoute | GrpcRoute | TlsRoute | TcpRoute | UdpRoute => &["Service"],
        GatewayClass | ReferenceGrant | BackendTlsPolicy => return Some(false),
        _ => return None,
    };
    match to {
        // Some controllers forward what a route of layer 4 accepts to another Gateway.
        (GATEWAY_GROUP, "Gateway") if matches!(from, TlsRoute | TcpRoute | UdpRoute) => None,
        ("", kind) => Some(reaches.contains(&kind)),
        (GATEWAY_GROUP, _) => Some(false),
        _ => None,
    }
}

maps_only!(ReferenceGrant, ReferenceGrantSpec, GrantFrom, GrantTo);
