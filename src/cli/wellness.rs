//! What `/readyz` and `/metrics` tell, gathered from the parts of a running process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use jiff::Timestamp;

use crate::cluster::{Cluster, Knowledge};
use crate::files::Problem;
use crate::kinds::Kind;
use crate::review::Reviewer;
use crate::server::{Condition, Health, Level};
use crate::telemetry::Metrics;
use crate::tls::Files;

/// The parts, and what followers of files report.
pub struct Wellness {
    reviewer: Arc<Reviewer>,
    cluster: Arc<RwLock<Cluster>>,
    metrics: Arc<Metrics>,
    certificate: Arc<Files>,
    config: Mutex<Option<String>>,
    problems: Mutex<Vec<Problem>>,
    /// Files that say who may ask, by their option, and why the newest version is not in use.
    access: Mutex<BTreeMap<&'static str, Option<String>>>,
}

impl Wellness {
    /// Of these parts.
    pub fn new(
        reviewer: &Arc<Reviewer>,
        cluster: &Arc<RwLock<Cluster>>,
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

    /// Notes a plan that came into force, or why the configuration file's is not.
    pub fn config(&self, broken: Option<String>) {
        self.metrics.config_broken(broken.is_some());
        self.metrics.plan(&self.reviewer.plan());
        *self.config.lock().unwrap_or_else(PoisonError::into_inner) = broken;
    }

    /// Notes what is wrong with the folder of manifests.
    pub fn problems(&self, problems: Vec<Problem>) {
        self.metrics.objects_broken(problems.len());
        *self.problems.lock().unwrap_or_else(PoisonError::into_inner) = problems;
    }

    /// Notes that a file that says who may ask is in use, or why its newest version is not.
    pub fn access(&self, option: &'static str, broken: Option<String>) {
        self.access.lock().unwrap_or_else(PoisonError::into_inner).insert(option, broken);
    }

    fn kind(&self, cluster: &Cluster, kind: Kind) -> Condition {
        let count = cluster.count(kind);
        let bundle = cluster.schema(kind).map(|schema| format!(", {}", schema.bundle)).unwrap_or_default();
        let (level, says) = match cluster.knowledge(kind) {
            Knowledge::Complete => (Level::Well, format!("{count} known{bundle}")),
            Knowledge::Partial => (Level::Well, format!("{count} known, there may be more{bundle}")),
            Knowledge::Forbidden => (Level::Troubled, "may not be read: checks that need it are silent".to_owned()),
            // A cluster without this CRD is as it should be.
            Knowledge::NotServed if kind.is_custom() => (Level::Well, "not served".to_owned()),
            Knowledge::NotServed => (Level::Troubled, "is not served: checks that need it are silent".to_owned()),
            Knowledge::NotSynced => (Level::Failing, "not synced".to_owned()),
        };
        Condition { name: kind.resource().to_owned(), level, says }
    }
}

/// The condition of a file of which the last good version is in force.
fn followed(name: &str, broken: Option<&str>) -> Condition {
    let (level, says) = match broken {
        None => (Level::Well, "ok".to_owned()),
        Some(why) => (Level::Troubled, format!("the last good one is in force: {why}")),
    };
    Condition { name: name.to_owned(), level, says }
}

impl Health for Wellness {
    fn conditions(&self) -> Vec<Condition> {
        let certificate = self.certificate.healthy(Timestamp::now());
        let (level, says) = match certificate {
            Ok(says) if says == "ok" => (Level::Well, says),
            Ok(says) => (Level::Troubled, says),
            Err(says) => (Level::Failing, says),
        };
        let mut conditions = vec![Condition { name: "certificate".to_owned(), level, says }];
        let config = self.config.lock().unwrap_or_else(PoisonError::into_inner).clone();
        conditions.push(followed("config", config.as_deref()));
        let access = self.access.lock().unwrap_or_else(PoisonError::into_inner).clone();
        conditions.extend(access.iter().map(|(option, broken)| followed(option, broken.as_deref())));
        for Problem(says) in &*self.problems.lock().unwrap_or_else(PoisonError::into_inner) {
            conditions.push(Condition { name: "objects".to_owned(), level: Level::Troubled, says: says.clone() });
        }
        let needs = self.reviewer.plan().needs();
        let cluster = self.cluster.read().unwrap_or_else(PoisonError::into_inner);
        conditions.extend(needs.iter().map(|kind| self.kind(&cluster, kind)));
        conditions
    }

    fn metrics(&self) -> String {
        self.metrics.certificate(self.certificate.certificate().not_after());
        let needs = self.reviewer.plan().needs();
        self.metrics.cluster(&self.cluster.read().unwrap_or_else(PoisonError::into_inner), needs);
        self.metrics.render()
    }
}
