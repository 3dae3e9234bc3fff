//! Extracts the facts about a Secret in a file: its type, the names on its certificate, and whether its key and its CA
//! certificate are usable.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::crypto::aws_lc_rs::sign::any_supported_type;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde::Deserialize;
use serde_json::Value;
use x509_parser::extensions::GeneralName;
use x509_parser::parse_x509_certificate;

use portcullis_core::cluster::SecretFacts;
use portcullis_core::cluster::secret_facts::{OPAQUE, SecretEntry};
use portcullis_core::kinds::Secret;

/// The facts about the Secret in `document`. If it cannot be decoded, only its type is known.
pub(super) fn secret_facts(document: &Value) -> SecretFacts {
    match <Secret<'_> as Deserialize>::deserialize(document) {
        Ok(secret) => SecretFacts {
            kind: kind(secret.kind.as_deref()),
            certificate: held(&secret, "tls.crt", names),
            key: held(&secret, "tls.key", |pem| {
                any_supported_type(&PrivateKeyDer::from_pem_slice(pem).ok()?).ok().map(drop)
            }),
            authority: held(&secret, "ca.crt", |pem| names(pem).map(drop)),
        },
        Err(_) => SecretFacts {
            kind: kind(document["type"].as_str()),
            certificate: SecretEntry::Unreadable,
            key: SecretEntry::Unreadable,
            authority: SecretEntry::Unreadable,
        },
    }
}

fn kind(written: Option<&str>) -> Box<str> {
    written.filter(|kind| !kind.is_empty()).unwrap_or(OPAQUE).into()
}

/// The entry `key` of the Secret, as `read` understands its bytes. `stringData` takes precedence over `data`.
fn held<T>(secret: &Secret<'_>, key: &str, read: impl Fn(&[u8]) -> Option<T>) -> SecretEntry<T> {
    let bytes = match (secret.string_data.get(key), secret.data.get(key)) {
        (Some(text), _) => Ok(text.as_bytes().to_owned()),
        (None, Some(encoded)) => STANDARD.decode(encoded.split_ascii_whitespace().collect::<String>()),
        (None, None) => return SecretEntry::Missing,
    };
    bytes.ok().and_then(|bytes| read(&bytes)).map_or(SecretEntry::Unreadable, SecretEntry::Read)
}

/// The DNS names on the first certificate in `pem`; `None` if there is no valid certificate.
fn names(pem: &[u8]) -> Option<Box<[Box<str>]>> {
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
