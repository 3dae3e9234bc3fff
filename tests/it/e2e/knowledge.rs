//! Replicas that do not know what the cluster is like: cut off, without rights, or without a valid configuration.

use std::thread;
use std::time::{Duration, Instant};

use super::cluster::{Cluster, NAMESPACE, repository};
use super::install::CONFIGURATION;
use super::load::{Load, Write, create_ingress};
use super::report::{figure, seconds, within};
use crate::harness::{KubectlOutput, text, until};

/// After this silence a replica is not ready.
const SILENCE: Duration = Duration::from_secs(15);

/// What the kubelet may take to see that, on a busy machine.
const PROBES: Duration = Duration::from_secs(6);

/// How long a replica may take to be ready again after the network works, with the period of the readiness probe.
const READY_AGAIN: Duration = Duration::from_secs(2 + 1);

/// How long a change of the configuration may take until it is in effect.
const IN_EFFECT: Duration = Duration::from_secs(3);

/// One replica receives nothing from the API server any more. A host that is taken afterwards is unknown to it.
pub fn cut_off(cluster: &Cluster) {
    let load = Load::start(cluster, &[Write::TakenHost, Write::LateHost]);
    let pod = reviewing(cluster);
    let firewall = Firewall::set(cluster, cluster.address(&pod));
    let since = Instant::now();
    cluster.apply(include_str!("late.yaml"));
    let is_ready = || cluster.pods().iter().any(|(name, ready)| *name == pod && *ready);
    let silent = cluster.soon("it is not ready", Duration::from_secs(40), || !is_ready());
    thread::sleep(Duration::from_secs(10));
    drop(firewall);
    let healed = cluster.soon("it is ready again", Duration::from_secs(30), is_ready);
    let (late, others) = load.stop().split(Write::LateHost);
    cluster.kubectl("delete -f").arg(repository("tests/it/e2e/late.yaml")).run().accepted();

    within("cut off: a replica is not ready", SILENCE + PROBES, silent);
    let what = "cut off: the last write that is admitted although it conflicts with a newer object";
    let last = late.last_failure_after(since);
    assert!(last > SILENCE / 2, "the replica answered no write after {last:?}, so the limit shows nothing");
    within(what, SILENCE, last);
    within("cut off: ready again after the network works", READY_AGAIN, healed);
    others.none_failed("cut off: other writes");
}

/// No replica receives anything from the API server, which can reach all of them. Enforcement then denies writes until it is stopped.
pub fn every_replica_cut_off(cluster: &Cluster) {
    let addresses: Vec<String> = cluster.pods().into_iter().map(|(pod, _)| cluster.address(&pod)).collect();
    let http = cluster.http();
    let write = || create_ingress(&http, "free.example.com", "/").0;
    let firewalls: Vec<Firewall> = addresses.into_iter().map(|address| Firewall::set(cluster, address)).collect();
    let began = cluster.soon("writes are denied", Duration::from_secs(40), || write() == 500);
    figure("every replica cut off: writes are denied", "", seconds(began));
    assert_eq!(write(), 500, "so is each");
    let since = Instant::now();
    cluster.portcullis("disarm").run().accepted();
    cluster.soon("writes are admitted", Duration::from_secs(25), || write() == 201);
    figure("the same: `portcullis disarm`, and a write is admitted", "", seconds(since.elapsed()));
    drop(firewalls);
    within("the same: both are ready after the network works", READY_AGAIN, cluster.ready(2));
    cluster.portcullis("arm").run().accepted();
}

/// Rules that drop all packets between a pod and the API server. They are removed at the end, also of a step that fails.
struct Firewall<'c> {
    cluster: &'c Cluster,
    address: String,
}

impl<'c> Firewall<'c> {
    fn set(cluster: &'c Cluster, address: String) -> Self {
        let firewall = Self { cluster, address };
        for set in firewall.change("--insert") {
            set.accepted();
        }
        firewall
    }

