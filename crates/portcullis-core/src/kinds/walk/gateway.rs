//! The elements of a Gateway except its listeners.

use crate::field::{At, FieldPath, MapEntry};
use crate::kinds::Gateway;
use crate::kinds::gateway::{Address, FrontendTlsValidation, PortTls, ROUTABILITY_ANNOTATION};
use crate::kinds::reference::TargetRef;

/// Each requested address.
pub fn addresses<'g, 'a>(gateway: &'g Gateway<'a>) -> impl Iterator<Item = (At, &'g Address<'a>)> {
    let at = |address| At::element("spec.addresses[]", [address]);
    gateway.spec.addresses.iter().enumerate().map(move |(index, address)| (at(index), address))
}

/// Each label for the resources of the Gateway, with its key and its value.
pub fn infrastructure_labels<'g>(gateway: &'g Gateway<'_>) -> impl Iterator<Item = (MapEntry<'g>, &'g str, &'g str)> {
    let map = At::field("spec.infrastructure").child("labels");
    let entries = gateway.spec.infrastructure.iter().flat_map(|infrastructure| infrastructure.labels.iter());
    entries.map(move |(key, value)| (map.entry(key), key, value))
}

/// Each annotation for the resources of the Gateway, with its key and its value.
pub fn infrastructure_annotations<'g>(
    gateway: &'g Gateway<'_>,
) -> impl Iterator<Item = (MapEntry<'g>, &'g str, &'g str)> {
    let map = At::field("spec.infrastructure").child("annotations");
    let entries = gateway.spec.infrastructure.iter().flat_map(|infrastructure| infrastructure.annotations.iter());
    entries.map(move |(key, value)| (map.entry(key), key, value))
}

/// The TLS settings for clients on single ports.
pub fn frontend_ports<'g, 'a>(gateway: &'g Gateway<'a>) -> impl Iterator<Item = (At, &'g PortTls<'a>)> {
    let frontend = gateway.spec.tls.iter().filter_map(|tls| tls.frontend.as_ref());
    let ports = frontend.flat_map(|frontend| frontend.per_port.iter().enumerate());
    ports.map(|(index, port)| (At::element("spec.tls.frontend.perPort[]", [index]), port))
}

/// The validation of client certificates: first the default, then that of single ports.
pub fn client_validations<'g, 'a>(
    gateway: &'g Gateway<'a>,
) -> impl Iterator<Item = (LocatedValidation, &'g FrontendTlsValidation<'a>)> {
    let frontend = gateway.spec.tls.iter().filter_map(|tls| tls.frontend.as_ref());
    let default = frontend.filter_map(|frontend| frontend.default.as_ref()?.validation.as_ref());
    let ports = frontend_ports(gateway).enumerate();
    let of_ports = ports.filter_map(|(index, (_, port))| {
        Some((LocatedValidation(Some(index)), port.tls.as_ref()?.validation.as_ref()?))
    });
    default.map(|validation| (LocatedValidation(None), validation)).chain(of_ports)
}

/// The location of a validation of client certificates: the default, or the port at an index.
#[derive(Debug, Clone, Copy)]
pub struct LocatedValidation(Option<usize>);

impl LocatedValidation {
    /// Its address.
    pub fn at(self) -> At {
        match self.0 {
            None => At::field("spec.tls.frontend.default.validation"),
            Some(port) => At::element("spec.tls.frontend.perPort[].tls.validation", [port]),
        }
    }

    /// The address of its certificate authorities.
    pub fn authorities(self) -> At {
        match self.0 {
            None => At::field("spec.tls.frontend.default.validation.caCertificateRefs"),
            Some(port) => At::element("spec.tls.frontend.perPort[].tls.validation.caCertificateRefs", [port]),
        }
    }

    /// The index of the port; `None` for the default.
    pub fn port(self) -> Option<usize> {
        self.0
    }

    /// The address of one of its certificate authorities.
    pub fn authority(self, index: usize) -> At {
        match self.0 {
            None => At::element("spec.tls.frontend.default.validation.caCertificateRefs[]", [index]),
            Some(port) => At::element("spec.tls.frontend.perPort[].tls.validation.caCertificateRefs[]", [port, index]),
        }
    }
}

/// The purpose of a reference of a Gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Parameters of the controller.
    Parameters,
    /// The certificate that the Gateway presents to backends.
    ClientCertificate,
    /// An authority that signs client certificates.
    Authority,
}

impl Purpose {
    /// The core kind that every implementation supports for it; `None` for parameters, which the implementation
    /// defines.
    pub fn core_kind(self) -> Option<&'static str> {
        match self {
            Self::Parameters => None,
            Self::ClientCertificate => Some("Secret"),
            Self::Authority => Some("ConfigMap"),
        }
    }
}

/// Each reference outside of the listeners.
pub fn references<'g, 'a>(gateway: &'g Gateway<'a>) -> impl Iterator<Item = (At, &'g TargetRef<'a>, Purpose)> {
    let infrastructure = gateway.spec.infrastructure.iter();
    let parameters = infrastructure.filter_map(|infrastructure| infrastructure.parameters_ref.as_ref());
    let parameters =
        parameters.map(|reference| (At::field("spec.infrastructure.parametersRef"), reference, Purpose::Parameters));
    let backend = gateway.spec.tls.iter().filter_map(|tls| tls.backend.as_ref()?.client_certificate_ref.as_ref());
    let certificate = backend
        .map(|reference| (At::field("spec.tls.backend.clientCertificateRef"), reference, Purpose::ClientCertificate));
    let authorities = client_validations(gateway).flat_map(|(site, validation)| {
        let all = validation.ca_certificate_refs.iter().enumerate();
        all.map(move |(index, reference)| (site.authority(index), reference, Purpose::Authority))
    });
    parameters.chain(certificate).chain(authorities)
}

/// The routability that the Gateway as a whole requests, in its field or in the annotation that replaces the field.
pub fn routability<'g>(gateway: &'g Gateway<'_>) -> Option<(FieldPath, &'g str)> {
    let infrastructure = gateway.spec.infrastructure.as_ref()?;
    let field = infrastructure.routability.as_deref();
    let field = field.map(|value| (At::field("spec.infrastructure").then("routability"), value));
    field.or_else(|| {
        let value = infrastructure.annotations.get(ROUTABILITY_ANNOTATION)?;
        Some((At::field("spec.infrastructure.annotations").key(ROUTABILITY_ANNOTATION), &**value))
    })
}

/// Each routability that the Gateway requests: first that of the whole, then those of single addresses.
pub fn routabilities<'g>(gateway: &'g Gateway<'_>) -> impl Iterator<Item = (FieldPath, &'g str)> {
    // Since bundle 1.7 an empty one is valid: it asks for nothing.
    let of_address = |address: &'g Address<'_>| address.routability.as_deref().filter(|value| !value.is_empty());
    let of_addresses =
        addresses(gateway).filter_map(move |(at, address)| Some((at.then("routability"), of_address(address)?)));
    routability(gateway).into_iter().chain(of_addresses)
}
