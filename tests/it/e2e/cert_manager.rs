//! Certificates of cert-manager, whose controllers run beside the cluster.

use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::certificates::{bundles, certificates};
use super::cluster::{Cluster, NAMESPACE, repository};
use super::install::{enforcing, first_denial};
use super::load::{Load, Write};
use super::report::{figure, seconds};
use crate::harness::{Helm, process_guard};

/// How long it may take until a kubelet has noticed a changed Secret and the process has read it.
const MOUNTED: Duration = Duration::from_secs(180);

/// The controllers of cert-manager, which end with it.
struct CertManager([Child; 2]);

impl CertManager {
    /// Applies the CRDs, and starts the controllers.
    fn start(cluster: &Cluster) -> Self {
        let folder = repository("target/cert-manager");
        cluster.kubectl("apply --server-side --filename").arg(&folder).run().accepted();
        cluster.kubectl("wait --for condition=Established crds --all --timeout 30s").run().accepted();
        Self(["controllers", "cainjector"].map(|part| {
            let log = fs::File::create(folder.join(format!("{part}.log"))).expect("the folder is writable");
            let mut command = process_guard().command(folder.join("cert-manager"));
            command.arg(part).env("KUBECONFIG", cluster.kubeconfig()).stdout(Stdio::null()).stderr(log);
            command.spawn().expect("tests/end-to-end.sh has built it")
        }))
    }
}

impl Drop for CertManager {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.kill().and_then(|()| child.wait()).expect("it is a child of ours");
        }
    }
}

/// By chart and by kustomize: from the installation to the first denial, and renewals of the certificate and of the CA while it enforces.
pub fn issued_and_renewed(cluster: &Cluster) {
    cluster.prepare();
    let controllers = CertManager::start(cluster);
    by_kustomize(cluster);
    let since = Instant::now();
    let install = cluster.release(Helm::Four, "install portcullis --create-namespace");
    install.arg("--set").arg("certificates.mode=cert-manager").run().accepted();
    is_served(cluster, "helm install with certificates of cert-manager", since);
    cluster.portcullis("arm").run().accepted();
    assert_eq!(enforcing(cluster), 3);
    renewals(cluster);
    cluster.helm(Helm::Four, "uninstall portcullis --wait").run().accepted();
    drop(controllers);
    let crds = "delete --ignore-not-found --wait --filename";
    cluster.kubectl(crds).arg(repository("target/cert-manager")).run().accepted();
    cluster.kubectl(&format!("delete namespace {NAMESPACE}")).run().accepted();
}

fn by_kustomize(cluster: &Cluster) {
    let (since, folder) = (Instant::now(), cluster.overlay(&["cert-manager"]));
    cluster.kubectl("apply -k").arg(&folder).run().accepted();
    is_served(cluster, "kubectl apply -k with the component cert-manager", since);
    cluster.kubectl("delete -k").arg(&folder).run().accepted();
}

/// Waits for the Secret, the caBundle and the first denial.
fn is_served(cluster: &Cluster, what: &str, since: Instant) {
    let secret = format!("get secret portcullis-tls --namespace {NAMESPACE}");
    let minute = Duration::from_secs(60);
    cluster.soon("the Secret is there", minute, || cluster.kubectl(&secret).run().succeeded());
    figure(&format!("{what}: the Secret is there"), "", seconds(since.elapsed()));
    cluster.soon("each entry has a caBundle", minute, || bundles(cluster).iter().all(|bundle| !bundle.is_empty()));
    figure(&format!("{what}: the caBundle is injected"), "", seconds(since.elapsed()));
    first_denial(cluster, &format!("{what}: the first write is denied"), since);
    cluster.ready(2);
}

/// Under writes, certificates that live for minutes are renewed, and then the CA is.
fn renewals(cluster: &Cluster) {
    let load = Load::start(cluster, Write::ALL);
    let mut served = certificates(cluster);
    let mut replaced = |what: &str, limit| {
        let took = cluster.soon(what, limit, || {
            let now = certificates(cluster);
            now.len() == served.len() && now.iter().zip(&served).all(|(now, before)| now != before)
        });
        served = certificates(cluster);
        took
    };
    // cert-manager's own webhook, which is not here, would ask for an hour.
    change(cluster, "portcullis-tls", &json!({"duration": "5m", "renewBefore": "4m"}));
    figure("cert-manager issues another certificate: each replica serves it", "", seconds(replaced("issued", MOUNTED)));
    for _ in 0..2 {
        replaced("renewed", MOUNTED + Duration::from_secs(60));
    }
    let before = bundles(cluster);
    change(cluster, "portcullis-cert-manager-ca", &json!({"duration": "43800h"}));
    cluster
        .soon("the new CA is injected", MOUNTED, || bundles(cluster).iter().zip(&before).all(|(now, old)| now != old));
    replaced("a certificate of the new CA", MOUNTED + Duration::from_secs(60));
    load.stop().none_failed("cert-manager renews the certificate at least 4 times, and the CA once");
}

/// Merges a change into the spec of a Certificate.
fn change(cluster: &Cluster, name: &str, spec: &Value) {
    let patch = format!("patch certificate {name} --namespace {NAMESPACE} --type merge --patch");
    cluster.kubectl(&patch).arg(json!({"spec": spec}).to_string()).run().accepted();
}
