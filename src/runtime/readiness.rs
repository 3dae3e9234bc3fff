//! What `/readyz` and `/metrics` show, gathered from the parts of a running process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use crate::files::Problem;
use crate::server::{Health, HealthCondition, Level};
use crate::telemetry::Metrics;
use crate::tls::Files;
use portcullis_core::cluster::{Cluster, SharedCluster, SyncState};
use portcullis_core::kinds::Kind;
use portcullis_core::review::Reviewer;

/// The parts of the process, and what the reload loops have reported.
pub struct Readiness {
    reviewer: Arc<Reviewer>,
    cluster: Arc<SharedCluster>,
    metrics: Arc<Metrics>,
    certificate: Arc<Files>,
    config: Mutex<Option<String>>,
    problems: Mutex<Vec<Problem>>,
    /// Why the newest version of a file that grants access is not in use, by option; `None` if it is.
    access: Mutex<BTreeMap<&'static str, Option<String>>>,
}

impl Readiness {
    /// The readiness of these parts.
    pub fn new(
        reviewer: &Arc<Reviewer>,
        cluster: &Arc<SharedCluster>,
        metrics: &Arc<Metrics>,
        certificate: &Arc<Files>,
    ) -> Self {
        Self {
            reviewer: Arc::clone(reviewer),
            cluster: Arc::clone(cluster),
            metrics: Arc::clone(metrics),
            certificate: Arc::clone(certificate),
            config: Mutex::default(),
            problems: Mutex::default(),
            access: Mutex::default(),
        }
    }

    /// Records that a new plan is in force, or why the configuration file is invalid.
    pub fn config(&self, error: Option<String>) {
        self.metrics.config_broken(error.is_some());
        self.metrics.plan(&self.reviewer.plan());
        *self.config.lock().unwrap_or_else(PoisonError::into_inner) = error;
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
}

/// The condition of a file of which the last valid version stays in use.
fn of_file(name: &str, error: Option<&str>) -> HealthCondition {
    let (level, message) = match error {
        None => (Level::Ok, String::new()),
        Some(error) => (Level::Degraded, format!("using the last valid version: {error}")),
    };
    HealthCondition { name: name.to_owned(), level, message }
}

fn of_kind(cluster: &Cluster, kind: Kind) -> HealthCondition {
    let count = cluster.count(kind);
    let bundle = cluster.schema(kind).map(|schema| format!(", {}", schema.bundle)).unwrap_or_default();
    let (level, message) = match cluster.knowledge(kind) {
        SyncState::Complete => (Level::Ok, format!("{count} known{bundle}")),
        SyncState::Partial => (Level::Ok, format!("{count} known, list may be incomplete{bundle}")),
        SyncState::Forbidden => {
            (Level::Degraded, "not readable (RBAC); checks that need this kind report nothing".to_owned())
        }
        // Not every cluster has this CRD.
        SyncState::NotServed if kind.is_custom() => (Level::Ok, "CRD not installed".to_owned()),
        SyncState::NotServed => (Level::Degraded, "not served; checks that need this kind report nothing".to_owned()),
        SyncState::NotSynced => (Level::Failing, "not synced".to_owned()),
    };
    HealthCondition { name: kind.resource().to_owned(), level, message }
}

impl Health for Readiness {
    fn conditions(&self) -> Vec<HealthCondition> {
        let (level, message) = match self.certificate.healthy(Timestamp::now()) {
            Ok(None) => (Level::Ok, String::new()),
            Ok(Some(message)) => (Level::Degraded, message),
            Err(message) => (Level::Failing, message),
        };
        let mut conditions = vec![HealthCondition { name: "certificate".to_owned(), level, message }];
        let config = self.config.lock().unwrap_or_else(PoisonError::into_inner).clone();
        conditions.push(of_file("config", config.as_deref()));
        let access = self.access.lock().unwrap_or_else(PoisonError::into_inner).clone();
        conditions.extend(access.iter().map(|(option, error)| of_file(option, error.as_deref())));
        for Problem(message) in &*self.problems.lock().unwrap_or_else(PoisonError::into_inner) {
            let (name, message) = ("objects".to_owned(), message.clone());
            conditions.push(HealthCondition { name, level: Level::Degraded, message });
        }
        let needs = self.reviewer.plan().needs();
        let cluster = self.cluster.read();
        conditions.extend(needs.iter().map(|kind| of_kind(&cluster, kind)));
        conditions
    }

    fn metrics(&self) -> String {
        self.metrics.certificate(self.certificate.certificate().not_after());
        let needs = self.reviewer.plan().needs();
        self.metrics.cluster(&self.cluster.read(), needs);
        self.metrics.render()
    }
}
