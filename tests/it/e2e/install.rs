//! Installing and arming, by the commands of the README.

use std::thread;
use std::time::{Duration, Instant};

use super::cluster::{Cluster, NAMESPACE};
use super::load::{Load, Write, create_ingress};
use super::report::{figure, seconds, within};
use crate::harness::Helm;

/// How long it may take from the command until the first write is denied.
const FIRST_DENIAL: Duration = Duration::from_secs(15);

/// How long it may take from an installation or upgrade until the replica that leads has set `Fail`.
const ENFORCED: Duration = Duration::from_secs(15);

/// The configuration that the later steps know by its owner of a host.
pub const CONFIGURATION: &str = "
apiVersion: v1
kind: ConfigMap
metadata: {name: portcullis, namespace: portcullis}
data:
  config.yaml: |
    apiVersion: config.portcullis.dev/v1alpha1
    kind: PortcullisConfiguration
    hostOwnership:
      hosts:
      - {host: reserved.example.com, namespaces: {names: [web]}}
";

/// Applies the base with the image of the registry, arms and disarms it, and applies an overlay that enforces over it, and deletes that while
/// it enforces. Writes that nothing denies continue meanwhile.
pub fn by_kustomize(cluster: &Cluster) {
    let load = Load::start(cluster, Write::ADMITTED);
    let since = Instant::now();
    cluster.kubectl("apply -k").arg(cluster.overlay(&[])).run().accepted();
    first_denial(cluster, "kubectl apply -k of an overlay: the first write is denied", since);
    cluster.ready(2);
    cluster.portcullis("arm").run().accepted();
    cluster.portcullis("disarm").run().accepted();
    cluster.portcullis("arm").run().accepted();
    assert_eq!(enforcing(cluster), 3);
    let overlay = cluster.overlay(&["enforce"]);
    cluster.kubectl("apply -k").arg(&overlay).run().accepted();
    cluster.rolled_out();
    within("an overlay with the component `enforce` over the base: it enforces", ENFORCED, enforces(cluster));
    // What is deleted first must be what denies writes, while what answers is still there.
    cluster.kubectl("delete -k").arg(&overlay).run().accepted();
    let outcome = load.stop();
    outcome.none_failed("base applied, armed, disarmed and armed again, an overlay over it, deleted while it enforced");
}

/// Installs the chart with the configuration of the later steps.
pub fn by_chart(cluster: &Cluster) {
    let load = Load::start(cluster, Write::ADMITTED);
    let since = Instant::now();
    cluster.release(Helm::Four, "install portcullis --create-namespace").run().accepted();
    first_denial(cluster, "helm install of the chart in a registry: the first write is denied", since);
    cluster.apply(CONFIGURATION);
    cluster.ready(2);
    write_to_no_file(cluster);
    let outcome = load.stop();
    outcome.none_failed("chart installed under writes");
}

/// The process of each pod has a file system that is read-only, no volume that it may write to, and so no folder for temporary files.
fn write_to_no_file(cluster: &Cluster) {
    let list = cluster.get("pods --selector app.kubernetes.io/name=portcullis");
    for pod in list["items"].as_array().expect("a list has items") {
        let container = &pod["spec"]["containers"][0];
        assert_eq!(container["securityContext"]["readOnlyRootFilesystem"], true, "{container}");
        let mounts = container["volumeMounts"].as_array().expect("the token of the account is mounted");
        assert!(mounts.iter().all(|mount| mount["readOnly"] == true), "{container}");
    }
    let (pod, _) = cluster.pods().swap_remove(0);
    let process = cluster.node_of(&pod, "pgrep --oldest --full ^/portcullis.serve").accepted().stdout;
    let mounts = cluster.node_of(&pod, &format!("cat /proc/{}/mounts", process.trim())).accepted().stdout;
    let root = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>()).find(|mount| mount[1] == "/");
    assert!(root.is_some_and(|mount| mount[3].split(',').any(|option| option == "ro")), "{mounts}");
    cluster.node_of(&pod, &format!("ls /proc/{}/root/tmp", process.trim())).refused_with("No such file");
}

/// The test of the chart succeeds with both versions of Helm, and leaves nothing behind.
pub fn helm_test(cluster: &Cluster) {
    for helm in Helm::ALL {
        let tested = cluster.helm(helm, "test portcullis").run().accepted();
        assert!(tested.stdout.contains("Succeeded"), "{tested}");
    }
    let left = cluster.kubectl("get clusterrole portcullis-test").run();
    left.refused_with("NotFound");
    assert_eq!(enforcing(cluster), 0);
}

/// By command, and by the value of the chart, after which an upgrade sets `Ignore` for a moment only. Writes continue meanwhile.
pub fn arm(cluster: &Cluster) {
    let load = Load::start(cluster, Write::ALL);
    let since = Instant::now();
    let armed = cluster.portcullis("arm").run().accepted();
    assert_eq!(armed.stdout.matches("denied the canary").count(), 2, "{armed}");
    within("portcullis arm, with 2 replicas", Duration::from_secs(60), since.elapsed());
    assert_eq!(enforcing(cluster), 3);
    for what in
        ["`enforce: true` set: it enforces after the rollout", "an upgrade that changes nothing: it enforces again"]
    {
        cluster.upgrade(&["enforce=true"]);
        within(what, ENFORCED, enforces(cluster));
    }
    for (pod, _) in cluster.pods() {
        let enforced = || cluster.metric(&pod, "portcullis_enforced") == 1.0;
        cluster.soon("each replica shows that", ENFORCED, enforced);
    }
    load.stop().none_failed("armed, and upgraded to `enforce: true`");
}

/// Stops to enforce, which neither a replica nor an upgrade undoes.
pub fn disarm(cluster: &Cluster) {
    let since = Instant::now();
    cluster.portcullis("disarm").run().accepted();
    figure("portcullis disarm", "at once", seconds(since.elapsed()));
    assert_eq!(enforcing(cluster), 0);
    cluster.upgrade(&["enforce=true"]);
    thread::sleep(ENFORCED);
    assert_eq!(enforcing(cluster), 0, "an operator has stopped it");
    cluster.portcullis("arm").run().accepted();
    assert_eq!(enforcing(cluster), 3);
}

/// Waits until the replica that leads has set `Fail`. Returns how long that took.
pub fn enforces(cluster: &Cluster) -> Duration {
    cluster.soon("it enforces", ENFORCED * 4, || enforcing(cluster) == 3)
}

/// How many entries of the ValidatingWebhookConfiguration deny writes that cannot be reviewed.
pub fn enforcing(cluster: &Cluster) -> usize {
    let entries = cluster.get("validatingwebhookconfiguration/portcullis")["webhooks"].take();
    entries.as_array().expect("a list").iter().filter(|entry| entry["failurePolicy"] == "Fail").count()
}

/// Waits for the first denial since a command was started.
pub fn first_denial(cluster: &Cluster, what: &str, since: Instant) {
    let http = cluster.http();
    cluster.soon(what, FIRST_DENIAL * 2, || create_ingress(&http, "w.example.com", "/x\"y").0 == 422);
    within(what, FIRST_DENIAL, since.elapsed());
    let namespace = cluster.get(&format!("namespace/{NAMESPACE}"));
    assert_eq!(namespace["status"]["phase"], "Active");
}
