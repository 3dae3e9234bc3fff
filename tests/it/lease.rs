//! Leader election on a real API server, under the rights that are shipped.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use kube::config::{KubeConfigOptions, Kubeconfig};
use libtest_mimic::Trial;
use portcullis::lease::{Elector, LeaderGauge, Leadership, Timing};
use serde_json::Value;
use tokio::sync::oneshot;

use crate::config_map::ConfigMapFixture;
use crate::harness::{
    ControlPlane, Flavour, Namespace, PortcullisServer, RUNTIME, eventually, must_within, on_cluster, until,
};

pub fn trials() -> Vec<Trial> {
    vec![
        on_cluster("lease::one_of_two_concurrent_candidates_leads", one_of_two_concurrent_candidates_leads),
        on_cluster("lease::a_deleted_lease_is_created_again", a_deleted_lease_is_created_again),
        on_cluster("lease::a_killed_holder_is_replaced", a_killed_holder_is_replaced),
        on_cluster("lease::a_terminated_holder_releases_the_lease", a_terminated_holder_releases_the_lease),
        on_cluster("lease::a_holder_that_was_stopped_writes_nothing", a_holder_that_was_stopped_writes_nothing),
        on_cluster("lease::readyz_shows_who_leads_and_why_no_replica_does", readyz_shows_who_leads),
    ]
}

/// A candidate within this process.
struct Candidate {
    leadership: Leadership,
    stop: Option<oneshot::Sender<()>>,
}

impl Candidate {
    fn start(kubeconfig: &Path) -> Self {
        RUNTIME.block_on(async {
            let kubeconfig = Kubeconfig::read_from(kubeconfig).expect("the harness wrote it");
            let options = KubeConfigOptions::default();
            let mut config = kube::Config::from_custom_kubeconfig(kubeconfig, &options).await.expect("it is complete");
            config.default_retry = false;
            let client = kube::Client::try_from(config).expect("it is valid");
            let (stop, stopped) = oneshot::channel();
            let (elector, leadership) = Elector::new(client, "portcullis", Timing::default(), LeaderGauge::default());
            tokio::spawn(elector.run(async { stopped.await.unwrap_or_default() }));
            Self { leadership, stop: Some(stop) }
        })
    }

    fn leads(&self) -> bool {
        self.leadership.is_leader()
    }

    /// Ends it as SIGTERM would.
    fn stop(mut self) {
        drop(self.stop.take());
        RUNTIME.block_on(self.leadership.released());
    }
}

fn lease(namespace: &Namespace<'_>) -> Value {
    stored_lease(namespace).expect("there is a Lease")
}

fn stored_lease(namespace: &Namespace<'_>) -> Option<Value> {
    namespace.get("apis/coordination.k8s.io/v1", "leases/portcullis")
}

fn one_of_two_concurrent_candidates_leads() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let namespace = control_plane.namespace("election");
    let account = namespace.portcullis_account();
    let creation = r#"{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "portcullis"}}"#;
    let user = format!("system:serviceaccount:{namespace}:portcullis");
    namespace.kubectl("create -f -").stdin(creation).acting_as(&user).run().refused_with("is forbidden");

    let [one, two] = [Candidate::start(&account), Candidate::start(&account)];
    eventually("one leads", || one.leads() || two.leads());
    let (holder, other) = if one.leads() { (one, two) } else { (two, one) };
    let first = lease(&namespace);
    assert_eq!(first["spec"]["leaseTransitions"], 1, "the other did not write it too: {first}");
    namespace.kubectl("label lease portcullis team=platform").run().accepted();
    eventually("the holder renews", || lease(&namespace)["spec"]["renewTime"] != first["spec"]["renewTime"]);
    let renewed = lease(&namespace);
    assert_eq!(renewed["metadata"]["labels"]["team"], "platform", "what others wrote stays");
    for field in ["holderIdentity", "acquireTime", "leaseTransitions"] {
        assert_eq!(renewed["spec"][field], first["spec"][field], "{field}");
    }
    assert!(holder.leads() && !other.leads());

    holder.stop();
    eventually("the other one leads", || other.leads());
    assert_eq!(holder_before(&namespace), "", "it was released");
    assert_eq!(lease(&namespace)["spec"]["leaseTransitions"], 2);
    other.stop();
    let released = lease(&namespace);
    assert_eq!(
        (&released["spec"]["holderIdentity"], &released["spec"]["leaseDurationSeconds"]),
        (&"".into(), &1.into())
    );
}

fn a_deleted_lease_is_created_again() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let namespace = control_plane.namespace("election");
    let candidate = Candidate::start(&namespace.portcullis_account());
    eventually("it leads", || candidate.leads());
    let first = lease(&namespace);
    namespace.delete("lease portcullis").accepted();
    let again = until(Duration::from_secs(60), || stored_lease(&namespace));
    let again = again.expect("the holder creates it again");
    assert_ne!(again["metadata"]["uid"], first["metadata"]["uid"]);
    eventually("the holder is in it", || {
        lease(&namespace)["spec"]["holderIdentity"] == first["spec"]["holderIdentity"]
    });
    assert!(candidate.leads());
    candidate.stop();
}

/// Two replicas, of which the first leads.
struct Pair {
    fixture: ConfigMapFixture,
    holder: PortcullisServer,
    other: PortcullisServer,
}

impl Pair {
    fn start() -> Self {
        let fixture = ConfigMapFixture::new();
        fixture.configure("profile: audit\n");
        let holder = fixture.start().ready();
        eventually("the first replica leads", || holder.is_leader());
        holder.logs("this replica leads");
        let other = fixture.start().ready();
        other.logs("another replica leads");
        assert!(!other.is_leader());
        Self { fixture, holder, other }
    }

