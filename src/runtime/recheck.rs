//! Finds conflicts that no single replica can prevent: of two objects that are created at the same time through two replicas, each
//! replica may know only its own.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc::Receiver;
use tokio::time::sleep_until;

use crate::server::AdmittedReview;
use crate::telemetry::Metrics;
use portcullis_core::review::Reviewer;

/// The time from a review until the view shows the object, and whatever was created at the same time.
const DELAY: Duration = Duration::from_secs(2);

/// Checks each admitted creation again, and reports it if it would be denied now. Of two objects, the younger one is reported.
/// Never returns.
pub async fn recheck(mut reviews: Receiver<AdmittedReview>, reviewer: Arc<Reviewer>, metrics: Arc<Metrics>) {
    while let Some(AdmittedReview { body, at, .. }) = reviews.recv().await {
        sleep_until(at + DELAY).await;
        let reviewer = Arc::clone(&reviewer);
        let work = tokio::task::spawn_blocking(move || reviewer.recheck(&body, Timestamp::now()));
        // A panic is in the log, and concerns this object only.
        let Ok(Some(conflict)) = work.await else { continue };
        metrics.found_late(conflict.object_ref.kind);
        for (check, message) in conflict.findings {
            let object = conflict.object_ref.to_string();
            tracing::warn!(object, check, message, "admitted at the same time as an object that it conflicts with");
        }
    }
    std::future::pending().await
}
