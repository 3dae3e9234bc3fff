//! The facts of a ConfigMap in a file: whether it holds a usable certificate authority.

use super::DataEntry;

/// The ConfigMap that Kubernetes creates in each namespace, so that no file contains it.
pub const ROOT_AUTHORITY: &str = "kube-root-ca.crt";

/// The facts of a ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigMapFacts {
    /// Whether the certificate authority in `ca.crt` is usable.
    pub authority: DataEntry<()>,
}