    /// Waits until the other replica leads. Returns how long it took; how long it may take is tested with a clock that is passed in.
    fn replaced(&self) -> Duration {
        must_within(Duration::from_secs(60), "the other replica leads", || self.other.is_leader())
    }
}

/// Who held the Lease before its present holder wrote it; empty if it was released.
fn holder_before(namespace: &Namespace<'_>) -> Value {
    let now = lease(namespace)["spec"]["holderIdentity"].clone();
    let before = until(Duration::from_secs(60), || {
        let mut writes = namespace.audit_log();
        writes.retain(|event| event["objectRef"]["resource"] == "leases" && event["responseStatus"]["code"] == 200);
        let holder = |event: &Value| event["requestObject"]["spec"]["holderIdentity"].clone();
        let mut holders: Vec<Value> = writes.iter().map(holder).filter(Value::is_string).collect();
        holders.dedup();
        holders.pop().filter(|last| *last == now)?;
        holders.pop()
    });
    before.expect("the Lease had another holder")
}

fn a_killed_holder_is_replaced() {
    let pair = Pair::start();
    pair.holder.signal("KILL");
    let took = pair.replaced();
    eprintln!("a killed holder was replaced after {took:.1?}");
    assert_ne!(holder_before(&pair.fixture.namespace), "", "the Lease has expired");
    assert_eq!(lease(&pair.fixture.namespace)["spec"]["leaseTransitions"], 2);
}

fn a_terminated_holder_releases_the_lease() {
    let pair = Pair::start();
    pair.holder.signal("TERM");
    let took = pair.replaced();
    eprintln!("a terminated holder was replaced after {took:.1?}");
    assert_eq!(holder_before(&pair.fixture.namespace), "", "the Lease was released and has not expired");
    pair.holder.logs("released the Lease");
}

fn a_holder_that_was_stopped_writes_nothing() {
    const STOPPED: Duration = Duration::from_secs(40);
    let pair = Pair::start();
    let namespace = &pair.fixture.namespace;
    let start = Instant::now();
    pair.holder.signal("STOP");
    pair.replaced();
    let taken = lease(namespace);
    sleep(STOPPED.saturating_sub(start.elapsed()));
    let before = namespace.audit_log().len();
    pair.holder.signal("CONT");
    pair.holder.logs("this replica no longer leads");
    assert!(!pair.holder.is_leader() && pair.other.is_leader());
    let renewal = lease(namespace)["spec"]["renewTime"].clone();
    // Each of the two has looked at the Lease again by then, the holder more than once.
    eventually("the new holder renews it", || lease(namespace)["spec"]["renewTime"] != renewal);
    let second = lease(namespace)["spec"]["renewTime"].clone();
    eventually("and again", || lease(namespace)["spec"]["renewTime"] != second);

    for field in ["holderIdentity", "leaseTransitions", "acquireTime"] {
        assert_eq!(lease(namespace)["spec"][field], taken["spec"][field], "{field}");
    }
    only_renewals(&namespace.audit_log().split_off(before), &taken["spec"]["holderIdentity"]);
}

fn readyz_shows_who_leads() {
    let Pair { fixture, holder, other } = Pair::start();
    let name = lease(&fixture.namespace)["spec"]["holderIdentity"].as_str().expect("it is held").to_owned();
    assert_eq!(holder.condition("lease"), "[+]lease ok: leading");
    assert_eq!(other.condition("lease"), format!("[+]lease ok: led by {name}"));

    fixture.allow(0, &["get"]);
    let start = "[!]lease degraded: no holder seen; the Lease cannot be read or written: ";
    let replicas = [&holder, &other];
    let is_forbidden = |server: &PortcullisServer| {
        let says = server.condition("lease");
        says.starts_with(start) && says.ends_with("; grant the rights in manifests/rbac.yaml")
    };
    eventually("neither may renew it", || replicas.iter().all(|server| is_forbidden(server)));
    // The Lease can still be read, and names a holder that is gone.
    let recovered = until(Duration::from_secs(6), || replicas.iter().find(|server| !is_forbidden(server)));
    assert!(recovered.is_none(), "{:?}", replicas.map(|server| server.condition("lease")));
    for server in replicas {
        assert_eq!(server.health().get("/readyz").0, 200, "reviews need no leader");
        let failures = server.log().lines().filter(|line| line.contains("the Lease cannot be read or written")).count();
        assert_eq!(failures, 1, "what repeats itself is logged once\n{}", server.log());
    }

    fixture.allow(0, &["get", "create", "patch"]);
    eventually("one leads again", || replicas.iter().any(|server| server.condition("lease") == "[+]lease ok: leading"));
    eventually("the other one knows", || {
        replicas.iter().any(|server| server.condition("lease").starts_with("[+]lease ok: led by "))
    });
}

/// Asserts that all writes are renewals of the Lease by its holder. A write by another replica would name that one.
pub fn only_renewals(events: &[Value], holder: &Value) {
    let is_renewal = |event: &&Value| {
        let (target, code) = (&event["objectRef"], &event["responseStatus"]["code"]);
        let is_lease = target["resource"] == "leases" && target["name"] == "portcullis";
        event["verb"] == "patch"
            && is_lease
            && *code == 200
            && event["requestObject"]["spec"]["holderIdentity"] == *holder
    };
    let others: Vec<_> = events.iter().filter(|event| !is_renewal(event)).collect();
    assert!(others.is_empty(), "not by {holder}: {others:?}");
    assert!(events.len() >= 2, "the renewals of the new holder are among the events");
}
