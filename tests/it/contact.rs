//! A server that is cut off from the API server, or may not read all that it needs: when it is ready, what it answers in
//! the meantime, and how soon it is current again.

use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::config_map::{ConfigMapFixture, runs};
use crate::faults::{is_claimed, server_through};
use crate::harness::{
    ControlPlane, FlakyProxy, Flavour, Namespace, PortcullisServer, eventually, must_within, on_cluster,
};
use crate::reviews::{create, ingress};

pub fn trials() -> Vec<Trial> {
    vec![
        on_cluster("contact::a_replica_that_is_cut_off_is_not_ready", a_replica_that_is_cut_off),
        on_cluster("contact::watches_are_open_again_soon_after_a_short_silence", after_a_short_silence),
        on_cluster("contact::a_replica_is_ready_soon_after_an_outage_of_the_api_server", after_an_outage),
        on_cluster("contact::the_configuration_is_current_soon_after_a_silence", the_configuration_after_a_silence),
        on_cluster("contact::a_new_replica_without_rights_is_not_ready", a_new_replica_without_rights),
        on_cluster("contact::a_running_replica_that_loses_rights_stays_ready", a_running_replica_that_loses_rights),
    ]
}

/// Longer than silence is tolerated, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(25);

/// How soon a replica is current again, on a busy machine. Without new connections it would take 30 to 60 s.
const SOON: Duration = Duration::from_secs(10);

fn put(control_plane: &ControlPlane, name: &str) {
    control_plane.apply(&ingress("default", name, &format!("{name}.example.com"), "/")).accepted();
}

fn a_replica_that_is_cut_off() {
    let control_plane = ControlPlane::start(Flavour::Plain);
    let proxy = FlakyProxy::to(control_plane.address());
    let server = server_through(&control_plane, &proxy).ready();
    put(&control_plane, "first");
    eventually("the first Ingress is seen", || is_claimed(&server, "first.example.com"));

    proxy.silence();
    control_plane.delete("ingress/first").accepted();
    put(&control_plane, "second");
    let (health, since) = (server.health(), Instant::now());
    while since.elapsed() < Duration::from_secs(10) {
        assert_eq!(health.get("/readyz").0, 200, "a short silence changes nothing");
        assert!(is_claimed(&server, "first.example.com"), "what was known stays known");
        thread::sleep(Duration::from_millis(500));
    }
    must_within(PATIENCE, "not ready", || health.get("/readyz").0 == 503);
    println!("not ready after {:?} of silence", since.elapsed());
    let (_, says) = health.get("/readyz");
    assert!(says.contains("[-]api-server failed: no contact for 1"), "{says}");
    assert!(server.metric("portcullis_api_server_contact_age_seconds").is_some_and(|age| age >= 15.0));
    assert_eq!(health.get("/livez").0, 200);
    answers_only_those_who_have_no_other_replica(&server);

    proxy.end_silence();
    let back = must_within(PATIENCE, "ready", || health.get("/readyz").0 == 200);
    // A watch that is open again delivers what was missed a moment later.
    let current = must_within(PATIENCE, "current", || {
        is_claimed(&server, "second.example.com") && !is_claimed(&server, "first.example.com")
    });
    println!("ready {back:?} after the silence, current {current:?} later");
    let log = server.log();
    assert!(back + current < SOON, "ready after {back:?}, current {current:?} later\n{log}");
    assert!(server.log().contains("no contact with the API server for 15s;"), "{}", server.log());
    eventually("the end is logged", || server.log().contains("the API server is reachable again after"));
}

/// A replica that was just cut off asks for each review again on a new connection. After a few seconds it answers what still comes, from
/// what it knew.
fn answers_only_those_who_have_no_other_replica(server: &PortcullisServer) {
    let review = || server.post_bytes("/validate", create(&ingress("other", "copy", "first.example.com", "/")));
    let (status, answer) = review();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert_eq!(status, 503, "{answer}");
    assert!(answer.contains("another one may answer on a new connection"), "{answer}");
    let took = must_within(PATIENCE, "reviews are answered again", || review().0 == 200);
    assert!(is_claimed(server, "first.example.com"), "answers come from what was known");
    assert!(took > Duration::from_secs(2), "answered after {took:?}, while the Service still leads here");
}

