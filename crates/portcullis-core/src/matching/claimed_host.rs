//! One host that an object claims: where it is written, and how the claim affects others.

use super::Host;
use crate::field::{At, FieldPath};

/// The strength of a claim of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimStrength {
    /// The host is served, so the claim conflicts with others that claim it.
    Served,
    /// It is not known which hosts are served, but they are among these: a regular expression, or a name with white
    /// space in it. Ownership is checked for such a claim, but it never conflicts with others.
    Widened,
    /// The host gets a DNS record or a certificate and need not be served. Such a claim never conflicts with others,
    /// either.
    Dns,
}

/// The part of a host that `spec.tls` claims. No path or match has this text.
pub const CERTIFICATES: &str = "spec.tls";

/// The part of a host that is claimed by what serves whole connections. It is a field of an HTTPProxy.
pub const CONNECTIONS: &str = "spec.tcpproxy";

/// One host that an object names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedHost<'i> {
    /// Where the host is written.
    pub at: ClaimLocation<'i>,
    /// The host.
    pub host: Host<'i>,
    /// The host as written; empty if none is written and the object serves every host or the hosts of its listeners.
    pub written: &'i str,
    /// The strength of the claim.
    pub kind: ClaimStrength,
}

impl<'i> ClaimedHost<'i> {
    /// Returns the claim of a served host, as written.
    pub fn written(at: ClaimLocation<'i>, written: &'i str) -> Self {
        Self { at, host: Host::parse(written), written, kind: ClaimStrength::Served }
    }

    /// Whether it is the host of a rule of an Ingress.
    pub fn is_rule(&self) -> bool {
        matches!(self.at, ClaimLocation::At(at) if at.is_in("spec.rules[].host"))
    }

    /// The part of the host that it claims: only that of certificates for a host in `spec.tls`; `None` for everything.
    pub fn part(&self) -> Option<&'static str> {
        matches!(self.at, ClaimLocation::At(at) if at.is_in("spec.tls[].hosts[]")).then_some(CERTIFICATES)
    }

    /// Whether it may conflict with claims of others.
    pub fn is_served(&self) -> bool {
        self.kind == ClaimStrength::Served
    }
}

/// Where a host is written: in an element, or in an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimLocation<'i> {
    /// In this element.
    At(At),
    /// In the annotation with this key, in the map at this field.
    Annotation(&'static str, &'i str),
}

impl From<ClaimLocation<'_>> for FieldPath {
    fn from(place: ClaimLocation<'_>) -> Self {
        match place {
            ClaimLocation::At(at) => at.into(),
            ClaimLocation::Annotation(map, key) => At::field(map).key(key),
        }
    }
}