    fn change(&self, verb: &str) -> [KubectlOutput; 2] {
        let address = &self.address;
        let iptables = |rule: String| self.cluster.node(&format!("iptables {verb} {rule} --jump DROP"));
        [
            iptables(format!("INPUT --source {address} --protocol tcp --dport 6443")),
            iptables(format!("OUTPUT --destination {address} --protocol tcp --sport 6443")),
        ]
    }
}

impl Drop for Firewall<'_> {
    fn drop(&mut self) {
        for removed in self.change("--delete") {
            assert!(removed.succeeded() || thread::panicking(), "a rule is still there\n{removed}");
        }
    }
}

/// The pod that answers most reviews: the API server uses the connections that it has, so another may get none.
pub fn reviewing(cluster: &Cluster) -> String {
    let reviews = |pod: &str| cluster.metric(pod, "portcullis_reviews_total");
    let pods: Vec<String> = cluster.pods().into_iter().map(|(pod, _)| pod).collect();
    let before: Vec<f64> = pods.iter().map(|pod| reviews(pod)).collect();
    thread::sleep(Duration::from_secs(1));
    let grown = pods.into_iter().zip(before).map(|(pod, before)| (reviews(&pod) - before, pod));
    let (count, pod) = grown.max_by(|(one, _), (other, _)| one.total_cmp(other)).expect("there are pods");
    assert!(count > 0.0, "no pod reviews");
    pod
}

/// A rollout with a broken ClusterRole stops at its first pod, while the old pods serve.
pub fn a_new_pod_without_rights(cluster: &Cluster) {
    let binding = "clusterrolebinding/portcullis";
    let saved = cluster.kubectl(&format!("get {binding} --output yaml")).run().accepted().stdout;
    let load = Load::start(cluster, Write::ALL);
    cluster.kubectl(&format!("delete {binding}")).run().accepted();
    cluster.kubectl(&format!("rollout restart deployment/portcullis --namespace {NAMESPACE}")).run().accepted();
    cluster.soon("a new pod starts", Duration::from_secs(30), || cluster.pods().len() == 3);
    let new = until(Duration::from_secs(15), || {
        (cluster.pods().iter().filter(|(_, ready)| *ready).count() != 2).then_some(())
    });
    assert!(new.is_none(), "the new pod is ready, or an old one is not: {:?}", cluster.pods());
    cluster.kubectl("replace --force -f -").stdin(&saved).run().accepted();
    cluster.rolled_out();
    let outcome = load.stop();
    outcome.none_failed("a rollout without the ClusterRoleBinding, which is then restored");
}

/// New pods start with a configuration that cannot be read, and use the last one that was in force for a minute.
pub fn broken_configuration(cluster: &Cluster) {
    let last_good =
        || cluster.kubectl(&format!("get configmap/portcullis-last-good --namespace {NAMESPACE}")).run().succeeded();
    cluster.soon("the configuration is kept", Duration::from_secs(90), last_good);
    let since = Instant::now();
    cluster.apply(&CONFIGURATION.replace("hostOwnership", "hostOwnerhsip"));
    cluster.kubectl(&format!("delete pods --namespace {NAMESPACE} --all --wait=false")).run().accepted();
    cluster.rolled_out();
    cluster.ready(2);
    figure("every pod replaced while the configuration is broken: ready", "always", seconds(since.elapsed()));
    let is_broken = |(pod, _): (String, bool)| cluster.health(&pod, "/readyz?verbose").1.contains("hostOwnerhsip");
    assert!(cluster.pods().into_iter().all(is_broken), "each shows why the configuration is broken");
    let http = cluster.http();
    let (status, answer) = create_ingress(&http, "reserved.example.com", "/");
    assert_eq!(status, 422, "the last good configuration is in force: {answer}");
    assert!(text(&answer["message"]).contains("reserved.example.com"), "{answer}");
    cluster.apply(CONFIGURATION);
    let took = cluster.soon("it is in effect", IN_EFFECT * 4, || !cluster.pods().into_iter().any(is_broken));
    within("the configuration is corrected: in effect in each pod", IN_EFFECT, took);
}
