//! The metrics that the design document of IngressRoute asks for, by its names and labels.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;

use crate::routing::delegation::Verdicts;

/// The most hosts that are told apart; whoever writes objects makes hosts, and each costs whoever collects.
const HOSTS: usize = 1_000;

/// The verdicts, and when they were last brought up to date; never before all objects were known.
#[derive(Debug, Default)]
pub struct Settled {
    /// The verdicts.
    pub verdicts: Verdicts,
    /// When they were.
    pub at: Option<Timestamp>,
}

/// Writes the sums over the verdicts at each scrape: what is no more has no series.
#[derive(Debug)]
pub struct IngressRoutes(pub Arc<Mutex<Settled>>);

impl Collector for IngressRoutes {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let settled = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(at) = settled.at else { return Ok(()) };
        let (counts, hosts) = (settled.verdicts.counts(), settled.verdicts.counts().hosts(HOSTS));

        let of_namespaces = || counts.namespaces().map(|(namespace, tally)| ([("namespace", namespace)], tally));
        let totals = of_namespaces().map(|(of, tally)| (of, tally.total));
        family(&mut encoder, "contour_ingressroute_total", "IngressRoutes, whatever their status", totals)?;
        let roots = of_namespaces().map(|(of, tally)| (of, tally.roots));
        family(&mut encoder, "contour_ingressroute_root_total", "IngressRoutes with a host", roots)?;
        let orphaned = of_namespaces().map(|(of, tally)| (of, tally.orphaned));
        let help = "IngressRoutes to which no root delegates";
        family(&mut encoder, "contour_ingressroute_orphaned_total", help, orphaned)?;

        let of_hosts =
            || hosts.iter().map(|((namespace, vhost), split)| ([("namespace", *namespace), ("vhost", *vhost)], split));
        let valid = of_hosts().filter(|(_, split)| split.valid > 0).map(|(of, split)| (of, split.valid));
        family(&mut encoder, "contour_ingressroute_valid_total", "IngressRoutes that serve", valid)?;
        let invalid = of_hosts().filter(|(_, split)| split.invalid > 0).map(|(of, split)| (of, split.invalid));
        family(&mut encoder, "contour_ingressroute_invalid_total", "IngressRoutes that are rejected", invalid)?;

        let (name, help) = ("contour_ingressroute_dagrebuild_timestamp", "When a verdict was last formed");
        let gauge = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        ConstGauge::new(at.as_second()).encode(gauge)
    }
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
