//! The loop that takes part in the election: asks the API server, and writes the Lease, as [`Election`] says.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{Patch, PatchParams};
use kube::{Api, Client};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use serde_json::json;
use tower::util::rng::{HasherRng, Rng};

use super::clock::{Moment, until};
use super::election::{Election, Failure, Step, StoredLease, Timing};
use super::leadership::{Leadership, LeadershipSender, Observation};
use crate::platform::host_name;
use crate::request::{FIELD_MANAGER, RequestError};
use crate::telemetry::LastFailure;

/// How long the release may take, with waiting for the last write. The process ends only after it.
const RELEASE: Duration = Duration::from_secs(2);

/// 1 in the replica that holds the Lease.
#[derive(Debug, Clone, Default)]
pub struct LeaderGauge(Gauge);

impl LeaderGauge {
    /// Adds the gauge to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        registry.register("leader", "1 if this replica holds the Lease", self.0.clone());
    }

    /// Whether this replica holds the Lease.
    pub fn is_leader(&self) -> bool {
        self.0.get() == 1
    }
}

/// Takes part in the election for one Lease.
pub struct Elector {
    leases: Api<Lease>,
    name: String,
    election: Election,
    leadership: LeadershipSender,
    gauge: LeaderGauge,
    random: HasherRng,
    /// The other holder that was logged last.
    logged_holder: Option<String>,
    failure: LastFailure,
}

impl Elector {
    /// A candidate for the Lease `name` in the namespace of `client`, which should not retry by itself, and what the process sees of
    /// the election.
    pub fn new(client: Client, name: &str, timing: Timing, gauge: LeaderGauge) -> (Self, Leadership) {
        let mut random = HasherRng::new();
        // A container that is started again in its pod is another candidate.
        let identity = format!("{}_{:016x}", host_name(), random.next_u64());
        let (sender, leadership) = LeadershipSender::new();
        let elector = Self {
            leases: Api::default_namespaced(client),
            name: name.to_owned(),
            election: Election::new(identity, timing, Moment::now()),
            leadership: sender,
            gauge,
            random,
            logged_holder: None,
            failure: LastFailure::default(),
        };
        (elector, leadership)
    }

    /// Takes part until `stop` resolves, then releases the Lease if this replica holds it. [`Leadership::released`] resolves afterwards.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        loop {
            let now = Moment::now();
            match self.election.step(now, Timestamp::now()) {
                Step::Wait(next) => tokio::select! {
                    () = tokio::time::sleep(next - now) => {}
                    () = &mut stop => break,
                },
                step => tokio::select! {
                    () = self.attempt(step) => {}
                    () = &mut stop => {
                        // The request that was given up may have succeeded.
                        self.election.fail(Failure::Other, Moment::now(), 0.0);
                        break;
                    }
                },
            }
            self.publish();
        }
        self.release().await;
    }

    /// Makes one request and takes in how it ended.
    async fn attempt(&mut self, step: Step) {
        let sent = Moment::now();
        let is_write = matches!(step, Step::Write(_));
        let limit = sent + self.election.request_timeout(sent);
        let answer = until(limit, request(&self.leases, &self.name, step)).await;
        let (now, jitter) = (Moment::now(), self.random.next_f64());
        match answer {
            Some(Ok(Some(lease))) if is_write => {
                self.election.wrote(lease, sent, now);
                self.failure.clear();
            }
            Some(Ok(lease)) => self.election.observe(lease, now, jitter),
            // Another write came first, or the Lease was deleted.
            Some(Err(kube::Error::Api(status))) if status.code == 409 || (status.code == 404 && is_write) => {
                return self.election.fail(Failure::Conflict, now, jitter);
            }
            Some(Err(error)) => return self.fail(&RequestError::from(error).to_string(), now, jitter),
            None => return self.fail(&format!("no answer within {:?}", limit - sent), now, jitter),
        }
        // A Lease that can be read but not written is not in order, unless another replica keeps it.
        if self.election.other_leader(now).is_some() {
            self.failure.clear();
        }
    }

    fn fail(&mut self, error: &str, now: Moment, jitter: f64) {
        self.election.fail(Failure::Other, now, jitter);
        if self.failure.record(error) {
            tracing::warn!(lease = self.name, error, "the Lease cannot be read or written; retrying");
        }
    }

    /// Reports to the process and to the metrics whether this replica leads, and logs each change.
    fn publish(&mut self) {
        let now = Moment::now();
        let deadline = self.election.deadline(now);
        self.leadership.set(deadline);
        let leader = self.election.other_leader(now).map(str::to_owned);
        self.leadership.observe(Observation { leader, error: self.failure.current().map(str::to_owned) });
        let was_leader = self.gauge.0.set(i64::from(deadline.is_some())) == 1;
        let (lease, identity, holder) = (&self.name, self.election.identity(), self.election.holder());
        match (was_leader, deadline.is_some()) {
            (false, true) => tracing::info!(lease, identity, "this replica leads"),
            (true, false) => tracing::warn!(lease, identity, holder, "this replica no longer leads"),
            _ => {}
        }
        let other = holder.filter(|holder| *holder != identity);
        if other.is_some() && other != self.logged_holder.as_deref() {
            tracing::info!(lease, holder = other, "another replica leads");
        }
        self.logged_holder = other.map(str::to_owned);
    }

    /// Lets another replica take the Lease at once, after the last write of this one. If that does not succeed, the Lease expires.
    async fn release(mut self) {
        self.gauge.0.set(0);
        let limit = Moment::now() + RELEASE;
        if !self.leadership.resign(RELEASE).await {
            tracing::warn!(lease = self.name, "a write is still in flight; the Lease is left to expire");
            return;
        }
        while let Some(step) = self.election.release(Moment::now(), Timestamp::now()) {
            let is_release = matches!(step, Step::Write(_));
            match until(limit, request(&self.leases, &self.name, step)).await {
                Some(Ok(_)) if is_release => {
                    tracing::info!(lease = self.name, "released the Lease");
                    return;
                }
                Some(Ok(lease)) => self.election.observe(lease, Moment::now(), 0.0),
                Some(Err(error)) => {
                    tracing::warn!(lease = self.name, %error, "the Lease was not released; it expires");
                    return;
                }
                None => {
                    tracing::warn!(lease = self.name, "the Lease was not released in time; it expires");
                    return;
                }
            }
        }
    }
}

/// Makes the request of one step; the Lease as it is stored afterwards, none if it does not exist.
async fn request(leases: &Api<Lease>, name: &str, step: Step) -> Result<Option<StoredLease>, kube::Error> {
    let lease = match step {
        Step::Wait(_) | Step::Read => match leases.get_opt(name).await? {
            Some(lease) => lease,
            None => return Ok(None),
        },
        // By server-side apply, since a Role cannot limit other creations to one name. It sets no field, so that two replicas that
        // create it at once do not conflict; which of them holds it is decided by the resource version of the next write.
        Step::Create => {
            let empty = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name}});
            leases.patch(name, &PatchParams::apply(FIELD_MANAGER), &Patch::Apply(empty)).await?
        }
        // A merge patch leaves labels and annotations of others alone; with a resource version it fails if the Lease has changed.
        Step::Write(StoredLease { spec, version }) => {
            let change = json!({"metadata": {"resourceVersion": version}, "spec": spec});
            let by = PatchParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..PatchParams::default() };
            leases.patch(name, &by, &Patch::Merge(change)).await?
        }
    };
    let version = lease.metadata.resource_version.unwrap_or_default();
    Ok(Some(StoredLease { spec: lease.spec.unwrap_or_default(), version }))
}
