//! The loop that keeps the verdicts on IngressRoutes in step with the view and the configuration.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::verdict_cache::VerdictCache;
use portcullis_core::checks::Plan;
use portcullis_core::cluster::{Cluster, Dirty, SharedCluster, SyncState};
use portcullis_core::kinds::Kind;
use portcullis_core::review::Reviewer;

/// The interval at which changes are looked for. Changes within one interval are evaluated together.
const INTERVAL: Duration = Duration::from_millis(100);
/// The delay after a reported change, so that changes in quick succession are evaluated together.
const SETTLE: Duration = Duration::from_millis(2);
/// The delay after a panic before the next attempt.
const PANIC_BACKOFF: Duration = Duration::from_secs(60);
/// The number of objects to evaluate before the lock is released. A larger component is evaluated as a whole.
const BATCH: usize = 256;

/// Evaluates changed objects repeatedly. Never returns.
pub async fn reconcile(cache: Arc<VerdictCache>, cluster: Arc<SharedCluster>, reviewer: Arc<Reviewer>) {
    let mut last: Option<(Arc<Plan>, Timestamp)> = None;
    loop {
        tokio::select! {
            () = tokio::time::sleep(INTERVAL) => {}
            () = cache.changed_view() => tokio::time::sleep(SETTLE).await,
        }
        let (plan, now) = (reviewer.plan(), Timestamp::now());
        let before = last.replace((Arc::clone(&plan), now));
        let is_new =
            before.is_none_or(|(old, then)| !Arc::ptr_eq(&old, &plan) || plan.config().expires_between(then, now));
        let (shared, cluster) = (Arc::clone(&cache), Arc::clone(&cluster));
        let work = tokio::task::spawn_blocking(move || reconcile_once(&shared, &cluster, &plan, is_new));
        if work.await.is_err() {
            // The panic is in the log. No review waits for verdicts, so the webhook keeps serving.
            cache.clear();
            tokio::time::sleep(PANIC_BACKOFF).await;
        }
    }
}

/// Evaluates the changed objects, or all objects if the plan has changed or an exemption of it has expired. Does nothing before all
/// objects are known.
fn reconcile_once(cache: &VerdictCache, cluster: &SharedCluster, plan: &Arc<Plan>, is_new: bool) {
    let (is_known, is_dirty) = {
        let view = cluster.read();
        let knowledge = view.knowledge(Kind::IngressRoute);
        (matches!(knowledge, SyncState::Complete | SyncState::Partial), view.is_dirty())
    };
    if !is_known {
        cache.clear();
        return;
    }
    let is_first = cache.lock().current_at.is_none();
    if is_dirty {
        let dirty = cluster.change(Cluster::take_dirty);
        cache.lock().verdicts.note(dirty, &cluster.read());
    }
    if is_new || is_first {
        cache.lock().verdicts.note(Dirty::Everything, &cluster.read());
    }
    let mut has_pending = is_dirty || is_new || is_first;
    while has_pending {
        // Both locks are released between two batches, so that events and reviews are not blocked.
        let mut entry = cache.lock();
        let rules = plan.graph_rules(Timestamp::now());
        let changed = entry.verdicts.reconcile_some(BATCH, &cluster.read(), rules);
        has_pending = entry.verdicts.has_pending();
        if !has_pending {
            entry.current_at = Some(Timestamp::now());
            entry.plan = Some(Arc::clone(plan));
        }
        cache.note(&mut entry, changed);
    }
}
