//! Listeners, which Gateway and ListenerSet have in common.

use serde::Deserialize;
use serde_json::Value;

use super::label_selector::LabelSelector;
use super::reference::TargetRef;
use super::{Entries, Kind, Metadata, Text, integer_or_none, null_is_default, text_or_empty, text_or_none};
use crate::kinds::shape::maps_only;

/// One of `spec.listeners`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct Listener<'a> {
    /// The name, unique in its object.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// The host for which it accepts requests; absent for every host.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub hostname: Option<Text<'a>>,
    /// The port on which it listens.
    #[serde(deserialize_with = "integer_or_none")]
    pub port: Option<i64>,
    /// `HTTP`, `HTTPS`, `TLS`, `TCP`, `UDP` or a name defined by the implementation.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub protocol: Text<'a>,
    /// The TLS settings.
    #[serde(borrow)]
    pub tls: Option<ListenerTls<'a>>,
    /// The routes that may attach.
    #[serde(borrow)]
    pub allowed_routes: Option<AllowedRoutes<'a>>,
    /// The name of `allowedRoutes` before v1alpha2, which selected routes by their labels, too.
    pub routes: Option<Value>,
}

/// Whether a protocol distinguishes hosts. `TCP` and `UDP` do not, and neither does `HBONE`, which connects the
/// workloads of a mesh to its waypoints. Other protocols of implementations are assumed to.
pub fn has_host(protocol: &str) -> bool {
    !matches!(protocol, "TCP" | "UDP" | "HBONE")
}

impl Listener<'_> {
    /// The host as written; empty for every host.
    pub fn hostname(&self) -> &str {
        self.hostname.as_deref().unwrap_or_default()
    }

    /// Whether its connections begin with a TLS handshake.
    pub fn is_tls(&self) -> bool {
        matches!(&*self.protocol, "HTTPS" | "TLS")
    }

    /// Whether it passes TLS connections through to its backends.
    pub fn is_passthrough(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.mode() == "Passthrough")
    }

    /// Whether its protocol distinguishes hosts.
    pub fn has_hosts(&self) -> bool {
        has_host(&self.protocol)
    }
}

/// `tls` of a listener.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct ListenerTls<'a> {
    /// `Terminate` or `Passthrough`; absent for `Terminate`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub mode: Option<Text<'a>>,
    /// The certificates with which it terminates TLS.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub certificate_refs: Vec<TargetRef<'a>>,
    /// Options of the implementation.
    #[serde(borrow)]
    pub options: Entries<'a>,
}

impl ListenerTls<'_> {
    /// The mode, or its default.
    pub fn mode(&self) -> &str {
        self.mode.as_deref().unwrap_or("Terminate")
    }
}

/// `allowedRoutes` of a listener.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct AllowedRoutes<'a> {
    /// The namespaces whose routes may attach.
    #[serde(borrow)]
    pub namespaces: Option<FromNamespaces<'a>>,
    /// The kinds that may attach; empty for those that the protocol allows.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub kinds: Vec<RouteKind<'a>>,
}

/// `namespaces` of `allowedRoutes` or `allowedListeners`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct FromNamespaces<'a> {
    /// `All`, `Selector`, `Same` or (for ListenerSets) `None`, as written.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub from: Option<Text<'a>>,
    /// The labels of the namespaces, for `Selector`.
    #[serde(borrow)]
    pub selector: Option<LabelSelector<'a>>,
}

impl FromNamespaces<'_> {
    /// Whether a selector is required but absent.
    pub fn lacks_selector(&self) -> bool {
        self.from.as_deref() == Some("Selector") && self.selector.is_none()
    }

    /// If a selector is present that is not used, returns the value of `from`, or `default` if it is absent.
    pub fn beside_unused_selector<'s>(&'s self, default: &'s str) -> Option<&'s str> {
        let from = self.from.as_deref().unwrap_or(default);
        (self.selector.is_some() && matches!(from, "All" | "Same" | "None")).then_some(from)
    }
}

/// A kind of route that may attach.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct RouteKind<'a> {
    /// The group; absent for the Gateway API's own.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub group: Option<Text<'a>>,
    /// The kind.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub kind: Text<'a>,
}

/// The maximum number of listeners of one object.
pub const MAX_LISTENERS: usize = 64;

/// An object with listeners: a Gateway or a ListenerSet.
#[derive(Debug, Clone, Copy)]
pub struct Listeners<'o, 'a> {
    /// The kind of the object.
    pub kind: Kind,
    /// Name, namespace, labels, annotations.
    pub metadata: &'o Metadata<'a>,
    /// The listeners.
    pub all: &'o [Listener<'a>],
}

maps_only!(Listener, ListenerTls, AllowedRoutes, FromNamespaces, RouteKind);
