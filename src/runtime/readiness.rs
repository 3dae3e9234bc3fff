//! What `/livez`, `/readyz` and `/metrics` show, gathered from the parts of a running process.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use super::config_state::{ConfigId, ConfigState};
use super::heartbeat::Heartbeat;
use crate::files::Problem;
use crate::lease::{Leadership, LeaseStatus, Moment};
use crate::server::{Health, HealthCondition, Level};
use crate::telemetry::Metrics;
use crate::tls::CertificateSource;
use crate::watch::{ApiServer, KindFault, KindStatus, Reachability};
use portcullis_core::cluster::{Cluster, SharedCluster, SyncState};
use portcullis_core::finding::Action;
use portcullis_core::kinds::Kind;
use portcullis_core::review::Reviewer;

/// The parts of the process, and what the reload loops have reported.
pub struct Readiness {
    reviewer: Arc<Reviewer>,
    cluster: Arc<SharedCluster>,
    metrics: Arc<Metrics>,
    certificate: Arc<dyn CertificateSource>,
    /// The watched API server; none if the view comes from a folder.
    api_server: Option<ApiServer>,
    /// The election of a leader, if this replica takes part in one.
    leadership: Option<Leadership>,
    /// Whether the process was ever ready. From then on a kind that is not readable does not make it unavailable, since
    /// all replicas have the same rights.
    was_ready: AtomicBool,
    config: Mutex<ConfigState>,
    problems: Mutex<Vec<Problem>>,
    /// Why the newest version of a file that grants access is not in use, by option; `None` if it is.
    access: Mutex<BTreeMap<&'static str, Option<String>>>,
    /// Conditions of other parts of the process.
    others: Mutex<Vec<ConditionSource>>,
    heartbeat: Heartbeat,
}

/// Returns the current conditions of one part of the process.
pub(super) type ConditionSource = Box<dyn Fn() -> Vec<HealthCondition> + Send + Sync>;

impl Readiness {
    /// The readiness of these parts.
    pub fn new(
        reviewer: &Arc<Reviewer>,
        cluster: &Arc<SharedCluster>,
        metrics: &Arc<Metrics>,
        certificate: &Arc<dyn CertificateSource>,
        api_server: Option<ApiServer>,
        leadership: Option<Leadership>,
    ) -> Self {
        let config = ConfigState::Newest(ConfigId::of(None, &reviewer.plan()));
        Self {
            reviewer: Arc::clone(reviewer),
            cluster: Arc::clone(cluster),
            metrics: Arc::clone(metrics),
            certificate: Arc::clone(certificate),
            api_server,
            leadership,
            was_ready: AtomicBool::new(false),
            config: Mutex::new(config),
            problems: Mutex::default(),
            access: Mutex::default(),
            others: Mutex::default(),
            heartbeat: Heartbeat::new(Moment::now()),
        }
    }

    /// Shows that the threads of the current runtime run tasks, for as long as they do.
    pub async fn beat(&self) {
        self.heartbeat.beat().await;
    }

    /// Adds the conditions that `source` returns at each request.
    pub fn include(&self, source: impl Fn() -> Vec<HealthCondition> + Send + Sync + 'static) {
        self.others.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(source));
    }

    /// Records which configuration is in use, and what is wrong with a newer one. The reviewer uses it already.
    pub fn config(&self, state: ConfigState) {
        let in_effect = state.id().map(|id| {
            let max_action = id.max_action.unwrap_or(Action::Deny);
            (id.hash.as_str(), id.profile.as_str(), max_action.name())
        });
        self.metrics.config(in_effect, state.is_broken());
        self.metrics.plan(&self.reviewer.plan());
        *self.config.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// Records what is wrong with the folder of manifests.
    pub fn problems(&self, problems: Vec<Problem>) {
        self.metrics.objects_broken(problems.len());
        *self.problems.lock().unwrap_or_else(PoisonError::into_inner) = problems;
    }

    /// Records that a file that grants access is in use, or why its newest version is not.
    pub fn access(&self, option: &'static str, error: Option<String>) {
        self.access.lock().unwrap_or_else(PoisonError::into_inner).insert(option, error);
    }

    /// The conditions of the kinds that the plan needs.
    fn kinds(&self) -> Vec<HealthCondition> {
        let (plan, was_ready) = (self.reviewer.plan(), self.was_ready.load(Ordering::Relaxed));
        let cluster = self.cluster.read();
        let condition = |kind: Kind| {
            let state = KindState {
                knowledge: cluster.knowledge(kind),
                status: self.api_server.as_ref().and_then(|server| server.kind_status(kind)),
                age: self.api_server.as_ref().and_then(|server| server.kind_age(kind)),
                is_needed_to_deny: plan.needs_to_deny().contains(kind),
                was_ready,
                is_first_list_failing: self
                    .api_server
                    .as_ref()
                    .is_some_and(|server| server.is_first_list_failing(kind)),
            };
            of_kind(&cluster, kind, &state)
        };
        plan.needs().iter().map(condition).collect()
    }
}

