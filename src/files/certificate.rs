//! Reads a certificate.

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use x509_parser::extensions::GeneralName;
use x509_parser::parse_x509_certificate;

/// The public key of the first certificate in `pem`, as SubjectPublicKeyInfo in DER; `None` if there is no valid certificate.
pub(super) fn public_key(pem: &[u8]) -> Option<Vec<u8>> {
    let certificate = CertificateDer::from_pem_slice(pem).ok()?;
    let (_, certificate) = parse_x509_certificate(&certificate).ok()?;
    Some(certificate.public_key().raw.to_vec())
}

/// The DNS names on the first certificate in `pem`; `None` if there is no valid certificate.
pub(super) fn dns_names(pem: &[u8]) -> Option<Box<[Box<str>]>> {
    let certificate = CertificateDer::from_pem_slice(pem).ok()?;
    let (_, certificate) = parse_x509_certificate(&certificate).ok()?;
    let alternatives = certificate.subject_alternative_name().ok()?;
    let names = alternatives.iter().flat_map(|extension| &extension.value.general_names);
    let dns = names.filter_map(|name| match name {
        GeneralName::DNSName(name) => Some(Box::from(*name)),
        _ => None,
    });
    Some(dns.collect())
}
