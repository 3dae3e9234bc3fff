//! What a GitOps tool sees of an installation that keeps its own certificates.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use super::certificates::{SHORT_LIVED, bundles};
use super::cluster::{Cluster, NAMESPACE, repository};
use super::report::figure;
use crate::harness::{Helm, Kubectl, KubectlOutput, process_guard};

/// A minute after the installation, and after the CA was rotated, Argo CD's comparison finds the cluster as the chart says. While it
/// enforces, `failurePolicy` differs, and only that, which docs/enforce.md tells Argo CD to ignore.
pub fn no_differences(cluster: &Cluster) {
    cluster.prepare();
    cluster.install(Helm::Four, &[SHORT_LIVED]);
    let first = bundles(cluster);
    thread::sleep(Duration::from_secs(60));
    assert!(bundles(cluster) != first, "the CA was not rotated");

    let comparison = Comparison::new(cluster);
    let outcome = comparison.with(&comparison.live()).accepted();
    figure(
        "differences that Argo CD's comparison finds a minute after the installation, after a rotation of the CA",
        "0",
        outcome.stdout.trim(),
    );
    cluster.portcullis("arm").run().accepted();
    let live = comparison.live();
    let outcome = comparison.with(&live);
    let differing: Vec<&str> = outcome.stdout.lines().filter(|line| line.ends_with(" differs")).collect();
    assert_eq!(differing, ["ValidatingWebhookConfiguration//portcullis differs"], "{outcome}");
    comparison.with(&live.replace("failurePolicy: Fail", "failurePolicy: Ignore")).accepted();
    let outcome = comparison.with(&live.replace("replicas: 2", "replicas: 3"));
    assert!(outcome.stdout.contains("Deployment/portcullis/portcullis differs"), "it finds no difference: {outcome}");

    cluster.helm(Helm::Four, "uninstall portcullis --wait").run().accepted();
    cluster.kubectl(&format!("delete namespace {NAMESPACE}")).run().accepted();
}

/// The manifests of the release, which are compared with what the cluster has.
struct Comparison<'c> {
    cluster: &'c Cluster,
    folder: PathBuf,
}

impl<'c> Comparison<'c> {
    fn new(cluster: &'c Cluster) -> Self {
        let folder = process_guard().folder("gitops");
        let text = cluster.helm(Helm::Four, "get manifest portcullis").run().accepted().stdout;
        fs::write(folder.join("manifests.yaml"), &text).expect("our folder is writable");
        Self { cluster, folder }
    }

    /// The same objects as the cluster has them.
    fn live(&self) -> String {
        let get = self.cluster.kubectl(&format!("get --namespace {NAMESPACE} --output yaml -f"));
        get.arg(self.folder.join("manifests.yaml")).run().accepted().stdout
    }

    fn with(&self, live: &str) -> KubectlOutput {
        let file = self.folder.join("live.yaml");
        fs::write(&file, live).expect("our folder is writable");
        let command = process_guard().command(repository("target/gitops/gitops"));
        Kubectl::from(command).arg(self.folder.join("manifests.yaml")).arg(&file).run()
    }
}
