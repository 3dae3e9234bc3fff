//! The environment of the trials: a real control plane, kubectl, the `portcullis` program, and webhooks with canned
//! responses.
//!
//! Each part starts when a trial first needs it, communicates only on 127.0.0.1, writes into one temporary folder, and
//! ends with the test process: see [`process_guard`].

mod assets;
#[allow(dead_code, reason = "the benchmark shares this harness and uses none of it")]
mod balancer;
mod canned;
#[allow(dead_code, reason = "the benchmark shares this harness and uses none of it")]
mod cert_manager;
#[allow(dead_code, reason = "the benchmark shares this harness and uses none of it")]
mod clock;
#[allow(dead_code, reason = "the benchmark shares this harness and uses none of it")]
mod contour;
mod control_plane;
#[allow(dead_code, reason = "the benchmark shares this harness and uses none of it")]
mod crds;
mod etcd;
mod flaky_proxy;
#[allow(dead_code, reason = "the benchmark shares this harness and uses none of it")]
mod gateway_api;
#[allow(dead_code, reason = "the benchmark shares this harness and uses none of it")]
mod helm;
mod http;
#[allow(dead_code, reason = "the benchmark shares this harness and uses none of it")]
mod json;
mod kubectl;
#[allow(dead_code, reason = "the benchmark shares this harness and uses none of it")]
mod module;
mod namespace;
mod objects;
#[allow(dead_code, reason = "the benchmark shares this harness and uses none of it")]
mod openreports;
mod ports;
#[allow(dead_code, reason = "the benchmark shares this harness and uses none of it")]
mod pre_commit;
mod process_guard;
#[allow(dead_code, reason = "the benchmark shares this harness and uses none of it")]
mod prometheus_operator;
#[allow(dead_code, reason = "the benchmark shares this harness and uses none of it")]
mod promtool;
mod recycled;
#[allow(dead_code, reason = "the benchmark shares this harness and uses none of it")]
mod sarif;
mod server_inputs;
mod server_process;
mod wait;
#[allow(dead_code, reason = "the benchmark shares this harness and uses only a part of it")]
mod webhooks;

#[allow(unused_imports, reason = "the benchmark shares this harness and uses only the programs")]
pub use assets::assets;
pub use assets::on_cluster;
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use balancer::Balancer;
pub use canned::{Canned, allow, deny, not_yet};
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use cert_manager::certificate_crds;
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use clock::on_cluster_with_wrong_clocks;
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use contour::{
    contour_examples, delegation_crds, lack as contour_lack, on_contour, on_contour_and_gateway_api,
    on_contour_cluster, on_full_cluster,
};
pub use control_plane::{ControlPlane, Flavour};
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use crds::host_claim_crds;
pub use flaky_proxy::FlakyProxy;
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use gateway_api::{
    Channel, NEWEST, conformance_manifest, conformance_tests, crds, examples, feature_files, lack as gateway_lack,
    on_conformance_suite, on_gateway_api, on_gateway_cluster, pinned_versions, versions,
};
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use helm::{Helm, chart, on_helm};
pub use http::{Http, RUNTIME};
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use json::text;
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use kubectl::{Kubectl, KubectlOutput, kustomize};
pub use namespace::Namespace;
pub use objects::path_of;
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use openreports::{on_openreports, openreports_crds};
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use ports::free_port;
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use pre_commit::{on_pre_commit, pre_commit};
pub use process_guard::{ProcessGuard, process_guard};
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use prometheus_operator::{on_prometheus_operator, prometheus_operator_crds};
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use promtool::promtool;
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use sarif::{on_sarif, sarif_schema};
pub use server_inputs::WEBHOOK_CLIENT;
pub use server_process::PortcullisServer;
#[allow(unused_imports, reason = "the benchmark shares this harness and uses only a part of it")]
pub use wait::{eventually, must_within, pause, time_until, until};
#[allow(unused_imports, reason = "the benchmark shares this harness and uses none of it")]
pub use webhooks::{BehindService, Callee, Registration, Webhooks, enforce};

/// Ends all servers by their process ids, then the process guard and all remaining children.
pub fn end() {
    ControlPlane::stop_unused();
    process_guard::end();
}
