//! Logs and metrics.

mod configuration;
mod enforcement;
mod ingress_routes;
mod issuer;
mod last_failure;
mod namespace_findings;
mod rechecks;
mod status;

use std::fmt::Write;
use std::io::IsTerminal;
use std::panic::PanicHookInfo;
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use tracing_subscriber::EnvFilter;

use configuration::ConfigMetrics;
pub use enforcement::EnforcementMetrics;
pub use ingress_routes::{IngressRoutes, VerdictSource};
pub use issuer::IssuerMetrics;
pub use last_failure::LastFailure;
use namespace_findings::NamespaceFindings;
use portcullis_core::checks::Plan;
use portcullis_core::cluster::{Cluster, SyncState, namespace_entries};
use portcullis_core::finding::Action;
use portcullis_core::kinds::{Kind, KindSet};
use portcullis_core::review::Summary;
pub use rechecks::RecheckDropped;
use rechecks::RecheckMetrics;
pub use status::{ReadKind, StatusMetrics};

/// The format of log lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// Text for terminals.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// Starts logging to standard error. `RUST_LOG` sets the levels (default `info`).
pub fn start(format: LogFormat) {
    // The warnings of the watch library repeat with every attempt. Our own warnings are logged once.
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,kube_runtime=off,kube_client=off"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let builder = builder.with_ansi(std::io::stderr().is_terminal());
    // A line that cannot be written, as on a full disk, is lost. To report that on standard error would fail, too, and panic.
    let builder = builder.log_internal_errors(false);
    match format {
        LogFormat::Text => builder.init(),
        LogFormat::Json => builder.json().init(),
    }
    std::panic::set_hook(Box::new(log_panic));
}

/// Logs a panic as one line.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let words = panic.payload_as_str().unwrap_or_default();
    let location = panic.location().map(ToString::to_string);
    tracing::error!(panic = words, location, "panic caught");
}

/// The metrics of `registry` in the OpenMetrics text format.
pub fn render(registry: &Registry) -> String {
    let mut text = String::new();
    if text::encode(&mut text, registry).is_err() {
        text.push_str("# metrics could not be written\n# EOF\n");
    }
    text
}

