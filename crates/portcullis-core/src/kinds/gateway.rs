//! `gateway.networking.k8s.io` Gateway.

use serde::Deserialize;

use super::listener::{FromNamespaces, Listener, Listeners};
use super::reference::TargetRef;
use super::{Entries, Kind, Metadata, Text, integer_or_none, null_is_default, text_or_none};
use crate::kinds::shape::maps_only;

/// The annotation in `spec.infrastructure.annotations` that sets the routability (GEP-1651) if the CRD has no field for
/// it.
pub const ROUTABILITY_ANNOTATION: &str = "portcullis.dev/routability";

/// The maximum number of entries in a map or list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Most {
    /// In releases up to 1.5 of the Gateway API.
    pub before: usize,
    /// Since release 1.6.
    pub now: usize,
}

/// The maximum number of annotations in `spec.infrastructure`.
pub const MAX_ANNOTATIONS: Most = Most { before: 8, now: 16 };
/// The maximum number of authorities for client certificates.
pub const MAX_AUTHORITIES: Most = Most { before: 8, now: 16 };

/// A Gateway under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct Gateway<'a> {
    /// Name, namespace, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The desired state.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: GatewaySpec<'a>,
}

impl<'a> Gateway<'a> {
    /// The listeners, in the common form with ListenerSets.
    pub fn listeners(&self) -> Listeners<'_, 'a> {
        Listeners { kind: Kind::Gateway, metadata: &self.metadata, all: &self.spec.listeners }
    }

    /// The namespaces whose ListenerSets may attach, if specified.
    pub fn allowed_listeners(&self) -> Option<&FromNamespaces<'a>> {
        self.spec.allowed_listeners.as_ref()?.namespaces.as_ref()
    }

    /// The class as written; empty if it is absent.
    pub fn class(&self) -> &str {
        self.spec.gateway_class_name.as_deref().unwrap_or_default()
    }
}

/// `spec` of a Gateway.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct GatewaySpec<'a> {
    /// The class that serves it.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub gateway_class_name: Option<Text<'a>>,
    /// The listeners.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub listeners: Vec<Listener<'a>>,
    /// The requested addresses.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub addresses: Vec<Address<'a>>,
    /// Settings of the resources that are created for it.
    #[serde(borrow)]
    pub infrastructure: Option<Infrastructure<'a>>,
    /// The ListenerSets that may attach.
    #[serde(borrow)]
    pub allowed_listeners: Option<AllowedListeners<'a>>,
    /// TLS settings for clients and backends.
    #[serde(borrow)]
    pub tls: Option<GatewayTls<'a>>,
    /// `All` or `None`: whether routes with `useDefaultGateways` attach (GEP-3793).
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub default_scope: Option<Text<'a>>,
}

/// One of `spec.addresses`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct Address<'a> {
    /// `IPAddress`, `Hostname`, `NamedAddress` or `domain/path`; absent for `IPAddress`.
    #[serde(borrow, rename = "type", deserialize_with = "text_or_none")]
    pub kind: Option<Text<'a>>,
    /// The address; absent for any address of the type.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub value: Option<Text<'a>>,
    /// From where it must be reachable, if the CRD has the field (GEP-5093).
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub routability: Option<Text<'a>>,
}

impl Address<'_> {
    /// The type, or its default.
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("IPAddress")
    }
}

/// `spec.infrastructure` of a Gateway.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct Infrastructure<'a> {
    /// Labels for the resources that are created for the Gateway.
    #[serde(borrow)]
    pub labels: Entries<'a>,
    /// Annotations for the resources that are created for the Gateway.
    #[serde(borrow)]
    pub annotations: Entries<'a>,
    /// Parameters of the controller, in the same namespace.
    #[serde(borrow)]
    pub parameters_ref: Option<TargetRef<'a>>,
    /// From where the Gateway must be reachable, if the CRD has the field (GEP-1651).
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub routability: Option<Text<'a>>,
}

/// `spec.allowedListeners` of a Gateway.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct AllowedListeners<'a> {
    /// The namespaces whose ListenerSets may attach; absent for none.
    #[serde(borrow)]
    pub namespaces: Option<FromNamespaces<'a>>,
}

/// `spec.tls` of a Gateway.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct GatewayTls<'a> {
    /// Settings for connections to backends.
    #[serde(borrow)]
    pub backend: Option<BackendTls<'a>>,
    /// Settings for connections from clients.
    #[serde(borrow)]
    pub frontend: Option<FrontendTls<'a>>,
}

/// `spec.tls.backend` of a Gateway.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct BackendTls<'a> {
    /// The certificate that the Gateway presents to backends.
    #[serde(borrow)]
    pub client_certificate_ref: Option<TargetRef<'a>>,
}

/// `spec.tls.frontend` of a Gateway.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct FrontendTls<'a> {
    /// The settings for all ports without an entry in `perPort`.
    #[serde(borrow)]
    pub default: Option<FrontendTlsConfig<'a>>,
    /// The settings for single ports.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub per_port: Vec<PortTls<'a>>,
}

/// TLS settings for clients on one port.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct PortTls<'a> {
    /// The port.
    #[serde(deserialize_with = "integer_or_none")]
    pub port: Option<i64>,
    /// The settings for this port.
    #[serde(borrow)]
    pub tls: Option<FrontendTlsConfig<'a>>,
}

/// TLS settings for clients.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct FrontendTlsConfig<'a> {
    /// How client certificates are validated.
    #[serde(borrow)]
    pub validation: Option<FrontendTlsValidation<'a>>,
}

/// How client certificates are validated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct FrontendTlsValidation<'a> {
    /// The trusted certificate authorities.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub ca_certificate_refs: Vec<TargetRef<'a>>,
    /// `AllowValidOnly` or `AllowInsecureFallback`; absent for the first.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub mode: Option<Text<'a>>,
}

maps_only!(
    Gateway,
    GatewaySpec,
    Address,
    Infrastructure,
    AllowedListeners,
    GatewayTls,
    BackendTls,
    FrontendTls,
    PortTls,
    FrontendTlsConfig,
    FrontendTlsValidation
);
