//! What is kept of a Secret in a file: whether a proxy can speak TLS with it, and for whom. Nothing that is secret.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashbrown::HashMap;
use rustls::crypto::aws_lc_rs::sign::any_supported_type;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use x509_parser::extensions::GeneralName;
use x509_parser::parse_x509_certificate;

use super::name::Name;
use crate::kinds::Secret;

/// The type of Secrets with a certificate and its key.
pub const TLS: &str = "kubernetes.io/tls";

/// The type of a Secret that names none.
const OPAQUE: &str = "Opaque";

/// What is kept of Secrets.
pub type Secrets = HashMap<Name, SecretFacts>;

/// What is kept of a Secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretFacts {
    /// Its type.
    pub kind: Box<str>,
    /// The names on the certificate in `tls.crt`.
    pub certificate: Held<Box<[Box<str>]>>,
    /// Whether the key in `tls.key` can be used.
    pub key: Held<()>,
    /// Whether the authority in `ca.crt` can be used.
    pub authority: Held<()>,
}

/// What stands under a key of a Secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held<T> {
    /// Nothing.
    Missing,
    /// Something else than what belongs there.
    Unreadable,
    /// This.
    Read(T),
}

impl SecretFacts {
    /// Whether a proxy can speak TLS with it.
    pub fn speaks_tls(&self) -> bool {
        let parts = (&self.certificate, &self.key);
        *self.kind == *TLS && matches!(parts, (Held::Read(_), Held::Read(())))
    }

    /// What is kept of a Secret of this type that has another shape.
    pub fn of_unreadable(kind: Option<&str>) -> Self {
        let kind = kind.unwrap_or(OPAQUE).into();
        Self { kind, certificate: Held::Unreadable, key: Held::Unreadable, authority: Held::Unreadable }
    }

    /// What is kept of `secret`.
    pub fn of(secret: &Secret<'_>) -> Self {
        Self {
            kind: secret.kind.as_deref().filter(|kind| !kind.is_empty()).unwrap_or(OPAQUE).into(),
            certificate: held(secret, "tls.crt", names),
            key: held(secret, "tls.key", |pem| {
                any_supported_type(&PrivateKeyDer::from_pem_slice(pem).ok()?).ok().map(drop)
            }),
            authority: held(secret, "ca.crt", |pem| names(pem).map(drop)),
        }
    }
}

/// What `read` makes of what stands under `key`.
fn held<T>(secret: &Secret<'_>, key: &str, read: impl Fn(&[u8]) -> Option<T>) -> Held<T> {
    let bytes = match (secret.string_data.get(key), secret.data.get(key)) {
        (Some(text), _) => Ok(text.as_bytes().to_owned()),
        (None, Some(encoded)) => STANDARD.decode(encoded.split_ascii_whitespace().collect::<String>()),
        (None, None) => return Held::Missing,
    };
    bytes.ok().and_then(|bytes| read(&bytes)).map_or(Held::Unreadable, Held::Read)
}

/// The DNS names on the first certificate; none where it is no certificate.
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
