//! Metrics of the certificates that Portcullis issues itself.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Counts of one issuer; clones share them.
#[derive(Debug, Clone, Default)]
pub struct IssuerMetrics {
    authority: Gauge,
    unusable: Gauge,
    issued: Counter,
    changes: Family<ChangeOf, Counter>,
    published: Family<KindOf, Counter>,
    write_failures: Family<KindOf, Counter>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ChangeOf {
    change: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindOf {
    kind: &'static str,
}

impl IssuerMetrics {
    /// Adds the metrics to `registry`, whose prefix says whose they are.
    pub fn register(&self, registry: &mut Registry) {
        let help = "Expiry of the CA that signs serving certificates, in seconds since the Unix epoch";
        registry.register("ca_expiration_timestamp_seconds", help, self.authority.clone());
        let help = "1 while the Secret of the CA has a content that cannot be used";
        registry.register("ca_unusable", help, self.unusable.clone());
        registry.register("certificates_issued", "Serving certificates issued by this replica", self.issued.clone());
        let help = "Changes that this replica made to the Secret of the CA, by type";
        registry.register("ca_changes", help, self.changes.clone());
        let help = "Writes of the caBundle of a webhook configuration by this replica, by kind";
        registry.register("ca_bundles_written", help, self.published.clone());
        let help = "Failed writes of the Secret of the CA or of a caBundle, by kind";
        registry.register("ca_write_failures", help, self.write_failures.clone());
    }

    /// Sets the expiry of the authority that signs.
    pub fn authority(&self, until: jiff::Timestamp) {
        self.authority.set(until.as_second());
    }

    /// Sets whether the content of the Secret cannot be used.
    pub fn unusable(&self, is_unusable: bool) {
        self.unusable.set(i64::from(is_unusable));
    }

    /// Counts a serving certificate.
    pub fn issued(&self) {
        self.issued.inc();
    }

    /// Counts a change of the Secret.
    pub fn changed(&self, change: &'static str) {
        self.changes.get_or_create(&ChangeOf { change }).inc();
    }

    /// Shows 0 writes and failures of the kinds that the issuer writes, until there is one. An alert needs that, since
    /// Prometheus sees no increase of a series that begins with 1.
    pub fn init_writes(&self, secret: &'static str, configurations: [&'static str; 2]) {
        self.write_failures.get_or_create(&KindOf { kind: secret }).inc_by(0);
        for kind in configurations {
            self.published.get_or_create(&KindOf { kind }).inc_by(0);
            self.write_failures.get_or_create(&KindOf { kind }).inc_by(0);
        }
    }

    /// Counts a webhook configuration that was written.
    pub fn published(&self, kind: &'static str) {
        self.published.get_or_create(&KindOf { kind }).inc();
    }

    /// Counts a write that failed for another reason than a conflict.
    pub fn write_failed(&self, kind: &'static str) {
        self.write_failures.get_or_create(&KindOf { kind }).inc();
    }
}
