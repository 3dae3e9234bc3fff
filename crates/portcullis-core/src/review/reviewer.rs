//! Combines plan and view into the entry point of the webhook's handlers.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use jiff::Timestamp;

use super::abridge::abridge;
use super::answer::{AdmissionVerdict, Denied, ReviewResponse};
use super::envelope::NoReview;
use super::error::ReviewError;
use super::own_configuration::{Faults, OwnConfiguration};
use super::recheck::{Rechecked, WriteNotShown};
use super::validate::CpuTime;
use crate::checks::Plan;
use crate::cluster::SharedCluster;
use crate::matching::Host;
use crate::matching::claim_name::name_of;
use crate::names::is_subdomain;

/// The name of a replica that was given none.
const UNNAMED: &str = "unnamed";

/// Returns the time since some moment.
struct Clock(Box<dyn Fn() -> Duration + Send + Sync>);

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// Answers reviews with the current plan and the current view of the cluster.
#[derive(Debug)]
pub struct Reviewer {
    plan: ArcSwap<Plan>,
    /// Whether the configuration is not known yet, so that the plan is only provisional.
    awaits_configuration: AtomicBool,
    cluster: Arc<SharedCluster>,
    /// The clock of the reservations, if claims are reserved.
    clock: Option<Clock>,
    /// The CPU time of the current thread, if the time of a review is limited.
    cpu: Option<Clock>,
    replica: String,
    /// The ConfigMap that holds the configuration, if one does.
    own_configuration: Option<OwnConfiguration>,
}

impl Reviewer {
    /// A reviewer with an initial `plan` and a view of the `cluster`.
    pub fn new(plan: Plan, cluster: Arc<SharedCluster>) -> Self {
        Self {
            plan: ArcSwap::from_pointee(plan),
            awaits_configuration: AtomicBool::new(false),
            cluster,
            clock: None,
            cpu: None,
            replica: UNNAMED.to_owned(),
            own_configuration: None,
        }
    }

    /// Answers no review before [`Reviewer::follow`] or [`Reviewer::follow_current`] is called. Until then, the plan only says
    /// what the view must know.
    pub fn awaiting_configuration(self) -> Self {
        Self { awaits_configuration: AtomicBool::new(true), ..self }
    }

    /// Also reserves the claims of admitted writes until the view shows their objects. Not for a view of files, which
    /// never shows a write. `clock` returns the time since some moment and never steps back.
    pub fn reserving(self, clock: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self { clock: Some(Clock(Box::new(clock))), ..self }
    }

    /// Denies a review that takes too much CPU time. `cpu` returns the CPU time that the current thread has taken.
    pub fn limiting(self, cpu: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self { cpu: Some(Clock(Box::new(cpu))), ..self }
    }

    /// Names this replica in the answer to a [canary](super::canary).
    pub fn named(self, replica: String) -> Self {
        Self { replica, ..self }
    }

    /// Warns who writes an invalid version of the ConfigMap that holds the configuration. `faults` returns those of a ConfigMap, given as
    /// JSON.
    pub fn configured_by(
        self,
        namespace: String,
        name: String,
        faults: impl Fn(&str) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        let faults: Faults = Box::new(faults);
        Self { own_configuration: Some(OwnConfiguration { namespace, name, faults }), ..self }
    }

    /// The current plan.
    pub fn plan(&self) -> Arc<Plan> {
        self.plan.load_full()
    }

    /// Uses `plan` from the next review on.
    pub fn follow(&self, plan: Plan) {
        self.plan.store(Arc::new(plan));
        self.follow_current();
    }

    /// Uses the current plan from the next review on, because no other configuration can be used.
    pub fn follow_current(&self) {
        // After the plan was stored: a review that is answered from now on finds it.
        self.awaits_configuration.store(false, Ordering::Release);
    }

