//! The extensions of IngressRoute.

use schemars::JsonSchema;
use serde::Deserialize;

/// An extension of IngressRoute that is not in its design document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Extension {
    /// `tcpproxy` and `tls.passthrough`, which forward whole connections.
    TcpProxy,
    /// TLSCertificateDelegation, which allows certificates of other namespaces.
    CertDelegation,
}
