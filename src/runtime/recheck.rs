//! Finds conflicts that no single replica can prevent: of two objects that are written at the same time through two replicas, each
//! replica may know only its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep_until};

use super::loss_events::LossEvents;
use crate::server::AdmittedReview;
use crate::telemetry::{Metrics, RecheckDropped};
use portcullis_core::review::{LateConflict, Rechecked, Reviewer, WriteNotShown};

/// When to look at an admitted write, counted from its review.
#[derive(Debug, Clone, Copy)]
pub struct RecheckTiming {
    /// The first look. The view usually shows the object by then, and whatever was written at the same time.
    pub first: Duration,
    /// The time between two looks, as long as the view does not show the object: a watch may be on its way to a new connection.
    pub again: Duration,
    /// The end of it. An object that was not stored never appears.
    pub end: Duration,
}

impl Default for RecheckTiming {
    fn default() -> Self {
        Self { first: Duration::from_secs(2), again: Duration::from_millis(500), end: Duration::from_secs(5) }
    }
}

/// How many reviews wait here for their next look; others wait in the channel, which has a limit of its own.
const WAITING: usize = 4_096;

/// Checks the object of each admitted review again, and reports it if it would be denied now. Of two objects, the younger one is reported.
/// Requests that an object loses since the write are reported to its owners, if there are `events`. Never returns.
pub async fn recheck(
    mut reviews: Receiver<AdmittedReview>,
    timing: RecheckTiming,
    reviewer: Arc<Reviewer>,
    metrics: Arc<Metrics>,
    mut events: Option<LossEvents>,
) {
    let mut queue = Queue::default();
    loop {
        let review = tokio::select! {
            biased;
            review = queue.next() => review,
            Some(review) = reviews.recv(), if queue.reviews.len() < WAITING => {
                queue.insert(review.at + timing.first, review);
                continue;
            }
        };
        let reviewer = Arc::clone(&reviewer);
        let work = tokio::task::spawn_blocking(move || (reviewer.recheck(&review.body, Timestamp::now()), review));
        // A panic is in the log, and concerns this object only.
        let Ok((result, review)) = work.await else { continue };
        let next = Instant::now() + timing.again;
        match result {
            Ok(Rechecked { late, losses }) => {
                late.into_iter().for_each(|conflict| report(conflict, &metrics));
                for loss in losses {
                    if let Some(events) = &mut events {
                        events.report(loss, Instant::now().into_std());
                    }
                }
            }
            Err(WriteNotShown) if next <= review.at + timing.end => queue.insert(next, review),
            Err(WriteNotShown) => metrics.recheck_dropped(RecheckDropped::WriteNotShown),
        }
    }
}

fn report(conflict: LateConflict, metrics: &Metrics) {
    metrics.found_late(conflict.object_ref.kind);
    for (check, message) in conflict.findings {
        let object = conflict.object_ref.to_string();
        tracing::warn!(object, check, message, "admitted at the same time as an object that it conflicts with");
    }
}

/// Reviews by the time of their next look. The number tells those of the same time apart.
#[derive(Debug, Default)]
struct Queue {
    reviews: BTreeMap<(Instant, u64), AdmittedReview>,
    number: u64,
}

impl Queue {
    fn insert(&mut self, at: Instant, review: AdmittedReview) {
        self.number += 1;
        self.reviews.insert((at, self.number), review);
    }

    /// The next review, when its time has come.
    async fn next(&mut self) -> AdmittedReview {
        loop {
            match self.reviews.first_key_value() {
                Some(((at, _), _)) => sleep_until(*at).await,
                None => std::future::pending().await,
            }
            if let Some((_, review)) = self.reviews.pop_first() {
                return review;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::Rechecks;
    use crate::telemetry::IngressRoutes;
    use portcullis_core::checks::Plan;
    use portcullis_core::cluster::{Cluster, Event, Facts, SharedCluster, SyncState};
    use portcullis_core::config::Config;
    use portcullis_core::kinds::{Kind, decode};

    const TIMING: RecheckTiming = RecheckTiming {
        first: Duration::from_millis(50),
        again: Duration::from_millis(20),
        end: Duration::from_millis(1_000),
    };

    fn ingress(namespace: &str, second: u8) -> String {
        format!(
            r#"{{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{{"namespace":"{namespace}","name":"shop",
            "creationTimestamp":"2026-12-01T00:00:0{second}Z"}},"spec":{{"ingressClassName":"nginx","rules":[{{"host":
            "shop.example.com","http":{{"paths":[{{"path":"/","pathType":"Prefix","backend":{{"service":{{"name":"shop",
            "port":{{"number":80}}}}}}}}]}}}}]}}}}"#
        )
    }

    fn create(object: &str, namespace: &str) -> String {
        format!(
            r#"{{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{{"uid":"1","kind":{{"group":
            "networking.k8s.io","version":"v1","kind":"Ingress"}},"operation":"CREATE","namespace":"{namespace}","name":"shop",
            "userInfo":{{"username":"alice"}},"object":{object}}}}}"#
        )
    }

    fn seen(object: &str) -> Event {
        Event::Apply(Facts::of(&decode(Kind::Ingress, object).expect("it is an Ingress")))
    }

    /// Waits until the metric has this value.
    async fn shows(metrics: &Metrics, line: &str) {
        let shown = async {
            while !metrics.render().lines().any(|shown| shown == line) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let in_time = tokio::time::timeout(Duration::from_secs(10), shown).await;
        assert!(in_time.is_ok(), "no line `{line}` in {}", metrics.render());
    }

    #[tokio::test]
    async fn a_creation_is_looked_at_until_it_is_seen() {
        let cluster = Arc::new(SharedCluster::new(Cluster::with(SyncState::Complete)));
        let plan = Plan::new(Config::default()).expect("the default configuration is valid");
        let reviewer = Arc::new(Reviewer::new(plan, Arc::clone(&cluster)));
        let metrics =
            Arc::new(Metrics::new(IngressRoutes::new(Arc::<crate::runtime::VerdictCache>::default()), |_| {}));
        let (rechecks, admitted) = Rechecks::new();
        let task = tokio::spawn(recheck(admitted, TIMING, Arc::clone(&reviewer), Arc::clone(&metrics), None));
        let (older, younger) = (ingress("web", 0), ingress("team-b", 1));
        for object in [("web", &older), ("team-b", &younger)] {
            let body = create(object.1, object.0);
            let answer = reviewer.validate(body.as_bytes(), Timestamp::now()).expect("it is a review");
            rechecks.offer(body.as_bytes(), &answer.summary).expect("there is room");
        }
        // Later than the first look.
        tokio::time::sleep(3 * TIMING.first).await;
        cluster.apply(vec![seen(&younger), seen(&older)]);
        shows(&metrics, r#"portcullis_late_conflicts_total{kind="Ingress"} 1"#).await;

        let lost = create(&ingress("never", 2).replace("shop.example", "lost.example"), "never");
        let answer = reviewer.validate(lost.as_bytes(), Timestamp::now()).expect("it is a review");
        rechecks.offer(lost.as_bytes(), &answer.summary).expect("there is room");
        shows(&metrics, r#"portcullis_rechecks_dropped_total{reason="not-seen"} 1"#).await;
        shows(&metrics, r#"portcullis_late_conflicts_total{kind="Ingress"} 1"#).await;
        task.abort();
    }
}
