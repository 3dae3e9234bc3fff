//! Metrics of the connection to the API server, computed at each scrape.

use std::fmt;
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use super::api_server::ApiServer;
use portcullis_core::kinds::Kind;

impl ApiServer {
    /// Adds the metrics to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(Ages(self.clone())));
    }
}

/// How long ago things were heard.
struct Ages(ApiServer);

impl fmt::Debug for Ages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ages").finish_non_exhaustive()
    }
}

impl Collector for Ages {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        // A collector writes the period that the registry adds to other helps.
        let (name, help) = ("api_server_contact_age_seconds", "Time since the last byte from the API server.");
        let gauge = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        seconds(self.0.contact_age()).encode(gauge)?;
        let (name, help) = (
            "kind_age_seconds",
            "Time since the API server last confirmed the objects of a kind, also if they are no longer known for that reason; up to 65 s if \
             they do not change.",
        );
        let mut gauges = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for kind in Kind::ALL {
            if let Some(age) = self.0.kind_age(kind) {
                seconds(age).encode(gauges.encode_family(&[("kind", kind.label())])?)?;
            }
        }
        Ok(())
    }
}

fn seconds(age: Duration) -> ConstGauge<f64> {
    ConstGauge::new(age.as_secs_f64())
}
