//! Plan and view together: what the webhook's handlers ask.

use std::sync::{Arc, RwLock};

use arc_swap::ArcSwap;
use jiff::Timestamp;

use super::envelope::NoReview;
use crate::checks::Plan;
use crate::cluster::Cluster;
use crate::finding::Action;
use crate::kinds::{Kind, KindSet};

/// Answers reviews with the plan in force and what is known of the cluster.
#[derive(Debug)]
pub struct Reviewer {
    plan: ArcSwap<Plan>,
    cluster: Arc<RwLock<Cluster>>,
}

/// The bytes of an AdmissionReview response, and what to count and log of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
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
    pub verdict: Verdict,
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
pub enum Verdict {
    /// Allowed as it is.
    Allowed,
    /// Allowed with a patch.
    Patched,
    /// Refused.
    Denied,
    /// Allowed because it is nothing that we judge.
    NotOurs,
}

impl Verdict {
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
pub enum Refusal {
    /// It is no review: HTTP 400.
    #[error(transparent)]
    NoReview(#[from] NoReview),
    /// The first list of these kinds is still on the way: HTTP 503 with `Retry-After`, which the API server obeys.
    #[error("not synced yet: {}", names(*.0))]
    NotSynced(KindSet),
}

fn names(kinds: KindSet) -> String {
    kinds.iter().map(|kind| kind.api().kind).collect::<Vec<_>>().join(", ")
}

impl Reviewer {
    /// A reviewer that follows `plan` and asks `cluster`.
    pub fn new(plan: Plan, cluster: Arc<RwLock<Cluster>>) -> Self {
        Self { plan: ArcSwap::from_pointee(plan), cluster }
    }

    /// The plan in force.
    pub fn plan(&self) -> Arc<Plan> {
        self.plan.load_full()
    }

    /// Follows `plan` from the next review on.
    pub fn follow(&self, plan: Plan) {
        self.plan.store(Arc::new(plan));
    }

    /// The verdict on the review in `body`, at the time `now`.
    pub fn validate(&self, body: &[u8], now: Timestamp) -> Result<Answer, Refusal> {
        let text = std::str::from_utf8(body).map_err(|_| NoReview::NotUtf8)?;
        let plan = self.plan.load();
        self.with_cluster(|cluster| super::validate::validate(text, &plan, cluster, now))
    }

    /// The patch for the review in `body`, if any, at the time `now`.
    pub fn mutate(&self, body: &[u8], now: Timestamp) -> Result<Answer, Refusal> {
        let text = std::str::from_utf8(body).map_err(|_| NoReview::NotUtf8)?;
        let plan = self.plan.load();
        self.with_cluster(|cluster| super::mutate::mutate(text, &plan, cluster, now))
    }

    /// Lends the view. A writer that panicked left at worst one change half done; the view stays usable.
    fn with_cluster<T>(&self, ask: impl FnOnce(&Cluster) -> T) -> T {
        ask(&self.cluster.read().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}