fn after_a_short_silence() {
    let control_plane = ControlPlane::start(Flavour::Plain);
    let proxy = FlakyProxy::to(control_plane.address());
    let server = server_through(&control_plane, &proxy).ready();
    for (round, seconds) in [5, 8].into_iter().enumerate() {
        proxy.silence();
        thread::sleep(Duration::from_secs(seconds));
        proxy.end_silence();
        let name = format!("round-{round}");
        put(&control_plane, &name);
        let seen =
            must_within(PATIENCE, "the new Ingress is seen", || is_claimed(&server, &format!("{name}.example.com")));
        println!("seen {seen:?} after a silence of {seconds} s");
        assert!(seen < SOON, "seen only {seen:?} after a silence of {seconds} s\n{}", server.log());
        assert_eq!(server.health().get("/readyz").0, 200);
    }
}

/// The ConfigMap changes while its watch is on a connection that carries nothing any more, without an error.
fn the_configuration_after_a_silence() {
    let mut fixture = ConfigMapFixture::new();
    fixture.configure("profile: audit\n");
    let proxy = fixture.proxy();
    let server = fixture.start().ready();
    for (profile, seconds) in [("restricted", 5), ("baseline", 20)] {
        proxy.silence();
        fixture.configure(&format!("profile: {profile}\n"));
        thread::sleep(Duration::from_secs(seconds));
        assert!(!runs(&server, profile), "the change cannot be known yet");
        proxy.end_silence();
        let took = must_within(PATIENCE, "the change is in effect", || runs(&server, profile));
        println!("in effect {took:?} after a silence of {seconds} s");
        assert!(took < SOON, "in effect only {took:?} after a silence of {seconds} s\n{}", server.log());
    }
}

fn after_an_outage() {
    let control_plane = ControlPlane::start(Flavour::Plain);
    let server = crate::cluster::server(&control_plane, &[]);
    let health = server.health();
    put(&control_plane, "first");
    eventually("the first Ingress is seen", || is_claimed(&server, "first.example.com"));
    control_plane.kill_api_server();
    must_within(PATIENCE, "not ready", || health.get("/readyz").0 == 503);
    answers_only_those_who_have_no_other_replica(&server);
    control_plane.start_api_server();
    let back = must_within(PATIENCE, "ready", || health.get("/readyz").0 == 200);
    put(&control_plane, "second");
    let seen = must_within(PATIENCE, "the second Ingress is seen", || is_claimed(&server, "second.example.com"));
    println!("ready {back:?} after the API server; a new object is seen after {seen:?}");
    assert!(back + seen < SOON, "ready after {back:?}, current after {seen:?}\n{}", server.log());
}

/// The rights of a ServiceAccount, one role for each resource.
pub struct Account<'c> {
    control_plane: &'c ControlPlane,
    pub team: Namespace<'c>,
}

impl<'c> Account<'c> {
    /// An account of a new namespace that may read these resources.
    pub fn new(control_plane: &'c ControlPlane, resources: &[&str]) -> Self {
        let team = control_plane.namespace("team");
        let metadata = json!({"namespace": team.to_string(), "name": "gate"});
        team.http().apply(&json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}));
        let account = Self { control_plane, team };
        resources.iter().for_each(|resource| account.allow(resource));
        account
    }

    /// Returns once the right is in force.
    pub fn allow(&self, resource: &str) {
        self.right(resource).iter().for_each(|object| self.team.http().apply(object));
        eventually("the right is in force", || self.may_watch(resource));
    }

    /// Returns once the right is out of force.
    pub fn deny(&self, resource: &str) {
        self.right(resource).iter().for_each(|object| self.team.http().remove(object));
        eventually("the right is gone", || !self.may_watch(resource));
    }

    /// A ClusterRole and its binding.
    fn right(&self, resource: &str) -> [Value; 2] {
        let (version, name) = ("rbac.authorization.k8s.io/v1", format!("{}-{resource}", self.team));
        let rule = json!({"apiGroups": ["*"], "resources": [resource], "verbs": ["get", "list", "watch"]});
        let role = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name});
        let subject = json!({"kind": "ServiceAccount", "namespace": self.team.to_string(), "name": "gate"});
        [
            json!({"apiVersion": version, "kind": "ClusterRole", "metadata": {"name": name}, "rules": [rule]}),
            json!({
                "apiVersion": version, "kind": "ClusterRoleBinding", "metadata": {"name": name}, "roleRef": role, "subjects": [subject],
            }),
        ]
    }

    fn may_watch(&self, resource: &str) -> bool {
        let user = format!("system:serviceaccount:{}:gate", self.team);
        self.team.http().may(&user, &json!({"verb": "watch", "group": "*", "resource": resource}))
    }

    /// A server under this account, which may not be ready.
    pub fn server(&self, proxy: Option<&FlakyProxy>, more: &[&str]) -> PortcullisServer {
        let kubeconfig = self.control_plane.kubeconfig_for(&self.team.to_string(), "gate");
        if let Some(proxy) = proxy {
            let text = std::fs::read_to_string(&kubeconfig).expect("it was written just now");
            let through = text.replace(&self.control_plane.address().to_string(), &proxy.address.to_string());
            std::fs::write(&kubeconfig, through).expect("the folder is writable");
        }
        let kubeconfig = kubeconfig.to_str().expect("the folder of the trials has a plain name");
        PortcullisServer::start([&["--kubeconfig", kubeconfig], more].concat())
    }
}

