//! Metrics of a process that enforces by itself.

use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Whether writes are denied while no replica answers; clones share it.
#[derive(Debug, Clone, Default)]
pub struct EnforcementMetrics(Gauge);

impl EnforcementMetrics {
    /// Adds the metric to `registry`, whose prefix says whose it is.
    pub fn register(&self, registry: &mut Registry) {
        let help = "1 if every entry of the webhook configuration that may enforce has failurePolicy Fail, and no entry is missing";
        registry.register("enforced", help, self.0.clone());
    }

    /// Sets whether every entry has it.
    pub fn enforced(&self, is_enforced: bool) {
        self.0.set(i64::from(is_enforced));
    }
}
