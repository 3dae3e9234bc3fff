//! Plan and view together: what the webhook's handlers ask.

use std::sync::Arc;

use arc_swap::ArcSwap;
use jiff::Timestamp;

use super::abridge::abridge;
use super::answer::{ReviewError, ReviewResponse};
use super::envelope::NoReview;
use crate::checks::Plan;
use crate::cluster::SharedCluster;

/// Answers reviews with the plan in force and what is known of the cluster.
#[derive(Debug)]
pub struct Reviewer {
    plan: ArcSwap<Plan>,
    cluster: Arc<SharedCluster>,
    reserves: bool,
}

impl Reviewer {
    /// A reviewer that follows `plan` and asks `cluster`.
    pub fn new(plan: Plan, cluster: Arc<SharedCluster>) -> Self {
        Self { plan: ArcSwap::from_pointee(plan), cluster, reserves: false }
    }

    /// The same for a view that will show what is admitted: until it does, what a write claims is reserved. Files show no write.
    pub fn reserving(self) -> Self {
        Self { reserves: true, ..self }
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
    pub fn validate(&self, body: &[u8], now: Timestamp) -> Result<ReviewResponse, ReviewError> {
        let text = simdutf8::basic::from_utf8(body).map_err(|_| NoReview::NotUtf8)?;
        super::validate::validate(&abridge(text), &self.plan.load(), &self.cluster, self.reserves, now)
    }

    /// The patch for the review in `body`, if any; the time decides nothing.
    pub fn mutate(&self, body: &[u8], _: Timestamp) -> Result<ReviewResponse, ReviewError> {
        let text = simdutf8::basic::from_utf8(body).map_err(|_| NoReview::NotUtf8)?;
        super::mutate::mutate(text, &self.plan.load(), &self.cluster)
    }
}
