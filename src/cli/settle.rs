//! A loop that keeps the verdicts on IngressRoutes at what the view and the configuration say.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use jiff::Timestamp;

use crate::checks::Plan;
use crate::cluster::{Cluster, Knowledge, Touched};
use crate::kinds::Kind;
use crate::review::Reviewer;
use crate::telemetry::Settled;

/// How often to look: what is applied together is judged together.
const INTERVAL: Duration = Duration::from_millis(100);
/// How long nothing is judged after a fault of ours.
const REST: Duration = Duration::from_secs(60);
/// How many objects one hold of the lock judges, but for larger components.
const BATCH: usize = 256;

/// Judges again what was touched, for as long as the process serves.
pub async fn verdicts(settled: Arc<Mutex<Settled>>, cluster: Arc<RwLock<Cluster>>, reviewer: Arc<Reviewer>) {
    let mut followed = None;
    loop {
        tokio::time::sleep(INTERVAL).await;
        let plan = reviewer.plan();
        let is_new = followed.replace(Arc::clone(&plan)).is_none_or(|old: Arc<Plan>| !Arc::ptr_eq(&old, &plan));
        let (shared, cluster) = (Arc::clone(&settled), Arc::clone(&cluster));
        let work = tokio::task::spawn_blocking(move || settle(&shared, &cluster, &plan, is_new));
        if work.await.is_err() {
            // A fault of ours, which the log tells of. No review waits for verdicts, so the gate stays.
            *settled.lock().unwrap_or_else(PoisonError::into_inner) = Settled::default();
            tokio::time::sleep(REST).await;
        }
    }
}

/// Judges what was touched, everything under a new plan; nothing is said before all objects are known.
fn settle(settled: &Mutex<Settled>, cluster: &RwLock<Cluster>, plan: &Plan, is_new: bool) {
    let locked = || settled.lock().unwrap_or_else(PoisonError::into_inner);
    let view = || cluster.read().unwrap_or_else(PoisonError::into_inner);
    let (is_known, is_touched) = {
        let view = view();
        let knowledge = view.knowledge(Kind::IngressRoute);
        (matches!(knowledge, Knowledge::Complete | Knowledge::Partial), view.is_touched())
    };
    if !is_known {
        *locked() = Settled::default();
        return;
    }
    let is_first = locked().at.is_none();
    if is_touched {
        let touched = cluster.write().unwrap_or_else(PoisonError::into_inner).take_touched();
        locked().verdicts.note(touched, &view());
    }
    if is_new || is_first {
        locked().verdicts.note(Touched::Everything, &view());
    }
    let mut is_behind = is_touched || is_new || is_first;
    while is_behind {
        // The view is held for one batch at a time: events and reviews come in between.
        let mut settled = locked();
        settled.verdicts.settle_some(BATCH, &view(), plan.config());
        is_behind = settled.verdicts.is_behind();
        if !is_behind {
            settled.at = Some(Timestamp::now());
        }
    }
}
