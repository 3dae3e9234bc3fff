//! Another version of the program, which `PREVIOUS=REVISION tests/end-to-end.sh` builds, and this one side by side.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::cluster::{Cluster, NAMESPACE};
use super::install::enforces;
use super::load::{Load, Write};
use crate::harness::{Helm, Kubectl, text};

/// How often it is upgraded and downgraded.
const ROUNDS: usize = 3;
const UPGRADE: &str = "upgrade portcullis --reset-then-reuse-values";
/// How long each new pod must be ready before the next old one is replaced, so that both versions serve for twice as long.
const SIDE_BY_SIDE: &str = r#"{"spec": {"minReadySeconds": 10}}"#;

/// The chart of the other version.
pub fn previous() -> Option<PathBuf> {
    Some(Path::new(&env::var_os("PORTCULLIS_PREVIOUS")?).join("charts/portcullis"))
}

/// From the other version to this one and back, each by its own chart, while both enforce.
pub fn upgrade(cluster: &Cluster) {
    let previous = previous().expect("the step exists only if there is another version");
    cluster.prepare();
    let install = cluster.helm(Helm::Four, "install portcullis --create-namespace --wait").arg(&previous);
    let values = format!("image.registry={},image.tag=previous,enforce=true", cluster.registry());
    install.arg("--set").arg(values).run().accepted();
    enforces(cluster);
    let patch = format!("patch deployment portcullis --namespace {NAMESPACE} --type merge --patch");
    cluster.kubectl(&patch).arg(SIDE_BY_SIDE).run().accepted();
    let load = Load::start(cluster, Write::ALL);
    for _ in 0..ROUNDS {
        change(cluster, cluster.release(Helm::Four, UPGRADE), "");
        change(cluster, cluster.helm(Helm::Four, UPGRADE).arg(&previous), "previous");
    }
    load.stop().none_failed(&format!("{ROUNDS} upgrades from an earlier version and back, both side by side"));
    cluster.helm(Helm::Four, "uninstall portcullis --wait").run().accepted();
    cluster.kubectl(&format!("delete namespace {NAMESPACE}")).run().accepted();
}

/// Upgrades to a chart and its image, and waits until the new pods enforce.
fn change(cluster: &Cluster, upgrade: Kubectl, tag: &str) {
    let before = images(cluster);
    upgrade.arg("--set").arg(format!("image.tag={tag}")).run().accepted();
    cluster.soon("pods of both versions are ready", Duration::from_secs(60), || images(cluster).len() == 2);
    cluster.rolled_out();
    let after = images(cluster);
    assert!(after.is_disjoint(&before), "the pods still run {before:?}");
    enforces(cluster);
}

/// The images of the pods that are ready, and not terminating.
fn images(cluster: &Cluster) -> BTreeSet<String> {
    let list = cluster.get("pods --selector app.kubernetes.io/name=portcullis");
    let pods = list["items"].as_array().into_iter().flatten();
    let pods = pods.filter(|pod| pod["metadata"]["deletionTimestamp"].is_null());
    let statuses = pods.filter_map(|pod| pod.pointer("/status/containerStatuses/0"));
    statuses.filter(|status| status["ready"] == true).map(|status| text(&status["imageID"])).collect()
}
