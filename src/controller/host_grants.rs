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

use crate::lease::{Leadership, NotLeader};
use crate::manifests::HOST_GRANTS;
use crate::request::{FIELD_MANAGER, RequestError, request};
use crate::telemetry::LastFailure;

/// How often to look for changes.
const INTERVAL: Duration = Duration::from_millis(250);
/// How often to decide again without a change: labels of Namespaces count, too, and others may have changed the list.
const RESYNC_INTERVAL: Duration = Duration::from_secs(30);
/// The maximum size of the names in bytes. The API server stores objects of 1.5 MiB at most.
const MAX_SIZE: usize = 1_000_000;
/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_secs(5);

/// Keeps the list while this replica leads and the configuration uses HostClaims.
pub struct HostGrantsWriter {
    lists: Api<DynamicObject>,
    leadership: Leadership,
    cluster: Arc<SharedCluster>,
    reviewer: Arc<Reviewer>,
    /// The changes of HostClaims and the configuration of the list that is stored, and since when it is.
    stored: Option<(u64, Arc<Plan>, Instant)>,
    failure: LastFailure,
}

impl HostGrantsWriter {
    /// Decides by the view and the configuration of `reviewer`.
    pub fn new(
        (client, leadership): (Client, Leadership),
        cluster: Arc<SharedCluster>,
        reviewer: Arc<Reviewer>,
    ) -> Self {
        let [kind, plural, _] = HOST_GRANTS;
        let kind = GroupVersionKind::gvk("portcullis.dev", "v1alpha1", kind);
        let lists = Api::all_with(client, &ApiResource::from_gvk_with_plural(&kind, plural));
        Self { lists, leadership, cluster, reviewer, stored: None, failure: LastFailure::default() }
    }

    /// Runs the loop. Never returns.
    pub async fn run(mut self) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            let plan = self.reviewer.plan();
            if !self.leadership.is_leader() || !plan.ownership().needs_claims() {
                self.stored = None;
                continue;
            }
            let (changes, now) = (self.cluster.read().claim_changes(), Instant::now());
            let is_current = self.stored.as_ref().is_some_and(|(stored, by, at)| {
                *stored == changes && Arc::ptr_eq(by, &plan) && now - *at < RESYNC_INTERVAL
            });
            if is_current {
                continue;
            }
            match self.keep(&plan).await {
                Ok(false) => {}
                Ok(true) => {
                    self.failure.clear();
                    self.stored = Some((changes, plan, now));
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

    /// Writes the list if it differs from what is stored. Returns whether it is stored; it is not if HostClaims are not known.
    async fn keep(&self, plan: &Arc<Plan>) -> Result<bool, String> {
        let (cluster, plan) = (Arc::clone(&self.cluster), Arc::clone(plan));
        let list = move || {
            let view = cluster.read();
            // Where the kind is not served, no HostClaim is required, and the policies may not deny anything.
            let is_served = view.knowledge(Kind::HostClaim) != SyncState::NotServed;
            plan.ownership().effective_claims(&view).map(|list| is_served.then_some(list))
        };
        // A panic is in the log.
        let Some(list) = tokio::task::spawn_blocking(list).await.unwrap_or_default() else { return Ok(false) };
        let size: usize = list.iter().flatten().map(|(name, namespaces)| name.len() + namespaces.len()).sum();
        let is_too_large = size > MAX_SIZE;
        let spec = match list.filter(|_| !is_too_large) {
            Some(hosts) => json!({"isComplete": true, "hosts": hosts}),
            // The policies admit every host.
            None => json!({"isComplete": false}),
        };
        let is_stored = self.store(&spec).await.map_err(|error| error.to_string())?;
        match is_too_large {
            true => Err(format!("{size} bytes of names exceed {MAX_SIZE}, so that the policies admit every host now")),
            false => Ok(is_stored),
        }
    }

    /// Stores the list. An incomplete one is no better than none.
    async fn store(&self, spec: &Value) -> Result<bool, RequestError> {
        let [kind, _, name] = HOST_GRANTS;
        let stored = request(self.lists.get_opt(name)).await?;
        let version = stored.as_ref().and_then(|list| list.metadata.resource_version.clone());
        let is_stored = stored.map_or(spec["isComplete"] == false, |list| list.data["spec"] == *spec);
        if is_stored {
            return Ok(true);
        }
        // With the resource version that was read, if there was one: a write that comes late changes nothing.
        let list = json!({
            "apiVersion": "portcullis.dev/v1alpha1", "kind": kind, "metadata": {"name": name, "resourceVersion": version},
            "spec": spec,
        });
        let (by, list) = (PatchParams::apply(FIELD_MANAGER).force(), Patch::Apply(list));
        match self.leadership.write(request(self.lists.patch(name, &by, &list))).await {
            Ok(written) => written.map(|_| true),
            // The replica that leads now keeps it.
            Err(NotLeader) => Ok(false),
        }
    }
}