    /// The response to the validating review in `body`, at the time `now`.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use portcullis_core::checks::Plan;
    /// use portcullis_core::cluster::{Cluster, SharedCluster, SyncState};
    /// use portcullis_core::config::Config;
    /// use portcullis_core::review::{AdmissionVerdict, Reviewer};
    ///
    /// let plan = Plan::new(Config::default()).expect("the default configuration is valid");
    /// let cluster = Arc::new(SharedCluster::new(Cluster::with(SyncState::Complete)));
    /// let reviewer = Reviewer::new(plan, cluster);
    /// let review = br#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "1",
    ///     "kind": {"group": "networking.k8s.io", "version": "v1", "kind": "Ingress"}, "operation": "CREATE",
    ///     "namespace": "web", "name": "shop", "userInfo": {"username": "alice"},
    ///     "object": {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
    ///         "metadata": {"namespace": "web", "name": "shop"}, "spec": {"ingressClassName": "nginx", "defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}}}}"#;
    /// let response = reviewer.validate(review, "2026-12-01T00:00:00Z".parse()?)?;
    /// assert_eq!(response.summary.verdict, AdmissionVerdict::Allowed);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn validate(&self, body: &[u8], now: Timestamp) -> Result<ReviewResponse, ReviewError> {
        let text = simdutf8::basic::from_utf8(body).map_err(|_| NoReview::NotUtf8)?;
        let plan = self.known_plan()?;
        let elapsed = self.clock.as_ref().map(|Clock(elapsed)| elapsed());
        let cpu = self.cpu.as_ref().map(|Clock(cpu)| &**cpu as CpuTime<'_>);
        let response =
            super::validate::validate(&abridge(text), &plan, &self.cluster, elapsed, cpu, &self.replica, now)?;
        let is_other = response.summary.verdict == AdmissionVerdict::NotOurs;
        let own = self.own_configuration.as_ref().filter(|_| is_other).and_then(|own| own.review(text));
        Ok(own.unwrap_or(response))
    }

    /// What the creation or update that the review in `body` admitted a moment before has caused. Fails if the view does not show the object.
    pub fn recheck(&self, body: &[u8], now: Timestamp) -> Result<Rechecked, WriteNotShown> {
        let Ok(text) = simdutf8::basic::from_utf8(body) else { return Ok(Rechecked::default()) };
        super::recheck::recheck(&abridge(text), &self.plan.load(), &self.cluster, now)
    }

    /// How often a HostClaim has changed in the view; 0 without a look at the view if no decision depends on HostClaims.
    pub fn claim_changes(&self) -> u64 {
        let needs_claims = self.plan.load().ownership().needs_claims();
        if needs_claims { self.cluster.read().claim_changes() } else { 0 }
    }

    /// The names of the HostClaims that are not known and that could lift a denial, each once: those for the hosts, then those for wildcards
    /// above them.
    pub fn missing_claims(&self, denied: &Denied) -> Vec<String> {
        let (plan, view) = (self.plan.load(), self.cluster.read());
        let ownership = plan.ownership();
        let hosts: Vec<Host<'_>> = denied.hosts.iter().map(|host| Host::parse(host)).collect();
        let above = hosts.iter().flat_map(Host::wildcards_above);
        let candidates = hosts.iter().cloned().chain(above).filter(|host| ownership.uses_claims(host));
        let mut names: Vec<String> = Vec::new();
        for name in candidates.filter_map(|host| Some(name_of(&host)?.into_owned())) {
            if is_subdomain(&name) && !view.has_host_claim(&name) && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Whether the view shows the HostClaims with these names.
    pub fn knows_claims(&self, names: &[String]) -> bool {
        let view = self.cluster.read();
        names.iter().all(|name| view.has_host_claim(name))
    }

    /// The response to the mutating review in `body`. The time is not used.
    pub fn mutate(&self, body: &[u8], _: Timestamp) -> Result<ReviewResponse, ReviewError> {
        let text = simdutf8::basic::from_utf8(body).map_err(|_| NoReview::NotUtf8)?;
        super::mutate::mutate(text, &*self.known_plan()?, &self.cluster)
    }

    /// The plan, unless the configuration is not known yet.
    fn known_plan(&self) -> Result<Guard<Arc<Plan>>, ReviewError> {
        if self.awaits_configuration.load(Ordering::Acquire) {
            return Err(ReviewError::NotConfigured);
        }
        Ok(self.plan.load())
    }
}
