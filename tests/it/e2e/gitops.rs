//! What a GitOps tool sees of an installation that keeps its own certificates.

use std::fs;
use std::thread;
use std::time::Duration;

use super::certificates::{SHORT_LIVED, bundles};
use super::cluster::{Cluster, NAMESPACE, repository};
use super::report::figure;
use crate::harness::{Helm, Kubectl, chart, process_guard};

/// A minute after the installation, and after the CA was rotated, Argo CD's comparison finds the cluster as the chart says.
pub fn no_differences(cluster: &Cluster) {
    cluster.prepare();
    let install = cluster.helm(Helm::Four, "install portcullis --create-namespace --wait");
    install.arg(chart()).arg("--set").arg(SHORT_LIVED).run().accepted();
    let first = bundles(cluster);
    thread::sleep(Duration::from_secs(60));
    assert_ne!(bundles(cluster), first, "the CA was rotated");

    let folder = process_guard().folder("gitops");
    let (manifests, live) = (folder.join("manifests.yaml"), folder.join("live.yaml"));
    let text = cluster.helm(Helm::Four, "get manifest portcullis").run().accepted().stdout;
    fs::write(&manifests, &text).expect("our folder is writable");
    let text =
        cluster.kubectl(&format!("get --namespace {NAMESPACE} --output yaml -f")).arg(&manifests).run().accepted();
    fs::write(&live, text.stdout).expect("our folder is writable");
    let comparison = process_guard().command(repository("target/gitops/gitops"));
    let comparison = Kubectl::from(comparison).arg(&manifests).arg(&live).run().accepted();
    figure(
        "differences that Argo CD's comparison finds a minute after the installation, after a rotation of the CA",
        "0",
        comparison.stdout.trim(),
    );
    cluster.helm(Helm::Four, "uninstall portcullis --wait").run().accepted();
    cluster.kubectl(&format!("delete namespace {NAMESPACE}")).run().accepted();
}
