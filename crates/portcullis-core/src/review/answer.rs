//! What a review comes to: the bytes of the response and what to count and log of it, or why there is no response.

use super::envelope::NoReview;
use crate::finding::Action;
use crate::kinds::{Kind, KindSet};

/// The bytes of an AdmissionReview response, and what to count and log of it.
#[derive(Debug, PartialEq, Eq)]
pub struct ReviewResponse {
    /// The JSON text.
    pub body: Vec<u8>,
    /// What it says.
    pub summary: Summary,
}

/// What a review came to.
#[derive(Debug, PartialEq, Eq)]
pub struct Summary {
    /// The kind, if it is one of ours.
    pub kind: Option<Kind>,
    /// The verdict.
    pub verdict: AdmissionVerdict,
    /// Each finding's check and what it did.
    pub findings: Vec<(&'static str, Action)>,
    /// For the log of a denial: uid, object and user, as texts that came from outside.
    pub denied: Option<Denied>,
}

/// Whose write of which object was refused.
#[derive(Debug, PartialEq, Eq)]
pub struct Denied {
    /// The uid of the review.
    pub uid: String,
    /// The object.
    pub object: String,
    /// The user.
    pub user: String,
}

/// The verdict of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AdmissionVerdict {
    /// Allowed as it is.
    Allowed,
    /// Allowed with a patch.
    Patched,
    /// Refused.
    Denied,
    /// Allowed because it is nothing that we judge.
    NotOurs,
}

impl AdmissionVerdict {
    /// The verdict as a metric label.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Patched => "patched",
            Self::Denied => "denied",
            Self::NotOurs => "not-ours",
        }
    }
}

/// Why a body gets no review response.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// It is no review: HTTP 400.
    #[error(transparent)]
    NoReview(#[from] NoReview),
    /// The first list of these kinds is still on the way: HTTP 503 with `Retry-After`, which the API server obeys.
    #[error("not synced yet: {}", names(*.0))]
    NotSynced(KindSet),
    /// Another write was admitted that claims the same, and the view does not show its object yet: HTTP 503 with `Retry-After`.
    #[error("this write conflicts with another one that was just admitted; retry in one second")]
    Reserved,
}

fn names(kinds: KindSet) -> String {
    kinds.iter().map(Kind::label).collect::<Vec<_>>().join(", ")
}