/// The condition of a file of which the last valid version stays in use.
fn of_file(name: &str, error: Option<&str>) -> HealthCondition {
    let (level, message) = match error {
        None => (Level::Ok, String::new()),
        Some(error) => (Level::Degraded, format!("using the last valid version: {error}")),
    };
    HealthCondition { name: name.to_owned(), level, message }
}

/// The inputs of the condition of a kind.
struct KindState {
    knowledge: SyncState,
    /// How current the kind is; none if the view comes from a folder, or the kind was never listed.
    status: Option<KindStatus>,
    /// The time since the API server last confirmed the kind, also if that is why it is no longer known.
    age: Option<Duration>,
    /// Whether an enabled check needs the kind to deny objects.
    is_needed_to_deny: bool,
    was_ready: bool,
    /// Whether the first list of the kind fails.
    is_first_list_failing: bool,
}

fn of_kind(cluster: &Cluster, kind: Kind, state: &KindState) -> HealthCondition {
    let (level, message) = match state.knowledge {
        SyncState::Complete | SyncState::Partial => of_known_kind(cluster, kind, state),
        SyncState::Forbidden => of_forbidden_kind(kind, state),
        // Also in a process that was never ready: otherwise a cluster whose pods all start at once would wait for a list without end.
        SyncState::Stale => (Level::Degraded, unknown("lists or watches fail", state)),
        // Not every cluster has this CRD.
        SyncState::NotServed if kind.is_custom() => (Level::Ok, "CRD not installed in a supported version".to_owned()),
        SyncState::NotServed => (Level::Degraded, unknown("not served", state)),
        SyncState::NotSynced => of_unlisted_kind(state),
    };
    HealthCondition { name: kind.resource().to_owned(), level, message }
}

fn of_known_kind(cluster: &Cluster, kind: Kind, state: &KindState) -> (Level, String) {
    let known = match state.knowledge {
        SyncState::Partial => "known, list may be incomplete",
        _ => "known",
    };
    let bundle = cluster.schema(kind).map(|schema| format!(", {}", schema.bundle)).unwrap_or_default();
    let known = format!("{} {known}{bundle}", cluster.count(kind));
    match state.status {
        Some(KindStatus { fault: Some(KindFault::Forbidden), .. }) if !state.was_ready => {
            of_forbidden_kind(kind, state)
        }
        Some(KindStatus { fault: Some(fault), age, .. }) => {
            let fault = match fault {
                KindFault::Forbidden => "not readable any more (RBAC)",
                KindFault::NotServed => "not served any more",
                KindFault::Failing => "lists or watches fail",
            };
            (Level::Degraded, format!("{known}; {fault}, last confirmed {}s ago", age.as_secs()))
        }
        // The list is complete, but whether the watch is allowed is not known yet.
        Some(KindStatus { is_watched: false, .. }) if !state.was_ready => {
            (Level::Failing, "not watched yet".to_owned())
        }
        _ if cluster.cut_objects(kind) > 0 => {
            let cut = cluster.cut_objects(kind);
            (
                Level::Degraded,
                format!("{known}; content of {cut} not kept, since their namespaces have too many entries"),
            )
        }
        _ => (Level::Ok, known),
    }
}

/// A process that was never ready waits for the first list, but not for one that fails and no denying check needs. One that was ready
/// has a new configuration, which needs the kind: reviews that need it are retried until it is synced.
fn of_unlisted_kind(state: &KindState) -> (Level, String) {
    let message = if state.is_first_list_failing { "not synced; lists fail" } else { "not synced" };
    let is_awaited = !state.was_ready && (state.is_needed_to_deny || !state.is_first_list_failing);
    (if is_awaited { Level::Failing } else { Level::Degraded }, message.to_owned())
}

/// A process that was never ready waits for the rights that denying checks need, so that a rollout with a broken role
/// stops while the previous pods serve.
fn of_forbidden_kind(kind: Kind, state: &KindState) -> (Level, String) {
    if state.is_needed_to_deny && !state.was_ready {
        let resource = kind.resource();
        let message = format!("not readable (RBAC); allow get, list and watch on {resource} as in manifests/rbac.yaml");
        return (Level::Failing, message);
    }
    (Level::Degraded, unknown("not readable (RBAC)", state))
}

/// What it means that nothing is known of a kind, and since when.
fn unknown(fault: &str, state: &KindState) -> String {
    let age = state.age.map(|age| format!(", last confirmed {}s ago", age.as_secs())).unwrap_or_default();
    format!("{fault}{age}; checks that need this kind report nothing")
}

