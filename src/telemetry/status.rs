//! Metrics of the controller that writes statuses.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use portcullis_core::kinds::Kind;
use portcullis_core::status::KINDS;

/// Counts of one controller; clones share them.
#[derive(Debug, Clone)]
pub struct StatusMetrics {
    computed: Family<KindOf, Counter>,
    written: Family<KindOf, Counter>,
    conflicts: Family<KindOf, Counter>,
    failures: Family<KindOf, Counter>,
    forbidden: Family<KindOf, Gauge>,
    queued: Gauge,
    events_dropped: Counter,
    lag: Histogram,
    reads: Family<KindOf, Counter>,
    read_failures: Family<KindOf, Counter>,
}

/// A kind whose objects the controller reads by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadKind {
    /// A ConfigMap.
    ConfigMap,
    /// A Secret.
    Secret,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindOf {
    kind: &'static str,
}

impl From<Kind> for KindOf {
    fn from(kind: Kind) -> Self {
        Self { kind: kind.label() }
    }
}

impl From<ReadKind> for KindOf {
    fn from(kind: ReadKind) -> Self {
        let kind = match kind {
            ReadKind::ConfigMap => "ConfigMap",
            ReadKind::Secret => "Secret",
        };
        Self { kind }
    }
}

impl Default for StatusMetrics {
    fn default() -> Self {
        let metrics = Self {
            computed: Family::default(),
            written: Family::default(),
            conflicts: Family::default(),
            failures: Family::default(),
            forbidden: Family::default(),
            queued: Gauge::default(),
            events_dropped: Counter::default(),
            lag: Histogram::new([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0, 300.0]),
            reads: Family::default(),
            read_failures: Family::default(),
        };
        // Prometheus sees no increase of a series that begins with 1.
        for of in KINDS.iter().map(KindOf::from) {
            for counters in [&metrics.computed, &metrics.written, &metrics.conflicts, &metrics.failures] {
                counters.get_or_create(&of).inc_by(0);
            }
        }
        for of in [ReadKind::ConfigMap, ReadKind::Secret].map(KindOf::from) {
            for counters in [&metrics.reads, &metrics.read_failures] {
                counters.get_or_create(&of).inc_by(0);
            }
        }
        metrics.none_forbidden();
        metrics
    }
}

impl StatusMetrics {
    /// Adds the metrics to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        let help = "Statuses computed by this replica while it leads, by kind";
        registry.register("status_computed", help, self.computed.clone());
        registry.register("status_written", "Statuses written by this replica, by kind", self.written.clone());
        let help = "Writes of a status that another write preceded, by kind; they are repeated with the newer object";
        registry.register("status_conflicts", help, self.conflicts.clone());
        let help = "Writes of a status that the API server refused or did not answer, by kind; they are repeated";
        registry.register("status_write_failures", help, self.failures.clone());
        let help = "Namespaces in which the status of a kind may not be written (RBAC), as far as it was tried; 1 for a cluster-scoped kind";
        registry.register("status_forbidden", help, self.forbidden.clone());
        registry.register("status_queued", "Statuses that are to be written", self.queued.clone());
        let help = "Events about statuses that were not sent, since too many waited or the API server refused them";
        registry.register("status_events_dropped", help, self.events_dropped.clone());
        let help = "Time from the change that made a status outdated to its write";
        registry.register("status_lag_seconds", help, self.lag.clone());
        let help = "Reads of Secrets and ConfigMaps to which objects with a status refer, by kind";
        registry.register("status_reads", help, self.reads.clone());
        let help = "Reads that the API server refused (RBAC) or did not answer, by kind; they are repeated";
        registry.register("status_read_failures", help, self.read_failures.clone());
    }

    /// Counts a computed status.
    pub fn computed(&self, kind: Kind) {
        self.computed.get_or_create(&kind.into()).inc();
    }

    /// Counts a write, and records how long after the change it was made.
    pub fn written(&self, kind: Kind, lag: Duration) {
        self.written.get_or_create(&kind.into()).inc();
        self.lag.observe(lag.as_secs_f64());
    }

    /// Counts a write that another one preceded.
    pub fn conflicted(&self, kind: Kind) {
        self.conflicts.get_or_create(&kind.into()).inc();
    }

    /// Counts a write that failed otherwise.
    pub fn failed(&self, kind: Kind) {
        self.failures.get_or_create(&kind.into()).inc();
    }

    /// The number of failed writes.
    #[cfg(test)]
    pub fn failures(&self, kind: Kind) -> u64 {
        self.failures.get_or_create(&kind.into()).get()
    }

    /// Counts a read of one object by its name, and whether it failed. The answer that it does not exist counts as a success.
    pub fn read(&self, kind: ReadKind, has_failed: bool) {
        self.reads.get_or_create(&kind.into()).inc();
        self.read_failures.get_or_create(&kind.into()).inc_by(u64::from(has_failed));
    }

    /// The number of reads, and how many of them failed.
    #[cfg(test)]
    pub fn reads(&self, kind: ReadKind) -> (u64, u64) {
        (self.reads.get_or_create(&kind.into()).get(), self.read_failures.get_or_create(&kind.into()).get())
    }

    /// Sets in how many namespaces the status of a kind may not be written.
    pub fn forbidden(&self, kind: Kind, namespaces: usize) {
        self.forbidden.get_or_create(&kind.into()).set(i64::try_from(namespaces).unwrap_or(i64::MAX));
    }

    /// Sets that no kind is known whose status may not be written.
    pub fn none_forbidden(&self) {
        for of in KINDS.iter().map(KindOf::from) {
            self.forbidden.get_or_create(&of).set(0);
        }
    }

    /// Counts Events that were not sent.
    pub fn events_dropped(&self, count: usize) {
        self.events_dropped.inc_by(u64::try_from(count).unwrap_or(u64::MAX));
    }

    /// Sets the number of statuses that are to be written.
    pub fn queued(&self, count: usize) {
        self.queued.set(i64::try_from(count).unwrap_or(i64::MAX));
    }
}
