//! The result of a review: the bytes of the response and a summary for metrics and logs.

use crate::finding::{Action, Finding};
use crate::kinds::Kind;

/// The bytes of an AdmissionReview response, and a summary of it for metrics and logs.
#[derive(Debug, PartialEq, Eq)]
pub struct ReviewResponse {
    /// The AdmissionReview as JSON.
    pub body: Vec<u8>,
    /// The summary of the response.
    pub summary: Summary,
}

/// The summary of a review.
#[derive(Debug, PartialEq, Eq)]
pub struct Summary {
    /// The kind of the object, if Portcullis reads it.
    pub kind: Option<Kind>,
    /// The namespace of the object; empty for cluster-scoped kinds.
    pub namespace: Box<str>,
    /// The verdict.
    pub verdict: AdmissionVerdict,
    /// Whether the object claims something by this write that it did not claim before. Every creation counts.
    pub is_claim: bool,
    /// Whether the write is a dry run.
    pub is_dry_run: bool,
    /// The check and the action of each finding.
    pub findings: Vec<(&'static str, Action)>,
    /// Set for a denial, for the log. The texts come from the request, truncated and sanitized.
    pub denied: Option<Denied>,
}

/// The review, object and user of a denied write.
#[derive(Debug, PartialEq, Eq)]
pub struct Denied {
    /// The uid of the review.
    pub uid: String,
    /// The object.
    pub object: String,
    /// The name of the user.
    pub user: String,
    /// The first finding that denies, with the names of other namespaces; `None` if only omitted findings deny.
    pub first: Option<Finding>,
    /// The hosts that the namespace of the object may not claim.
    pub hosts: Vec<String>,
    /// Whether something else denies the write, too.
    pub has_other_denials: bool,
}

/// The verdict of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AdmissionVerdict {
    /// Allowed without changes.
    Allowed,
    /// Allowed with a patch.
    Patched,
    /// Denied.
    Denied,
    /// Denied, because this was a [canary](super::canary). No check has run.
    Canary,
    /// Allowed, because Portcullis does not check this kind or operation.
    NotOurs,
}

impl AdmissionVerdict {
    /// The verdict as a metric label.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Patched => "patched",
            Self::Denied => "denied",
            Self::Canary => "canary",
            Self::NotOurs => "not-ours",
        }
    }
}
