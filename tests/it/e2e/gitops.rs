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
    assert!(bundles(cluster) != first, "the CA was not rotated");

    let folder = process_guard().folder("gitops");
    let (manifests, live) = (folder.join("manifests.yaml"), folder.join("live.yaml"));
    let text = cluster.helm(Helm::Four, "get manifest portcullis").run().accepted().stdout;
    fs::write(&manifests, &text).expect("our folder is writable");
    let text =
        cluster.kubectl(&format!("get --namespace {NAMESPACE} --output yaml -f")).arg(&manifests).run().accepted();
    fs::write(&live, text.stdout).expect("our folder is writable");
    let compared = || {
        let command = process_guard().command(repository("target/gitops/gitops"));
        Kubectl::from(command).arg(&manifests).arg(&live).run()
    };
    let comparison = compared().accepted();
    figure(
        "differences that Argo CD's comparison finds a minute after the installation, after a rotation of the CA",
        "0",
        comparison.stdout.trim(),
    );
    let changed = fs::read_to_string(&manifests).expect("it was just written").replace("replicas: 2", "replicas: 3");
    fs::write(&manifests, changed).expect("our folder is writable");
    let differing = compared();
    assert!(
        differing.stdout.contains("Deployment/portcullis/portcullis differs"),
        "it finds no difference: {differing}"
    );

    cluster.helm(Helm::Four, "uninstall portcullis --wait").run().accepted();
    cluster.kubectl(&format!("delete namespace {NAMESPACE}")).run().accepted();
}
