//! The metric of findings by namespace.

use std::sync::atomic::{AtomicUsize, Ordering};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

use portcullis_core::review::Summary;

/// The maximum number of series with a namespace: 300 namespaces that each violate a dozen checks have 3,600.
const MAX_SERIES: usize = 5_000;

/// The label of all namespaces without a series of their own. No namespace has this name.
const OTHER: &str = "(other)";

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FindingOf {
    namespace: String,
    check: &'static str,
    action: &'static str,
}

/// The findings of writes that are stored, by namespace, check and action. The number of series is limited, because users
/// who may create namespaces would otherwise decide how much memory the metric takes.
#[derive(Debug, Default)]
pub(super) struct NamespaceFindings {
    counts: Family<FindingOf, Counter>,
    series: AtomicUsize,
}

impl NamespaceFindings {
    /// Adds the metric to `registry`.
    pub(super) fn register(&self, registry: &mut Registry) {
        let help = "Findings in answered reviews of writes that are not dry runs, by namespace, check and action; beyond 5,000 series, of namespace (other)";
        registry.register("findings_by_namespace", help, self.counts.clone());
    }

    /// Counts the findings of a review.
    pub(super) fn add(&self, summary: &Summary) {
        if summary.is_dry_run {
            return;
        }
        for (check, action) in &summary.findings {
            let of = FindingOf { namespace: summary.namespace.to_string(), check, action: action.name() };
            self.counts.get_or_create(&self.within_limit(of)).inc();
        }
    }

    /// The labels under which a finding is counted. Two threads may each add the last series, which does no harm.
    fn within_limit(&self, of: FindingOf) -> FindingOf {
        if self.counts.get(&of).is_some() {
            return of;
        }
        match self.series.fetch_add(1, Ordering::Relaxed) {
            added if added < MAX_SERIES => of,
            _ => {
                self.series.store(MAX_SERIES, Ordering::Relaxed);
                FindingOf { namespace: OTHER.to_owned(), ..of }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use portcullis_core::finding::Action;
    use portcullis_core::review::AdmissionVerdict;

    use super::*;

    fn summary(namespace: &str, is_dry_run: bool) -> Summary {
        let findings = vec![("ingress/tls-missing", Action::Warn)];
        let (verdict, namespace) = (AdmissionVerdict::Allowed, namespace.into());
        Summary { kind: None, namespace, verdict, is_claim: true, is_dry_run, findings, denied: None }
    }

    #[test]
    fn series_are_limited_and_every_stored_finding_is_counted() {
        let metric = NamespaceFindings::default();
        let mut registry = Registry::default();
        metric.register(&mut registry);
        (0..MAX_SERIES + 10).for_each(|number| metric.add(&summary(&format!("team-{number}"), false)));
        metric.add(&summary("team-0", false));
        metric.add(&summary("team-0", true));
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry).expect("text can be written");
        let value = |namespace: &str| {
            let series = format!("findings_by_namespace_total{{namespace=\"{namespace}\",");
            text.lines().find(|line| line.starts_with(&series)).and_then(|line| line.rsplit(' ').next())
        };
        assert_eq!((value("team-0"), value("team-1"), value(OTHER)), (Some("2"), Some("1"), Some("10")));
        assert_eq!(text.matches("namespace=").count(), MAX_SERIES + 1);
    }
}
