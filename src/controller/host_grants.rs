//! Keeps the list of the HostClaims with an effect in the object HostGrants, by which the policies that `portcullis export policies` prints
//! decide.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kube::api::{ApiResource, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use portcullis_core::checks::Plan;
use portcullis_core::cluster::{SharedCluster, SyncState};
use portcullis_core::kinds::Kind;
use portcullis_core::review::Reviewer;
use serde_json::{Value, json};

use crate::lease::Leadership;
use crate::manifests::HostGrants;
use crate::request::{FIELD_MANAGER, RequestError, request};
use crate::telemetry::LastFailure;

/// How often to look for changes of HostClaims. While they change, four fifths of the time are left to others.
const INTERVAL: Duration = Duration::from_millis(250);
/// How often at least.
const MAX_INTERVAL: Duration = Duration::from_secs(2);
/// How often to decide again without such a change: labels of Namespaces count, too.
const RESYNC_INTERVAL: Duration = Duration::from_secs(2);
/// How often to read what is stored, which others may have changed.
const READ_INTERVAL: Duration = Duration::from_secs(60);
/// The maximum size of the names in bytes. The API server stores objects of 1.5 MiB at most.
const MAX_SIZE: usize = 1_000_000;
/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_secs(5);

/// Keeps the list while this replica leads.
pub struct HostGrantsWriter {
    lists: Api<DynamicObject>,
    leadership: Leadership,
    cluster: Arc<SharedCluster>,
    reviewer: Arc<Reviewer>,
    /// The last decision.
    decided: Option<Decided>,
    /// The list that is stored, and when that was read or written.
    stored: Option<(Value, Instant)>,
    failure: LastFailure,
}

/// By what a list was decided.
struct Decided {
    changes: u64,
    plan: Arc<Plan>,
    at: Instant,
}

impl HostGrantsWriter {
    /// Decides by the view and the configuration of `reviewer`.
    pub fn new(
        (client, leadership): (Client, Leadership),
        cluster: Arc<SharedCluster>,
        reviewer: Arc<Reviewer>,
    ) -> Self {
        let kind = GroupVersionKind::gvk("portcullis.dev", "v1alpha1", HostGrants::KIND);
        let lists = Api::all_with(client, &ApiResource::from_gvk_with_plural(&kind, HostGrants::PLURAL));
        let failure = LastFailure::default();
        Self { lists, leadership, cluster, reviewer, decided: None, stored: None, failure }
    }

    /// Runs the loop. Never returns.
    pub async fn run(mut self) {
        let mut pause = INTERVAL;
        loop {
            tokio::time::sleep(std::mem::replace(&mut pause, INTERVAL)).await;
            if !self.leadership.is_leader() {
                (self.decided, self.stored) = (None, None);
                continue;
            }
            let (changes, plan, at) = (self.cluster.read().claim_changes(), self.reviewer.plan(), Instant::now());
            let is_current = self.decided.as_ref().is_some_and(|decided| {
                decided.changes == changes
                    && Arc::ptr_eq(&decided.plan, &plan)
                    && (at - decided.at < RESYNC_INTERVAL || !plan.ownership().needs_claims())
            });
            if is_current {
                continue;
            }
            let updated = self.update(&plan).await;
            pause = (at.elapsed() * 4).clamp(INTERVAL, MAX_INTERVAL);
            match updated {
                Ok(()) => {
                    self.failure.clear();
                    self.decided = Some(Decided { changes, plan, at });
                }
                Err(error) => {
                    if self.failure.record(&error) {
                        tracing::warn!(error, "the HostGrants of exported policies are not current; retrying");
                    }
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Writes the list if it differs from what is stored.
    async fn update(&mut self, plan: &Arc<Plan>) -> Result<(), String> {
        // The policies admit every host.
        let incomplete = json!({"isComplete": false});
        if !plan.ownership().needs_claims() {
            // Where HostClaims are not used, the component that grants the rights may be missing.
            self.store(incomplete).await.ok();
            return Ok(());
        }
        let (cluster, plan) = (Arc::clone(&self.cluster), Arc::clone(plan));
        let list = move || {
            let view = cluster.read();
            // Where the kind is not served, no HostClaim is required, and the policies may not deny anything.
            let is_served = view.knowledge(Kind::HostClaim) != SyncState::NotServed;
            plan.ownership().effective_claims(&view).map(|list| is_served.then_some(list))
        };
        let list = tokio::task::spawn_blocking(list).await.map_err(|_| "the decision has panicked")?;
        let Some(list) = list else { return Ok(()) };
        let size: usize = list.iter().flatten().map(|(name, namespaces)| name.len() + namespaces.len()).sum();
        if size > MAX_SIZE {
            self.store(incomplete).await.map_err(|error| error.to_string())?;
            return Err(format!("the names exceed {MAX_SIZE} bytes, so that the policies admit every host"));
        }
        let spec = list.map_or(incomplete, |hosts| json!({"isComplete": true, "hosts": hosts}));
        match self.store(spec).await {
            // The kind is not installed, so no policy reads it.
            Err(RequestError::NotFound(_)) => Ok(()),
            stored => stored.map_err(|error| error.to_string()),
        }
    }

    /// Stores a list. An incomplete one has the same effect as none, so it is not created.
    async fn store(&mut self, spec: Value) -> Result<(), RequestError> {
        if self.stored.as_ref().is_some_and(|(stored, at)| *stored == spec && at.elapsed() < READ_INTERVAL) {
            return Ok(());
        }
        let read = request(self.lists.get_opt(HostGrants::NAME)).await?;
        let version = read.as_ref().and_then(|list| list.metadata.resource_version.clone());
        if read.map_or(spec["isComplete"] == false, |list| list.data["spec"] == spec) {
            self.stored = Some((spec, Instant::now()));
            return Ok(());
        }
        // With the resource version that was read, if there was one: a write that comes late changes nothing.
        let list = json!({
            "apiVersion": "portcullis.dev/v1alpha1", "kind": HostGrants::KIND,
            "metadata": {"name": HostGrants::NAME, "resourceVersion": version}, "spec": spec,
        });
        let (by, list) = (PatchParams::apply(FIELD_MANAGER).force(), Patch::Apply(list));
        // If another replica leads now, it keeps the list.
        if let Ok(written) = self.leadership.write(request(self.lists.patch(HostGrants::NAME, &by, &list))).await {
            written?;
            self.stored = Some((spec, Instant::now()));
        }
        Ok(())
    }
}
