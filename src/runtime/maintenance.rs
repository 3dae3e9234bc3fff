//! What `/livez`, `/readyz` and `/metrics` show of a process that only maintains the CA and the webhook configurations.

use std::sync::Arc;

use prometheus_client::registry::Registry;

use super::heartbeat::Heartbeat;
use super::readiness::{ConditionSource, of_certificate, of_lease};
use crate::lease::{LeaderGauge, Leadership, Moment};
use crate::server::{Health, HealthCondition};
use crate::telemetry::{self, EnforcementMetrics, IssuerMetrics};
use crate::tls::CertificateSource;

/// The parts of the process.
pub struct Maintenance {
    leadership: Leadership,
    issuer: Option<Arc<dyn CertificateSource>>,
    enforcement: Option<ConditionSource>,
    registry: Registry,
    heartbeat: Heartbeat,
}

impl Maintenance {
    /// A process that does nothing yet.
    pub fn new(leadership: Leadership, leader: &LeaderGauge) -> Self {
        let mut registry = Registry::with_prefix("portcullis");
        leader.register(&mut registry);
        Self { leadership, issuer: None, enforcement: None, registry, heartbeat: Heartbeat::new(Moment::now()) }
    }

    /// Shows the issuer, too.
    pub fn issuing(mut self, issuer: Arc<dyn CertificateSource>, metrics: &IssuerMetrics) -> Self {
        metrics.register(&mut self.registry);
        Self { issuer: Some(issuer), ..self }
    }

    /// Shows the enforcement, too.
    pub fn enforcing(
        mut self,
        conditions: impl Fn() -> Vec<HealthCondition> + Send + Sync + 'static,
        metrics: &EnforcementMetrics,
    ) -> Self {
        metrics.register(&mut self.registry);
        Self { enforcement: Some(Box::new(conditions)), ..self }
    }

    /// Shows that the threads of the current runtime run tasks, for as long as they do.
    pub async fn beat(&self) {
        self.heartbeat.beat().await;
    }
}

impl Health for Maintenance {
    fn conditions(&self) -> Vec<HealthCondition> {
        let certificate = self.issuer.iter().map(|issuer| of_certificate(&**issuer));
        let enforcement = self.enforcement.iter().flat_map(|conditions| conditions());
        certificate.chain(enforcement).chain([of_lease(self.leadership.status())]).collect()
    }

    fn is_alive(&self) -> bool {
        self.heartbeat.is_alive(Moment::now())
    }

    fn metrics(&self) -> String {
        telemetry::render(&self.registry)
    }
}
