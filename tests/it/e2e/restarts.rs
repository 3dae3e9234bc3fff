//! Pods that are replaced, moved away or killed while writes go on.

use std::time::{Duration, Instant};

use super::cluster::{Cluster, NAMESPACE};
use super::load::{Load, Write};
use super::report::{figure, seconds};

/// How many rollouts the short form makes.
const ROLLOUTS: usize = 4;
/// How long writes may fail after a pod was killed: until kube-proxy forgets its address.
const AFTER_A_KILL: Duration = Duration::from_secs(3);

pub fn rollouts(cluster: &Cluster) {
    let load = Load::start(cluster, Write::ALL);
    (0..ROLLOUTS).for_each(|_| roll_out(cluster));
    let outcome = load.stop();
    outcome.none_failed(&format!("{ROLLOUTS} rollouts"));
}

/// Replaces every pod.
pub fn roll_out(cluster: &Cluster) {
    cluster.kubectl(&format!("rollout restart deployment/portcullis --namespace {NAMESPACE}")).run().accepted();
    cluster.rolled_out();
}

/// By `helm upgrade` to another tag, and back. Both tags have the same program, so this shows a rollout and not two versions side by side.
pub fn upgrade(cluster: &Cluster) {
    let load = Load::start(cluster, Write::ALL);
    cluster.upgrade(&["image.tag=next"]);
    let image = cluster.get("deployment/portcullis")["spec"]["template"]["spec"]["containers"][0]["image"].take();
    assert_eq!(image, "portcullis:next");
    cluster.upgrade(&["image.tag="]);
    let outcome = load.stop();
    outcome.none_failed("`helm upgrade` to another tag of the same program, and back");
}

/// The eviction of one pod, as a node drain makes it.
pub fn eviction(cluster: &Cluster) {
    let load = Load::start(cluster, Write::ALL);
    let (pod, _) = cluster.pods().swap_remove(0);
    let eviction = serde_json::json!({
        "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": NAMESPACE},
    });
    let path = format!("/api/v1/namespaces/{NAMESPACE}/pods/{pod}/eviction");
    let (status, answer) = cluster.http().post(&path, eviction.to_string());
    assert_eq!(status, 201, "{answer}");
    cluster.rolled_out();
    cluster.ready(2);
    let outcome = load.stop();
    outcome.none_failed("eviction of one of two pods");
}

/// `kill -9` of the process of one pod.
pub fn kill(cluster: &Cluster) {
    let load = Load::start(cluster, Write::ALL);
    let enough = load.sent() + 200;
    cluster.soon("writes are made", Duration::from_secs(10), || load.sent() >= enough);
    let killed = Instant::now();
    cluster.node("pkill --signal KILL --oldest --full ^/portcullis.serve").accepted();
    cluster.soon("the process is restarted", Duration::from_secs(30), || restarts(cluster) > 0);
    cluster.ready(2);
    let outcome = load.stop();
    let last = outcome.last_failure_after(killed);
    figure(
        "kill -9 of one of two: the last write that fails",
        &seconds(AFTER_A_KILL),
        format!("{}; {outcome}", seconds(last)),
    );
    assert!(last <= AFTER_A_KILL, "writes fail for {last:?}: {outcome}{}", outcome.messages());
}

/// How often containers of the pods were started again.
pub fn restarts(cluster: &Cluster) -> u64 {
    let list = cluster.get("pods --selector app.kubernetes.io/name=portcullis");
    let pods = list["items"].as_array().into_iter().flatten();
    pods.filter_map(|pod| pod.pointer("/status/containerStatuses/0/restartCount")?.as_u64()).sum()
}
