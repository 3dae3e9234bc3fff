//! The origin of a request, which the handlers receive as a request extension.

use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use tokio::time::Instant;

use super::peers::Peer;
use super::timeouts::ConnectionTimeouts;
use crate::lease::Moment;
use crate::tls::{ClientAuthority, Verified};

/// What a handler may know about the connection of a request. Clones refer to the same connection.
#[derive(Debug, Clone)]
pub struct RequestOrigin {
    timeouts: Arc<ConnectionTimeouts>,
    certificates: PeerCertificates,
    opened: Moment,
}

/// The certificates that a client presented, leaf first. The TLS handshake has verified only that the client has the
/// key of the leaf.
#[derive(Debug, Clone, Default)]
pub struct PeerCertificates(Arc<PresentedCertificates>);

#[derive(Debug, Default)]
struct PresentedCertificates {
    chain: Vec<CertificateDer<'static>>,
    verified: Verified,
}

impl RequestOrigin {
    pub(super) fn new(timeouts: Arc<ConnectionTimeouts>, certificates: PeerCertificates) -> Self {
        Self { timeouts, certificates, opened: Moment::now() }
    }

    /// The peer at the other end of the connection.
    pub(super) fn peer(&self) -> Arc<Peer> {
        self.timeouts.peer()
    }

    /// How long the connection has been open. As in [`Isolation`](super::Isolation), the time of a suspension counts.
    pub(super) fn age(&self) -> Duration {
        Moment::now() - self.opened
    }

    /// Whether the client presented a certificate that `authority` accepts.
    pub fn is_verified_by(&self, authority: &ClientAuthority) -> bool {
        authority.vouches_for(&self.certificates.0.chain, &self.certificates.0.verified)
    }

    pub(super) fn head_complete(&self, has_body: bool) {
        self.timeouts.head_complete(has_body, Instant::now());
    }

    pub(super) fn body_complete(&self) {
        self.timeouts.body_complete(Instant::now());
    }

    pub(super) fn answered(&self, is_review: bool) {
        self.timeouts.answered(is_review, Instant::now());
    }
}

impl PeerCertificates {
    pub(super) fn new(chain: &[CertificateDer<'static>]) -> Self {
        Self(Arc::new(PresentedCertificates { chain: chain.to_vec(), verified: Verified::default() }))
    }
}
