//! The facts of a Secret: whether a proxy can use it for TLS, and for which names. They contain nothing
//! secret.

use super::DataEntry;

/// The type of Secrets with a certificate and its key.
pub const TLS: &str = "kubernetes.io/tls";

/// The type of a Secret that specifies none.
pub const OPAQUE: &str = "Opaque";

/// The facts of a Secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretFacts {
    /// The type.
    pub kind: Box<str>,
    /// The names on the certificate in `tls.crt`.
    pub certificate: DataEntry<Box<[Box<str>]>>,
    /// Whether the key in `tls.key` is usable, and belongs to the certificate if that is readable.
    pub key: DataEntry<()>,
    /// Whether the certificate authority in `ca.crt` is usable.
    pub authority: DataEntry<()>,
}

impl SecretFacts {
    /// Whether a proxy can use it for TLS.
    pub fn speaks_tls(&self) -> bool {
        let parts = (&self.certificate, &self.key);
        *self.kind == *TLS && matches!(parts, (DataEntry::Read(_), DataEntry::Read(())))
    }

    /// Whether it is meant for TLS: by its type, or because it has a certificate and a key.
    pub fn is_for_tls(&self) -> bool {
        *self.kind == *TLS || self.certificate != DataEntry::Missing && self.key != DataEntry::Missing
    }

    /// The same facts without the names on the certificate, on which no status depends.
    pub fn without_names(self) -> Self {
        let certificate = match self.certificate {
            DataEntry::Read(_) => DataEntry::Read(Box::default()),
            certificate => certificate,
        };
        Self { certificate, ..self }
    }
}
