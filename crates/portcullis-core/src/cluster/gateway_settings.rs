//! The settings of a Gateway beside its listeners, as far as its status and that of its ListenerSets depend on them.

use crate::field::At;
use crate::kinds::Gateway;
use crate::kinds::gateway::Address;
use crate::kinds::reference::TargetRef;
use crate::kinds::walk::gateway::{self as walk, Purpose};
use crate::kinds::walk::reference::Reference;
use crate::validation::{ObjectError, object_reference};

/// The settings of a Gateway.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GatewaySettings {
    /// Kind and name of the parameters in `spec.infrastructure.parametersRef`.
    pub parameters: Option<Box<str>>,
    /// The routability that the Gateway as a whole requests.
    pub routability: Option<Box<str>>,
    /// The requested addresses.
    pub addresses: Box<[RequestedAddress]>,
    /// How client certificates are validated on single ports.
    pub ports: Box<[PortAuthorities]>,
    /// The authorities for client certificates on all other ports.
    pub authorities: Box<[CertificateRef]>,
}

/// The authorities for client certificates on one port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortAuthorities {
    /// The port.
    pub port: Option<i64>,
    /// The authorities.
    pub authorities: Box<[CertificateRef]>,
}

/// One of `spec.addresses`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedAddress {
    /// The type.
    pub kind: Box<str>,
    /// The address; empty for any address of the type.
    pub value: Box<str>,
    /// From where it must be reachable.
    pub routability: Option<Box<str>>,
}

/// A reference of a Gateway or a listener to a certificate, or to an authority for client certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateRef {
    /// Its address.
    pub at: At,
    /// The group; empty for the core group.
    pub group: Box<str>,
    /// The kind.
    pub kind: Box<str>,
    /// The namespace.
    pub namespace: Box<str>,
    /// The name.
    pub name: Box<str>,
    /// What is malformed about the reference.
    pub error: Option<Box<ObjectError>>,
}

impl CertificateRef {
    /// Returns the facts of `target` at `at`, in an object of `namespace`. If it is malformed, that is an error of the rule `id`.
    pub fn of((at, target): (At, &TargetRef<'_>), id: &'static str, default_kind: &str, namespace: &str) -> Self {
        let error = object_reference::first_error(&Reference::target(at, target), id);
        Self {
            at,
            group: target.group().into(),
            kind: target.kind_or(default_kind).into(),
            namespace: target.namespace_from(namespace).into(),
            name: (*target.name).into(),
            error: error.map(|finding| Box::new(finding.into())),
        }
    }
}

impl GatewaySettings {
    /// Returns the settings of `gateway`; `None` if it has none.
    pub fn of(gateway: &Gateway<'_>) -> Option<Box<Self>> {
        let mut parameters = walk::references(gateway).filter(|(_, _, purpose)| *purpose == Purpose::Parameters);
        let settings = Self {
            parameters: parameters
                .next()
                .map(|(_, target, _)| format!("{} {}", target.kind_or(""), target.name).into()),
            routability: walk::routability(gateway).map(|(_, value)| value.into()),
            addresses: walk::addresses(gateway).map(|(_, address)| requested(address)).collect(),
            ports: walk::frontend_ports(gateway)
                .enumerate()
                .map(|(index, (_, entry))| PortAuthorities {
                    port: entry.port,
                    authorities: authorities(gateway, Some(index)),
                })
                .collect(),
            authorities: authorities(gateway, None),
        };
        (settings != Self::default()).then(|| Box::new(settings))
    }

    /// The authorities for client certificates on `port`. An entry for the port replaces the default as a whole.
    pub fn authorities_on(&self, port: Option<i64>) -> &[CertificateRef] {
        let entry = self.ports.iter().find(|entry| entry.port.is_some() && entry.port == port);
        entry.map_or(&self.authorities, |entry| &entry.authorities)
    }
}

fn requested(address: &Address<'_>) -> RequestedAddress {
    RequestedAddress {
        kind: address.kind().into(),
        value: address.value.as_deref().unwrap_or_default().into(),
        routability: address.routability.as_deref().map(Box::from),
    }
}

/// The authorities of the default validation, or of the one of a port by its index.
fn authorities(gateway: &Gateway<'_>, port: Option<usize>) -> Box<[CertificateRef]> {
    let namespace = gateway.metadata.namespace();
    let site = walk::client_validations(gateway).find(|(site, _)| site.port() == port);
    let all = site.into_iter().flat_map(|(site, validation)| {
        let refs = validation.ca_certificate_refs.iter().enumerate();
        refs.map(move |(index, target)| {
            let site = (site.authority(index), target);
            CertificateRef::of(site, "gateway/reference-malformed", "ConfigMap", namespace)
        })
    });
    all.collect()
}
