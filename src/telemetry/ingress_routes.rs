//! The metrics of IngressRoutes, with the names and labels of their design document.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;

use portcullis_core::routing::delegation::Counts;

/// The maximum number of hosts with their own time series. Tenants choose the hosts, and each time series costs memory
/// in Prometheus.
const HOSTS: usize = 1_000;

/// The source of the counts at each scrape.
pub trait VerdictSource: fmt::Debug + Send + Sync {
    /// Passes the counts to `encode`, with the time at which they were current. Does not call it before all objects are
    /// known.
    fn read(&self, encode: &mut dyn FnMut(&Counts, Timestamp) -> fmt::Result) -> fmt::Result;
}

/// Writes the counts at each scrape, so that a deleted object leaves no time series behind.
pub struct IngressRoutes {
    source: Arc<dyn VerdictSource>,
    /// Whether this process exports the metrics at all.
    is_exported: Box<dyn Fn() -> bool + Send + Sync>,
}

impl IngressRoutes {
    /// The metrics of `source`.
    pub fn new(source: Arc<dyn VerdictSource>) -> Self {
        Self { source, is_exported: Box::new(|| true) }
    }

    /// The same, but only as long as `is_exported` holds: of several replicas, one should export them, or sums count every
    /// object several times.
    pub fn only_while(self, is_exported: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { is_exported: Box::new(is_exported), ..self }
    }
}

impl fmt::Debug for IngressRoutes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IngressRoutes").field(&self.source).finish()
    }
}

impl Collector for IngressRoutes {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        match (self.is_exported)() {
            true => self.source.read(&mut |counts, at| encode(&mut encoder, counts, at)),
            false => Ok(()),
        }
    }
}

fn encode(encoder: &mut DescriptorEncoder<'_>, counts: &Counts, at: Timestamp) -> fmt::Result {
    let hosts = counts.hosts(HOSTS);

    let of_namespaces = || counts.namespaces().map(|(namespace, tally)| ([("namespace", namespace)], tally));
    // A collector writes the period that the registry adds to other helps.
    let totals = of_namespaces().map(|(of, tally)| (of, tally.total));
    family(encoder, "contour_ingressroute_total", "IngressRoutes, by namespace.", totals)?;
    let roots = of_namespaces().map(|(of, tally)| (of, tally.roots));
    family(encoder, "contour_ingressroute_root_total", "Root IngressRoutes, by namespace.", roots)?;
    let orphaned = of_namespaces().map(|(of, tally)| (of, tally.orphaned));
    let help = "IngressRoutes to which no root delegates, by namespace.";
    family(encoder, "contour_ingressroute_orphaned_total", help, orphaned)?;

    let of_hosts =
        || hosts.iter().map(|((namespace, vhost), split)| ([("namespace", *namespace), ("vhost", *vhost)], split));
    let valid = of_hosts().filter(|(_, split)| split.valid > 0).map(|(of, split)| (of, split.valid));
    family(encoder, "contour_ingressroute_valid_total", "Valid IngressRoutes, by namespace and virtual host.", valid)?;
    let invalid = of_hosts().filter(|(_, split)| split.invalid > 0).map(|(of, split)| (of, split.invalid));
    family(
        encoder,
        "contour_ingressroute_invalid_total",
        "Invalid IngressRoutes, by namespace and virtual host.",
        invalid,
    )?;

    let (name, help) =
        ("contour_ingressroute_dagrebuild_timestamp", "Time of the last evaluation, in seconds since the Unix epoch.");
    let gauge = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
    ConstGauge::new(at.as_second()).encode(gauge)
}

fn family<Of: EncodeLabelSet>(
    encoder: &mut DescriptorEncoder<'_>,
    name: &'static str,
    help: &'static str,
    rows: impl Iterator<Item = (Of, usize)>,
) -> fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
    for (of, count) in rows {
        ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX)).encode(family.encode_family(&of)?)?;
    }
    Ok(())
}
