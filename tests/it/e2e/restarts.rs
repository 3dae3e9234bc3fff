//! Pods that are replaced, moved away or killed while writes go on.

use std::thread;
use std::time::{Duration, Instant};

use super::cluster::{Cluster, NAMESPACE};
use super::knowledge::reviewing;
use super::load::{Load, Write};
use super::report::{figure, seconds, within};

/// How many rollouts the short form makes.
const ROLLOUTS: usize = 4;
/// How long writes may fail after a pod was killed: until kube-proxy forgets its address.
const AFTER_A_KILL: Duration = Duration::from_secs(3);
/// How long writes may fail after the node of a replica was lost: until Kubernetes notices it (50 s), and kube-proxy forgets the replica.
const AFTER_A_NODE_LOSS: Duration = Duration::from_secs(65);
/// How long it may take after the start of a node until its replica is ready.
const NODE_READY_AGAIN: Duration = Duration::from_secs(60);

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

/// By `helm upgrade` to another tag and another port, and back. Both tags have the same program, so this shows a rollout and not two versions
/// side by side.
pub fn upgrade(cluster: &Cluster) {
    let load = Load::start(cluster, Write::ALL);
    cluster.upgrade(&["image.tag=next", "port=9443"]);
    let image = cluster.get("deployment/portcullis")["spec"]["template"]["spec"]["containers"][0]["image"].take();
    assert_eq!(image, format!("{}/portcullis:next", cluster.registry()));
    cluster.upgrade(&["image.tag=", "port=null"]);
    let outcome = load.stop();
    outcome.none_failed("`helm upgrade` to another tag of the same program and another port, and back");
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
    let (pod, _) = cluster.pods().swap_remove(0);
    let killed = Instant::now();
    cluster.node_of(&pod, "pkill --signal KILL --oldest --full ^/portcullis.serve").accepted();
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

/// The node of the replica that answers ends without a warning, and comes back.
pub fn node_loss(cluster: &Cluster) {
    let worker = cluster.worker().expect("the step exists only in a cluster of two nodes");
    let on_worker = |pod: &str| cluster.node_name(pod) == worker;
    let load = Load::start(cluster, Write::ALL);
    // A replica that is replaced loses the connections of the API server to the other one.
    cluster.soon("the replica on the worker answers", Duration::from_secs(120), || {
        let pod = reviewing(cluster);
        on_worker(&pod) || {
            cluster.kubectl(&format!("delete pod {pod} --namespace {NAMESPACE}")).run().accepted();
            cluster.ready(2);
            false
        }
    });
    let pods = cluster.pods();
    assert_eq!(pods.iter().filter(|(pod, _)| on_worker(pod)).count(), 1, "each node has a replica: {pods:?}");
    cluster.control(&format!("kill-node {worker}"));
    let killed = Instant::now();
    let noticed = cluster.soon("the lost replica is not ready", AFTER_A_NODE_LOSS, || {
        cluster.pods().iter().any(|(_, is_ready)| !is_ready)
    });
    figure("one of two nodes killed: its replica counts as not ready", "", seconds(noticed));
    // Writes go on for longer than they may fail.
    thread::sleep(AFTER_A_NODE_LOSS.saturating_sub(killed.elapsed()) + Duration::from_secs(10));
    let outcome = load.stop();
    cluster.control(&format!("start-node {worker}"));
    let back = cluster.ready(2);

    let last = outcome.last_failure_after(killed);
    figure(
        "one of two nodes killed: the last write that fails",
        &seconds(AFTER_A_NODE_LOSS),
        format!("{}; {outcome}", seconds(last)),
    );
    assert!(last <= AFTER_A_NODE_LOSS, "writes fail for {last:?}: {outcome}{}", outcome.messages());
    assert!(!outcome.has_admitted(), "a write was admitted that must be denied: {}", outcome.messages());
    within("the same: both replicas are ready after the node has started again", NODE_READY_AGAIN, back);
}

/// How often containers of the pods were started again.
pub fn restarts(cluster: &Cluster) -> u64 {
    let list = cluster.get("pods --selector app.kubernetes.io/name=portcullis");
    let pods = list["items"].as_array().into_iter().flatten();
    pods.filter_map(|pod| pod.pointer("/status/containerStatuses/0/restartCount")?.as_u64()).sum()
}
