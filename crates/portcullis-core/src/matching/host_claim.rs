//! One host that an object lays claim to: where it is written, and what the claim means for others.

use super::Host;
use crate::field::{At, FieldPath};

/// What a claim of a host is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimStrength {
    /// The host is served: it stands in the way of others who claim it.
    Served,
    /// Nobody can tell which hosts are served, but they are among these: a regular expression, a name with white space in it. Such a claim
    /// is judged by what the claimant may have, and is never held against others.
    Widened,
    /// The host gets a DNS record or a certificate, and need not be served. It is never held against others either.
    Dns,
}

/// One host that an object names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostClaim<'i> {
    /// Where.
    pub at: ClaimLocation<'i>,
    /// The host.
    pub host: Host<'i>,
    /// The host as written; empty where none is named: every host is meant, or what a listener gives.
    pub written: &'i str,
    /// What it is good for.
    pub kind: ClaimStrength,
}

impl<'i> HostClaim<'i> {
    /// The claim of a host that is served, as written.
    pub fn written(at: ClaimLocation<'i>, written: &'i str) -> Self {
        Self { at, host: Host::parse(written), written, kind: ClaimStrength::Served }
    }

    /// Whether it is the host of a rule of an Ingress.
    pub fn is_rule(&self) -> bool {
        matches!(self.at, ClaimLocation::At(at) if at.is_in("spec.rules[].host"))
    }

    /// Whether it may be held against others.
    pub fn is_served(&self) -> bool {
        self.kind == ClaimStrength::Served
    }
}

/// Where a host stands: at an element, or in an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimLocation<'i> {
    /// At this element.
    At(At),
    /// In the annotation of this key, in the map at this field.
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
