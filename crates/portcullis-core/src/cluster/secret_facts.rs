//! What is kept of a Secret in a file: whether a proxy can speak TLS with it, and for whom. Nothing that is secret.

use hashbrown::HashMap;

use super::name::Name;

/// The type of Secrets with a certificate and its key.
pub const TLS: &str = "kubernetes.io/tls";

/// The type of a Secret that names none.
pub const OPAQUE: &str = "Opaque";

/// What is kept of Secrets.
pub type Secrets = HashMap<Name, SecretFacts>;

/// What is kept of a Secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretFacts {
    /// Its type.
    pub kind: Box<str>,
    /// The names on the certificate in `tls.crt`.
    pub certificate: SecretEntry<Box<[Box<str>]>>,
    /// Whether the key in `tls.key` can be used.
    pub key: SecretEntry<()>,
    /// Whether the authority in `ca.crt` can be used.
    pub authority: SecretEntry<()>,
}

/// What stands under a key of a Secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretEntry<T> {
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
        *self.kind == *TLS && matches!(parts, (SecretEntry::Read(_), SecretEntry::Read(())))
    }
}
