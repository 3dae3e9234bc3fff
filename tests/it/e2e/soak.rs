//! Hours of restarts, rotations and outages, in minutes.

use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use super::certificates::{SHORT_LIVED, bundles};
use super::cluster::{Cluster, NAMESPACE};
use super::hosts::{claim, claim_all, claimed, is_denied, release, release_all};
use super::install::enforces;
use super::load::{Load, Outcome, Write, create_ingress};
use super::report::{figure, within};
use super::restarts::{restarts, roll_out};
use crate::harness::{Helm, until};
use crate::reviews;

const ROLLOUTS: usize = 20;
const UPGRADES: usize = 3;
const LEAVES: f64 = 20.0;
const AUTHORITIES: usize = 3;
/// So few writes, and the replacements show too little.
const WRITES: usize = 100_000;

/// For how long the replicas have little CPU.
const STARVED: Duration = Duration::from_secs(30);

/// For how long the API server is down, once each.
const OUTAGES: [u64; 10] = [0, 0, 1, 2, 4, 8, 12, 17, 20, 25];
/// How long after a restart of the API server a write may fail, and a new object may be unknown.
const AFTER_AN_OUTAGE: Duration = Duration::from_secs(3);
/// For how long etcd answers nothing, once each.
const SILENCES: [u64; 2] = [20, 60];
/// How long after etcd answers again a replica leads, at most.
const LED_AGAIN: Duration = Duration::from_secs(20);

const CUTS: usize = 200;
/// How many hosts are claimed and released while watches are cut.
const HOSTS: usize = 16;

/// Objects that exist between the two measurements of memory.
const MANY: usize = 2_000;

/// Installs the chart with certificates that live for seconds, and enforces.
pub fn install(cluster: &Cluster) {
    cluster.prepare();
    cluster.install(Helm::Four, &["enforce=true", SHORT_LIVED]);
    enforces(cluster);
}

/// The certificates and every pod are replaced many times, under one stream of writes.
pub fn replacements(cluster: &Cluster) {
    let load = Load::start(cluster, Write::ALL);
    let (leaves, authorities) = rotations(cluster);
    // The last CA has seconds left.
    cluster.upgrade(&["extraArgs=null"]);
    (0..ROLLOUTS).for_each(|_| roll_out(cluster));
    for _ in 0..UPGRADES {
        cluster.upgrade(&["image.tag=next"]);
        cluster.upgrade(&["image.tag="]);
    }
    let enough = || load.sent() >= WRITES;
    cluster.soon("enough writes are made", Duration::from_secs(1200), enough);
    let outcome = load.stop();
    let what = format!(
        "{leaves} leaf certificates and {authorities} CAs renewed, {ROLLOUTS} rollouts, {UPGRADES} times to another tag and back"
    );
    outcome.none_failed(&what);
}

/// Waits until enough certificates were renewed. How many leaf certificates and CAs were.
fn rotations(cluster: &Cluster) -> (f64, usize) {
    let issued = |(pod, _): &(String, bool)| cluster.metric(pod, "portcullis_certificates_issued_total");
    let issued = || -> f64 { cluster.pods().iter().map(issued).sum() };
    let (before, mut authorities) = (issued(), BTreeSet::new());
    cluster.soon("certificates are renewed", Duration::from_secs(600), || {
        authorities.extend(certificates(&bundles(cluster)[0]));
        issued() - before >= LEAVES && authorities.len() > AUTHORITIES
    });
    (issued() - before, authorities.len() - 1)
}

/// Each certificate of a bundle.
fn certificates(bundle: &str) -> impl Iterator<Item = String> + use<'_> {
    bundle.split_inclusive("-----END CERTIFICATE-----").map(|pem| pem.trim().to_owned()).filter(|pem| !pem.is_empty())
}

/// The memory of the replicas before the outages.
static BEFORE_OUTAGES: OnceLock<Memory> = OnceLock::new();

/// What all replicas have resident, in MiB.
#[derive(Clone, Copy)]
struct Memory {
    /// Of new replicas.
    new: f64,
    /// After many objects have come and gone once. The allocator keeps some of the pages that it needed for them.
    used: f64,
}

impl Memory {
    fn measure(cluster: &Cluster) -> Self {
        let new = resident(cluster);
        many_come_and_go(cluster);
        Self { new, used: resident(cluster) }
    }
}

/// Replicas that may use a tenth of a core are slow, and fail no write. The pods that replace them are those of all later steps.
pub fn starved(cluster: &Cluster) {
    cluster.upgrade(&["resources.limits.cpu=100m"]);
    let before = restarts(cluster);
    let load = Load::start(cluster, Write::ALL);
    thread::sleep(STARVED);
    load.stop().none_failed(&format!("{} s in which each replica has at most 0.1 of a core", STARVED.as_secs()));
    assert_eq!(restarts(cluster), before, "a slow replica is not restarted");
    cluster.upgrade(&["resources.limits.cpu=null"]);
    BEFORE_OUTAGES.get_or_init(|| Memory::measure(cluster));
}