/// No CRD is installed, and the account may not read any kind of them: that is absence, not a fault.
fn a_new_replica_without_rights() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let account = Account::new(control_plane, &["ingressclasses", "services", "namespaces"]);
    let server = account.server(None, &[]);
    let health = server.health();
    let refusal = "[-]ingresses failed: not readable (RBAC); allow get, list and watch on ingresses as in";
    must_within(PATIENCE, "nothing else is missing", || {
        let (_, says) = health.get("/readyz");
        says.contains(refusal) && says.matches("[-]").count() == 1
    });
    let since = Instant::now();
    while since.elapsed() < Duration::from_secs(3) {
        let (status, says) = health.get("/readyz");
        assert!(status == 503 && says.matches("[-]").count() == 1, "{says}");
        thread::sleep(Duration::from_millis(100));
    }
    account.allow("ingresses");
    let _gate = server.ready();
    ["ingressclasses", "services", "namespaces", "ingresses"].iter().for_each(|resource| account.deny(resource));
}

fn a_running_replica_that_loses_rights() {
    let control_plane = ControlPlane::start(Flavour::Plain);
    let proxy = FlakyProxy::to(control_plane.address());
    let account = Account::new(&control_plane, &["ingresses", "ingressclasses", "services", "namespaces"]);
    put(&control_plane, "first");
    let server = account.server(Some(&proxy), &["--stale-after=6s"]).ready();
    let health = server.health();
    let is_first_taken = || is_claimed(&server, "first.example.com");
    assert!(is_first_taken());

    account.deny("ingresses");
    // The API server judges a watch when it begins.
    proxy.cut();
    let lost = "[!]ingresses degraded: 1 known; not readable any more (RBAC), last confirmed ";
    must_within(PATIENCE, "the loss is shown", || health.get("/readyz?verbose").1.contains(lost));
    let since = Instant::now();
    while since.elapsed() < Duration::from_secs(3) {
        assert!(is_first_taken(), "what was known stays known for a while");
        assert_eq!(health.get("/readyz").0, 200);
        thread::sleep(Duration::from_millis(100));
    }
    assert!(server.metric(r#"portcullis_kind_age_seconds{kind="Ingress"}"#).is_some_and(|age| age >= 3.0));
    let forgotten = must_within(PATIENCE, "the kind is forgotten", || !is_first_taken());
    println!("forgotten after {:?}", since.elapsed());
    assert!(forgotten > Duration::from_secs(1));
    let (status, says) = health.get("/readyz?verbose");
    let line = says.lines().find(|line| line.starts_with("[!]ingresses ")).unwrap_or_default();
    let (lost, silent) = (
        "[!]ingresses degraded: not readable (RBAC), last confirmed ",
        "s ago; checks that need this kind report nothing",
    );
    assert!(status == 200 && line.starts_with(lost) && line.ends_with(silent), "{says}");
    server.logs("not confirmed for 6s; checks that need this kind report nothing");
    assert!(
        server.metric(r#"portcullis_kind_age_seconds{kind="Ingress"}"#).is_some_and(|age| age >= 6.0),
        "it is still counted"
    );
    assert!(
        server.metric(r#"portcullis_kind_age_seconds{kind="IngressClass"}"#).is_some(),
        "other kinds are confirmed"
    );

    account.allow("ingresses");
    must_within(PATIENCE, "the right that came is used", is_first_taken);
}
