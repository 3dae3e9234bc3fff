//! No pods, and no installation.

use std::time::{Duration, Instant};

use super::cluster::{Cluster, NAMESPACE};
use super::install::enforcing;
use super::load::{Load, Write, create_ingress};
use super::report::{figure, within};
use crate::harness::{Helm, until};

/// What a cluster is rebuilt from, none of which may wait for our pods.
const CLUSTER: &str = include_str!("rebuilt.yaml");

/// While Portcullis enforces and has no pod, everything that a cluster and Portcullis itself consist of can be created.
pub fn a_cluster_is_rebuilt_without_pods(cluster: &Cluster) {
    let scale = |replicas: usize| {
        cluster
            .kubectl(&format!("scale deployment/portcullis --namespace {NAMESPACE} --replicas {replicas}"))
            .run()
            .accepted()
    };
    scale(0);
    cluster.rolled_out();
    let http = cluster.http();
    assert_eq!(enforcing(cluster), 3);
    let (status, answer) = create_ingress(&http, "w.example.com", "/");
    assert_eq!(status, 500, "Portcullis enforces: {answer}");
    cluster.apply(CLUSTER);
    cluster.kubectl("delete -f -").stdin(CLUSTER).run().accepted();
    cluster.portcullis("arm --timeout 5s").run().refused_with("not armed, nothing was changed");
    cluster.portcullis("disarm").run().accepted();
    assert_eq!(create_ingress(&http, "w.example.com", "/").0, 201, "disarmed");
    let since = Instant::now();
    scale(2);
    let reviewed = || (create_ingress(&http, "shop.example.com", "/").0 == 422).then_some(());
    assert!(until(Duration::from_secs(30), reviewed).is_some(), "nothing is denied");
    within("from no replica to the first denial", Duration::from_secs(15), since.elapsed());
    cluster.ready(2);
    assert_eq!(enforcing(cluster), 0, "an operator has stopped it");
    cluster.portcullis("arm").run().accepted();
    assert_eq!(enforcing(cluster), 3);
    figure("a cluster is rebuilt while Portcullis enforces and has no pod", "always", "no create was denied");
}

/// By the commands of docs/remove.md, while writes that nothing denies go on.
pub fn by_chart(cluster: &Cluster) {
    assert_eq!(enforcing(cluster), 3);
    let load = Load::start(cluster, Write::ADMITTED);
    cluster.helm(Helm::Four, "uninstall portcullis --wait").run().accepted();
    load.stop().none_failed("uninstalled with Helm 4 while it enforced");
    // What Helm leaves: the CA, the Lease and the last good configuration.
    cluster.kubectl(&format!("delete namespace {NAMESPACE}")).run().accepted();
    for kind in ["validatingwebhookconfigurations", "mutatingwebhookconfigurations", "clusterroles/portcullis"] {
        let left = cluster.kubectl(&format!("get {kind} --ignore-not-found --output name")).run().accepted().stdout;
        assert_eq!(left, "");
    }
}
