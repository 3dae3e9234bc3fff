//! Why a request gets no review response.

use super::envelope::NoReview;
use crate::kinds::{Kind, KindSet};

/// Why a request gets no review response.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// The body is not a valid AdmissionReview: HTTP 400.
    #[error(transparent)]
    NoReview(#[from] NoReview),
    /// The first list of these kinds has not arrived yet: HTTP 503 with `Retry-After`, which the API server follows.
    #[error("not synced yet: {}", names(*.0))]
    NotSynced(KindSet),
    /// A canary, while these kinds cannot be read and checks need them to deny: HTTP 503.
    #[error("{} cannot be read, so writes that must be denied would pass", names(*.0))]
    Unreadable(KindSet),
    /// The configuration was not read yet: HTTP 503 with `Retry-After`.
    #[error("configuration not read yet")]
    NotConfigured,
    /// A write was just admitted that conflicts with this one, or after which nothing does, and the view does not show it yet: HTTP 503
    /// with `Retry-After`.
    #[error("another write that was just admitted decides whether this one conflicts; retry in one second")]
    Reserved,
    /// A HostClaim is missing that may have been created a moment before, and it cannot be read: HTTP 503 with `Retry-After`.
    #[error("a HostClaim that may have been created just now cannot be read; retry in one second")]
    ClaimsUnread,
}

fn names(kinds: KindSet) -> String {
    kinds.iter().map(Kind::label).collect::<Vec<_>>().join(", ")
}
