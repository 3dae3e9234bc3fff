//! What the Prometheus operator reads, on an API server with its CRDs.

use serde_json::Value;

use super::objects::Objects;
use crate::harness::{ControlPlane, Flavour, Helm, prometheus_operator_crds};
use crate::manifests::installation::list;

/// The kinds of the operator that we have objects of.
const KINDS: [&str; 2] = ["PrometheusRule", "ServiceMonitor"];

pub fn the_operator_knows_each_field() {
    let crds = prometheus_operator_crds(&KINDS);
    assert_eq!(crds.len(), KINDS.len());
    let control_plane = ControlPlane::serving(Flavour::Plain, crds);
    control_plane.http().create_namespace("portcullis");
    let create = |objects: Vec<Value>| {
        control_plane.kubectl("create --dry-run=server --validate=strict -f -").stdin(&list(objects)).run()
    };
    let values = [
        "serviceMonitor.enabled=true",
        r#"serviceMonitor.labels={"release":"prometheus"}"#,
        "alerts.enabled=true",
        r#"alerts.labels={"release":"prometheus"}"#,
    ];
    let mut of_chart = of_operator(Objects::chart(Helm::Four, &values));
    assert_eq!(of_chart.len(), KINDS.len());
    create(of_chart.clone()).accepted();
    create(of_operator(Objects::base(&["alerts"]))).accepted();

    let monitor = of_chart.iter_mut().find(|object| object["kind"] == "ServiceMonitor").expect("there is one");
    monitor["spec"]["endpoints"][0]["honourLabels"] = true.into();
    create(of_chart).refused_with("unknown field \"honourLabels\"");
}

fn of_operator(objects: Objects) -> Vec<Value> {
    objects.0.into_values().filter(|object| object["apiVersion"] == "monitoring.coreos.com/v1").collect()
}
