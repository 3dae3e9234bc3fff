//! The facts of a Secret in a file: whether a proxy can use it for TLS, and for which names. They contain nothing
//! secret.

use hashbrown::HashMap;

use super::name::Name;

/// The type of Secrets with a certificate and its key.
pub const TLS: &str = "kubernetes.io/tls";

/// The type of a Secret that specifies none.
pub const OPAQUE: &str = "Opaque";

/// The facts of Secrets, by namespace and name.
pub type Secrets = HashMap<Name, SecretFacts>;

/// The facts of a Secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretFacts {
    /// The type.
    pub kind: Box<str>,
    /// The names on the certificate in `tls.crt`.
    pub certificate: SecretEntry<Box<[Box<str>]>>,
    /// Whether the key in `tls.key` is usable.
    pub key: SecretEntry<()>,
    /// Whether the certificate authority in `ca.crt` is usable.
    pub authority: SecretEntry<()>,
}

/// The content of one key of a Secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretEntry<T> {
    /// The key is missing.
    Missing,
    /// The content is invalid for this key.
    Unreadable,
    /// The decoded content.
    Read(T),
}

impl SecretFacts {
    /// Whether a proxy can use it for TLS.
    pub fn speaks_tls(&self) -> bool {
        let parts = (&self.certificate, &self.key);
        *self.kind == *TLS && matches!(parts, (SecretEntry::Read(_), SecretEntry::Read(())))
    }
}