fn of_api_server(server: &ApiServer) -> HealthCondition {
    let (level, message) = match server.reachability() {
        Reachability::Connected => (Level::Ok, String::new()),
        Reachability::CatchingUp(_) => (Level::Failing, "some watches have not been reopened yet".to_owned()),
        Reachability::CutOff(age) => (
            Level::Failing,
            format!("no contact for {}s; responses are based on the last known objects", age.as_secs()),
        ),
    };
    HealthCondition { name: "api-server".to_owned(), level, message }
}

/// The condition of the election. Reviews need no leader, so none of its states makes the replica unavailable.
pub(super) fn of_lease(status: LeaseStatus) -> HealthCondition {
    let (level, message) = match status {
        LeaseStatus::Leading => (Level::Ok, "leading".to_owned()),
        LeaseStatus::LedBy(holder) => (Level::Ok, format!("led by {holder}")),
        LeaseStatus::NoHolder => (Level::Ok, "no holder seen".to_owned()),
        LeaseStatus::Failing(error) => {
            (Level::Degraded, format!("no holder seen; the Lease cannot be read or written: {error}"))
        }
    };
    HealthCondition { name: "lease".to_owned(), level, message }
}

/// The condition of the certificates of a source.
pub(super) fn of_certificate(source: &dyn CertificateSource) -> HealthCondition {
    let (level, message) = match source.healthy(Timestamp::now()) {
        Ok(None) => (Level::Ok, String::new()),
        Ok(Some(message)) => (Level::Degraded, message),
        Err(message) => (Level::Failing, message),
    };
    HealthCondition { name: "certificate".to_owned(), level, message }
}

impl Health for Readiness {
    fn conditions(&self) -> Vec<HealthCondition> {
        let mut conditions = vec![of_certificate(&*self.certificate)];
        conditions.push(self.config.lock().unwrap_or_else(PoisonError::into_inner).condition());
        let access = self.access.lock().unwrap_or_else(PoisonError::into_inner).clone();
        conditions.extend(access.iter().map(|(option, error)| of_file(option, error.as_deref())));
        for Problem(message) in &*self.problems.lock().unwrap_or_else(PoisonError::into_inner) {
            let (name, message) = ("objects".to_owned(), message.clone());
            conditions.push(HealthCondition { name, level: Level::Degraded, message });
        }
        for source in &*self.others.lock().unwrap_or_else(PoisonError::into_inner) {
            conditions.extend(source());
        }
        conditions.extend(self.leadership.iter().map(|leadership| of_lease(leadership.status())));
        conditions.extend(self.api_server.iter().map(of_api_server));
        conditions.extend(self.kinds());
        if conditions.iter().all(|condition| condition.level != Level::Failing) {
            self.was_ready.store(true, Ordering::Relaxed);
        }
        conditions
    }

    fn is_alive(&self) -> bool {
        self.heartbeat.is_alive(Moment::now())
    }

    fn metrics(&self) -> String {
        self.metrics.certificate(self.certificate.certificate().not_after().unwrap_or_default());
        let needs = self.reviewer.plan().needs();
        self.metrics.cluster(&self.cluster.read(), needs);
        self.metrics.render()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A new pod waits for a list that fails only if a denying check needs it; a running one never does.
    #[test]
    fn a_list_that_fails_is_awaited_only_where_it_may_decide() {
        for (was_ready, is_first_list_failing, is_needed_to_deny, level) in [
            (false, false, false, Level::Failing),
            (false, true, true, Level::Failing),
            (false, true, false, Level::Degraded),
            (true, false, true, Level::Degraded),
            (true, true, true, Level::Degraded),
        ] {
            let (knowledge, status, age) = (SyncState::NotSynced, None, None);
            let state = KindState { knowledge, status, age, is_needed_to_deny, was_ready, is_first_list_failing };
            let message = if is_first_list_failing { "not synced; lists fail" } else { "not synced" };
            assert_eq!(of_unlisted_kind(&state), (level, message.to_owned()));
        }
    }

    #[test]
    fn lease_is_degraded_only_if_it_cannot_be_held() {
        let forbidden = "no holder seen; the Lease cannot be read or written: forbidden";
        for (status, level, message) in [
            (LeaseStatus::Leading, Level::Ok, "leading"),
            (LeaseStatus::LedBy("portcullis-0_1".to_owned()), Level::Ok, "led by portcullis-0_1"),
            (LeaseStatus::NoHolder, Level::Ok, "no holder seen"),
            (LeaseStatus::Failing("forbidden".to_owned()), Level::Degraded, forbidden),
        ] {
            let condition = of_lease(status);
            assert_eq!((condition.level, &*condition.message), (level, message));
        }
    }
}