/// The API server is killed and started again, in most cases before the replicas are not ready.
pub fn api_server(cluster: &Cluster) {
    let before = restarts(cluster);
    let recoveries = OUTAGES.map(|down| {
        let recovery = Recovery::of(cluster, || {
            cluster.control("kill apiserver");
            thread::sleep(Duration::from_secs(down));
            cluster.control("start apiserver");
        });
        figure(&format!("API server down for {down} s: writes, most of which fail meanwhile"), "", &recovery.writes);
        recovery
    });
    Recovery::must_be_quick(&recoveries, "the API server killed 10 times");
    assert_eq!(restarts(cluster), before, "an outage of the API server restarts no pod");
}

/// etcd answers nothing for a while, so that the API server reads and writes nothing. What must be denied is denied meanwhile. The Lease is
/// lost, and a replica leads again soon after etcd answers.
pub fn etcd(cluster: &Cluster) {
    let before = restarts(cluster);
    let addresses: Vec<String> = cluster.pods().iter().map(|(pod, _)| cluster.address(pod)).collect();
    let leaders = || addresses.iter().filter(|address| leads(cluster, address)).count();
    for silent in SILENCES {
        let mut lost = None;
        let outage = format!("etcd stopped for {silent} s");
        let recovery = Recovery::of(cluster, || {
            cluster.control("stop etcd STOP");
            thread::sleep(Duration::from_secs(silent));
            let meanwhile = leaders();
            cluster.control("stop etcd CONT");
            lost = Some((meanwhile, Instant::now()));
        });
        recovery.writes.none_failed(&format!("{outage}: writes that must be denied, meanwhile and for 10 s after it"));
        Recovery::must_be_quick(&[recovery], &outage);
        let (meanwhile, since) = lost.expect("etcd was stopped");
        assert_eq!(meanwhile, 0, "replicas that lead although the Lease was not renewed for {silent} s");
        let left = LED_AGAIN.saturating_sub(since.elapsed());
        cluster.soon("one replica leads", left.max(Duration::from_secs(1)), || leaders() == 1);
    }
    assert_eq!(restarts(cluster), before, "an outage of etcd restarts no pod");
}

/// Whether the replica of this address says that it holds the Lease. It is asked past the API server.
fn leads(cluster: &Cluster, address: &str) -> bool {
    let metrics = cluster.node(&format!("curl --silent --max-time 5 http://{address}:8080/metrics")).accepted().stdout;
    metrics.lines().any(|line| line == "portcullis_leader 1")
}

/// What happens during an outage, and once the API server is ready again.
struct Recovery {
    writes: Outcome,
    /// When the API server was ready.
    ready: Instant,
    /// How long a new object was unknown after that.
    learned: Duration,
}

impl Recovery {
    /// Writes during an outage and for 10 seconds after it.
    fn of(cluster: &Cluster, outage: impl FnOnce()) -> Self {
        let load = Load::start(cluster, &[Write::TakenHost]);
        outage();
        let is_ready = until(Duration::from_secs(60), || cluster.answers().then_some(()));
        assert!(is_ready.is_some(), "the API server is not ready after the outage");
        let ready = Instant::now();
        let host = "after-an-outage.example.com";
        claim(cluster, host);
        let learned = cluster.soon("the new object is known", Duration::from_secs(60), || is_denied(cluster, host));
        thread::sleep(Duration::from_secs(10));
        let writes = load.stop();
        release_all(cluster);
        cluster.soon("its end is known", Duration::from_secs(60), || !is_denied(cluster, host));
        Self { writes, ready, learned }
    }

    fn must_be_quick(all: &[Self], outage: &str) {
        let failing = all.iter().map(|each| each.writes.last_failure_after(each.ready)).max().unwrap_or_default();
        let learned = all.iter().map(|each| each.learned).max().unwrap_or_default();
        within(&format!("{outage}: the last write that fails afterwards"), AFTER_AN_OUTAGE, failing);
        within(&format!("{outage}: a new object is known"), AFTER_AN_OUTAGE, learned);
    }
}