/// All metrics: those of Portcullis have the prefix `portcullis_`, and those of IngressRoutes have the names of their
/// design document.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    documented: Registry,
    reviews: Family<Review, Counter>,
    findings: Family<FindingOf, Counter>,
    namespace_findings: NamespaceFindings,
    duration: Histogram,
    not_synced: Counter,
    reserved: Counter,
    rechecks: RecheckMetrics,
    malformed: Counter,
    refused: Family<Reason, Counter>,
    panics: Counter,
    config: ConfigMetrics,
    objects_broken: Gauge,
    checks: Family<ActionOf, Gauge>,
    objects_cut: Family<KindOf, Gauge>,
    objects: Family<KindOf, Gauge>,
    synced: Family<KindOf, Gauge>,
    unreadable: Family<KindOf, Gauge>,
    crds: Family<CrdOf, Gauge>,
    certificate: Gauge,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Review {
    kind: &'static str,
    verdict: &'static str,
    dry_run: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FindingOf {
    check: &'static str,
    action: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Reason {
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ActionOf {
    action: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindOf {
    kind: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CrdOf {
    kind: &'static str,
    bundle: String,
}

impl Metrics {
    /// The metrics of one process: its own, those of `verdicts`, and those that `more` registers.
    pub fn new(verdicts: IngressRoutes, more: impl FnOnce(&mut Registry)) -> Self {
        // From 0.1 ms, the duration of an ordinary review, to 10 s, the default timeout of the API server.
        let buckets = [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0, 10.0];
        let mut metrics = Self {
            registry: Registry::with_prefix("portcullis"),
            documented: Registry::default(),
            reviews: Family::default(),
            findings: Family::default(),
            namespace_findings: NamespaceFindings::default(),
            duration: Histogram::new(buckets),
            not_synced: Counter::default(),
            reserved: Counter::default(),
            rechecks: RecheckMetrics::default(),
            malformed: Counter::default(),
            refused: Family::default(),
            panics: Counter::default(),
            config: ConfigMetrics::default(),
            objects_broken: Gauge::default(),
            checks: Family::default(),
            objects_cut: Family::default(),
            objects: Family::default(),
            synced: Family::default(),
            unreadable: Family::default(),
            crds: Family::default(),
            certificate: Gauge::default(),
        };
        metrics.register();
        more(&mut metrics.registry);
        metrics.documented.register_collector(Box::new(verdicts));
        metrics
    }

    fn register(&mut self) {
        self.register_reviews();
        self.config.register(&mut self.registry);
        self.register_knowledge();
        let help = "Expiry of the serving certificate, in seconds since the Unix epoch";
        self.registry.register("certificate_expiration_timestamp_seconds", help, self.certificate.clone());
    }

    fn register_reviews(&mut self) {
        let registry = &mut self.registry;
        let help = "Reviews answered, by kind, verdict, and whether the write is a dry run";
        registry.register("reviews", help, self.reviews.clone());
        registry.register("findings", "Findings in answered reviews, by check and action", self.findings.clone());
        self.namespace_findings.register(registry);
        let help = "Time from the complete request body to the response";
        registry.register("review_duration_seconds", help, self.duration.clone());
        let help = "Reviews answered with 503 because the configuration or a kind is not read yet, or the API server is not reachable";
        registry.register("reviews_not_synced", help, self.not_synced.clone());
        let help = "Reviews answered with 503 because another write has reserved the same claim";
        registry.register("reviews_reserved", help, self.reserved.clone());
        self.rechecks.register(registry);
        let help = "Request bodies that were not a valid AdmissionReview";
        registry.register("reviews_malformed", help, self.malformed.clone());
        let help = "Requests rejected before their body was read completely, by reason";
        registry.register("bodies_refused", help, self.refused.clone());
        registry.register("panics", "Panics that were caught, each of which failed one review", self.panics.clone());
    }

    fn register_knowledge(&mut self) {
        let registry = &mut self.registry;
        let help = "Errors in the folder of manifests (--objects); the last valid objects stay in use";
        registry.register("objects_broken", help, self.objects_broken.clone());
        let help = "Objects whose content is not kept, because their namespaces have too many entries, by kind";
        registry.register("objects_cut", help, self.objects_cut.clone());
        registry.register("checks", "Enabled checks, by action", self.checks.clone());
        registry.register("objects", "Known objects, by kind", self.objects.clone());
        let help = "1 if the objects of a kind are known, or its CRD is not installed, for each kind that checks need";
        registry.register("synced", help, self.synced.clone());
        let help = "1 if a kind that checks need is not readable (RBAC), or is built in and not served";
        registry.register("unreadable", help, self.unreadable.clone());
        registry.register("crds", "1 for each served CRD of the Gateway API, with its release", self.crds.clone());
    }

    /// Counts an answered review.
    pub fn reviewed(&self, summary: &Summary, took: Duration) {
        let kind = summary.kind.map_or("other", Kind::label);
        let dry_run = if summary.is_dry_run { "true" } else { "false" };
        self.reviews.get_or_create(&Review { kind, verdict: summary.verdict.name(), dry_run }).inc();
        for (check, action) in &summary.findings {
            self.findings.get_or_create(&FindingOf { check, action: action.name() }).inc();
        }
        self.namespace_findings.add(summary);
        self.duration.observe(took.as_secs_f64());
    }

    /// Counts a review that is answered with 503 because the configuration or a kind is not read yet, or the API server is not
    /// reachable.
    pub fn not_synced(&self) {
        self.not_synced.inc();
    }

    /// Counts a review that is answered with 503 because of a reservation.
    pub fn reserved(&self) {
        self.reserved.inc();
    }

    /// Counts an object that was admitted at the same time as another one with which it conflicts.
    pub fn found_late(&self, kind: Kind) {
        self.rechecks.found_late(kind);
    }

    /// Counts an admitted creation that was not checked again.
    pub fn recheck_dropped(&self, reason: RecheckDropped) {
        self.rechecks.dropped(reason);
    }

    /// Counts a body that is not a valid AdmissionReview.
    pub fn malformed(&self) {
        self.malformed.inc();
    }

    /// Shows 0 rejections for this reason, until there is one. An alert needs that, since Prometheus sees no increase
    /// of a series that begins with 1.
    pub fn init_refused(&self, reason: &'static str) {
        self.refused.get_or_create(&Reason { reason }).inc_by(0);
    }

    /// Counts a body that is not read completely. The reasons are a small fixed set, since each has its own time
    /// series.
    pub fn refused(&self, reason: &'static str) {
        self.refused.get_or_create(&Reason { reason }).inc();
    }

    /// Counts a panic that was caught.
    pub fn panicked(&self) {
        self.panics.inc();
    }

    /// Sets hash, profile and maximum action of the configuration in force, and whether a newer one is invalid or missing.
    pub fn config(&self, in_effect: Option<(&str, &str, &str)>, is_broken: bool) {
        self.config.set(in_effect, is_broken);
    }

    /// Sets the number of errors in the folder of manifests.
    pub fn objects_broken(&self, faults: usize) {
        self.objects_broken.set(i64::try_from(faults).unwrap_or(i64::MAX));
    }

    /// Sets the numbers of checks by action.
    pub fn plan(&self, plan: &Plan) {
        for action in [Action::Audit, Action::Warn, Action::Deny] {
            let count = plan.checks().filter(|(_, own)| *own == action).count();
            let gauge = self.checks.get_or_create(&ActionOf { action: action.name() });
            gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
        }
    }

    /// Sets the expiry of the serving certificate.
    pub fn certificate(&self, not_after: jiff::Timestamp) {
        self.certificate.set(not_after.as_second());
    }

    /// Sets the gauges of CRDs and of the kinds that checks need, and removes those of all other kinds.
    pub fn cluster(&self, cluster: &Cluster, needs: KindSet) {
        self.crds.clear();
        for kind in Kind::ALL {
            if let Some(schema) = cluster.schema(kind) {
                let of = CrdOf { kind: kind.label(), bundle: schema.bundle.to_string() };
                self.crds.get_or_create(&of).set(1);
            }
        }
        for kind in Kind::ALL {
            let of = KindOf { kind: kind.label() };
            if !needs.contains(kind) {
                for gauges in [&self.objects, &self.objects_cut, &self.synced, &self.unreadable] {
                    gauges.remove(&of);
                }
                continue;
            }
            self.objects.get_or_create(&of).set(i64::try_from(cluster.count(kind)).unwrap_or(i64::MAX));
            if namespace_entries::KINDS.contains(kind) {
                let cut = i64::try_from(cluster.cut_objects(kind)).unwrap_or(i64::MAX);
                self.objects_cut.get_or_create(&of).set(cut);
            }
            let knowledge = cluster.knowledge(kind);
            // Without the CRD there are no objects, which is known. A built-in kind that is not served is a fault.
            let absent = knowledge == SyncState::NotServed && kind.is_custom();
            let synced = absent || matches!(knowledge, SyncState::Complete | SyncState::Partial);
            self.synced.get_or_create(&of).set(i64::from(synced));
            let unreadable = !absent && matches!(knowledge, SyncState::Forbidden | SyncState::NotServed);
            self.unreadable.get_or_create(&of).set(i64::from(unreadable));
        }
    }

    /// All metrics as OpenMetrics text.
    pub fn render(&self) -> String {
        let mut text = String::new();
        let own = text::encode_registry(&mut text, &self.registry);
        let all = own.and_then(|()| text::encode(&mut text, &self.documented));
        if all.is_err() {
            let _ = write!(text, "# metrics could not be written\n# EOF\n");
        }
        text
    }
}
