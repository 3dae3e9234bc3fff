//! A server that is cut off from the API server, or may not read all that it needs: when it is ready, what it answers in
//! the meantime, and how soon it is current again.

use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::config_map::{ConfigMapFixture, runs};
use crate::faults::{is_claimed, server_through};
use crate::harness::{
    ControlPlane, FlakyProxy, Flavour, Namespace, PortcullisServer, eventually, must_within, on_cluster, until,
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

/// Less than the 30 to 60 s after which a replica is current again without new connections, and many times what it takes with them.
pub const SOON: Duration = Duration::from_secs(25);

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
    answers_until_it_is_cut_off(&server);
    println!("not ready after {:?} of silence", since.elapsed());
    assert_eq!(health.get("/livez").0, 200);
    answers_those_who_have_no_other_replica(&server);

    proxy.end_silence();
    let back = must_within(SOON, "ready and current", || {
        health.get("/readyz").0 == 200
            && is_claimed(&server, "second.example.com")
            && !is_claimed(&server, "first.example.com")
    });
    println!("ready and current {back:?} after the silence");
    assert!(server.log().contains("no contact with the API server for "), "{}", server.log());
    eventually("the end is logged", || server.log().contains("the API server is reachable again after"));
}

/// How a claim of a host is answered that another namespace has.
fn review(server: &PortcullisServer) -> (u16, String) {
    let (status, answer) = server.post_bytes("/validate", create(&ingress("other", "copy", "first.example.com", "/")));
    (status, String::from_utf8_lossy(&answer).into_owned())
}

/// A short silence changes nothing. A replica that is cut off then asks for each review again on a new connection.
fn answers_until_it_is_cut_off(server: &PortcullisServer) {
    // The connection is one of before, which never leads to another replica.
    let health = server.health();
    let refusal = until(Duration::from_secs(60), || {
        let (ready, says) = health.get("/readyz");
        let (status, answer) = review(server);
        if status == 503 {
            return Some(answer);
        }
        assert_eq!(ready, 200, "it was not cut off yet when it answered the review: {says}");
        let answer: Value = serde_json::from_str(&answer).expect("it answers in JSON");
        assert_eq!((status, &answer["response"]["allowed"]), (200, &json!(false)), "what was known stays known");
        None
    });
    let refusal = refusal.unwrap_or_else(|| panic!("never cut off: {}", server.readiness()));
    assert!(refusal.contains("another one may answer on a new connection"), "{refusal}");
    let (status, says) = health.get("/readyz");
    let silence = says.split_once("[-]api-server failed: no contact for ").and_then(|(_, rest)| rest.split_once('s'));
    let silence = silence.and_then(|(seconds, _)| seconds.parse::<u64>().ok());
    assert!(status == 503 && silence.is_some_and(|seconds| seconds >= 15), "{status}: {says}");
    assert!(contact_age(server).is_some_and(|age| age >= 15.0));
}

/// Five seconds later, what still comes on a new connection has no other replica. It is answered from what was known.
fn answers_those_who_have_no_other_replica(server: &PortcullisServer) {
    eventually("reviews are answered again", || review(server).0 == 200);
    let age = contact_age(server);
    assert!(age.is_some_and(|age| age >= 20.0), "answered after {age:?} s, while the Service still leads here");
    assert!(is_claimed(server, "first.example.com"), "answers come from what was known");
}

fn contact_age(server: &PortcullisServer) -> Option<f64> {
    server.metric("portcullis_api_server_contact_age_seconds")
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
        let seen = must_within(SOON, "the new Ingress is seen", || is_claimed(&server, &format!("{name}.example.com")));
        println!("seen {seen:?} after a silence of {seconds} s");
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
        let took = must_within(SOON, "the change is in effect", || runs(&server, profile));
        println!("in effect {took:?} after a silence of {seconds} s");
    }
}

fn after_an_outage() {
    let control_plane = ControlPlane::start(Flavour::Plain);
    let server = crate::cluster::server(&control_plane, &[]);
    let health = server.health();
    put(&control_plane, "first");
    eventually("the first Ingress is seen", || is_claimed(&server, "first.example.com"));
    control_plane.kill_api_server();
    answers_until_it_is_cut_off(&server);
    answers_those_who_have_no_other_replica(&server);
    control_plane.start_api_server();
    let back = must_within(SOON, "ready", || health.get("/readyz").0 == 200);
    put(&control_plane, "second");
    let seen = must_within(SOON, "the second Ingress is seen", || is_claimed(&server, "second.example.com"));
    println!("ready {back:?} after the API server; a new object is seen after {seen:?}");
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
    eventually("nothing else is missing", || {
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
    let server = account.server(Some(&proxy), &["--stale-after=12s"]).ready();
    let health = server.health();
    let is_first_taken = || is_claimed(&server, "first.example.com");
    assert!(is_first_taken());

    account.deny("ingresses");
    // The API server judges a watch when it begins.
    proxy.cut();
    let lost = "[!]ingresses degraded: 1 known; not readable any more (RBAC), last confirmed ";
    eventually("the loss is shown", || health.get("/readyz?verbose").1.contains(lost));
    eventually("the kind is forgotten", || {
        assert_eq!(health.get("/readyz").0, 200);
        !is_first_taken()
    });
    let age = server.metric(r#"portcullis_kind_age_seconds{kind="Ingress"}"#);
    assert!(age.is_some_and(|age| age >= 12.0), "what was known stays known for a while: forgotten after {age:?} s");
    let (status, says) = health.get("/readyz?verbose");
    let line = says.lines().find(|line| line.starts_with("[!]ingresses ")).unwrap_or_default();
    let (lost, silent) = (
        "[!]ingresses degraded: not readable (RBAC), last confirmed ",
        "s ago; checks that need this kind report nothing",
    );
    assert!(status == 200 && line.starts_with(lost) && line.ends_with(silent), "{says}");
    server.logs("not confirmed for 12s; checks that need this kind report nothing");
    assert!(
        server.metric(r#"portcullis_kind_age_seconds{kind="IngressClass"}"#).is_some(),
        "other kinds are confirmed"
    );

    account.allow("ingresses");
    eventually("the right that came is used", is_first_taken);
}