/// All connections of the replicas to the API server are cut while objects come and go. After each cut, every replica knows what a
/// fresh list contains.
pub fn watches(cluster: &Cluster) {
    let hosts: Vec<String> = (0..HOSTS).map(|number| format!("host-{number}.example.com")).collect();
    let replicas: Vec<Replica> = cluster.pods().into_iter().map(|(pod, _)| Replica::new(cluster, pod)).collect();
    let (mut claims, mut closed, mut longest) = (BTreeSet::new(), 0, Duration::ZERO);
    for round in 0..CUTS {
        let mut toggle = |number: usize| {
            let host = &hosts[number % HOSTS];
            if claims.remove(host) {
                release(cluster, host);
            } else {
                claim(cluster, host);
                claims.insert(host.clone());
            }
        };
        toggle(round * 5);
        let cut: usize = replicas.iter().map(|replica| replica.cut()).sum();
        assert!(cut >= replicas.len(), "only {cut} connections were cut");
        closed += cut;
        toggle(round * 5 + 1);
        toggle(round * 5 + 2);
        let listed = claimed(cluster);
        assert_eq!(listed, claims);
        let knows = |replica: &Replica| hosts.iter().all(|host| replica.denies(host) == listed.contains(host));
        let took = cluster.soon("each replica knows the list", Duration::from_secs(30), || replicas.iter().all(knows));
        longest = longest.max(took);
    }
    figure(&format!("connections to the API server cut in {CUTS} rounds"), "", closed);
    within("until each replica knows what a fresh list contains, at most", Duration::from_secs(5), longest);
    release_all(cluster);
}

/// One replica, which is asked past the Service.
struct Replica<'c> {
    cluster: &'c Cluster,
    address: String,
    path: String,
}

impl<'c> Replica<'c> {
    fn new(cluster: &'c Cluster, pod: String) -> Self {
        let address = cluster.address(&pod);
        let path = format!("/api/v1/namespaces/{NAMESPACE}/pods/https:{pod}:10250/proxy/validate");
        Self { cluster, address, path }
    }

    /// Closes its connections to the API server. Returns how many.
    fn cut(&self) -> usize {
        let address = &self.address;
        let words = format!("ss --no-header --numeric --tcp --kill state established sport = :6443 and dst {address}");
        self.cluster.node(&words).accepted().stdout.lines().count()
    }

    /// Whether it denies that the namespace `team-b` takes a host.
    fn denies(&self, host: &str) -> bool {
        let ingress = reviews::ingress("team-b", "write", host, "/").replace("\"nginx\"", "\"public\"");
        let (status, answer) = self.cluster.http().post(&self.path, reviews::create(&ingress));
        assert_eq!(status, 200, "{answer}");
        answer["response"]["allowed"] == false
    }
}

/// Memory of the replicas after all outages, and after many objects have come and gone again, is what it was.
pub fn memory(cluster: &Cluster) {
    let Memory { new, used } = *BEFORE_OUTAGES.get_or_init(|| Memory::measure(cluster));
    let outlived = resident(cluster);
    let during = many_come_and_go(cluster);
    let after = resident(cluster);
    figure(
        &format!(
            "memory of both replicas, new, after {MANY} Ingresses have come and gone, after all outages, with {MANY} more, and after these were deleted"
        ),
        "the last within 10 % of the second",
        format!("{new:.1}, {used:.1}, {outlived:.1}, {during:.1} and {after:.1} MiB"),
    );
    assert!(after <= used * 1.1, "{after} MiB, but {used} MiB before");
}

/// Creates many objects, and deletes them once every replica knows them. Returns what was resident meanwhile, in MiB.
fn many_come_and_go(cluster: &Cluster) -> f64 {
    let hosts: Vec<String> = (0..MANY).map(|number| format!("many-{number}.example.com")).collect();
    claim_all(cluster, &hosts);
    cluster.soon("the last one is known", Duration::from_secs(30), || is_denied(cluster, &hosts[MANY - 1]));
    let during = resident(cluster);
    release_all(cluster);
    cluster.soon("none is known", Duration::from_secs(30), || !is_denied(cluster, &hosts[0]));
    during
}

/// What the processes of all replicas have resident after writes, in MiB.
fn resident(cluster: &Cluster) -> f64 {
    let load = Load::start(cluster, Write::ALL);
    thread::sleep(Duration::from_secs(15));
    drop(load);
    thread::sleep(Duration::from_secs(5));
    let sizes = cluster.node("ps -C portcullis -o rss=").accepted().stdout;
    let sizes = sizes.split_whitespace().map(|size| size.parse::<f64>().expect("a number of KiB") / 1024.0);
    sizes.sum()
}

/// Uninstalls the release while it enforces.
pub fn uninstall(cluster: &Cluster) {
    assert_eq!(create_ingress(&cluster.http(), "shop.example.com", "/").0, 422);
    cluster.helm(Helm::Four, "uninstall portcullis --wait").run().accepted();
    cluster.kubectl(&format!("delete namespace {NAMESPACE}")).run().accepted();
}
