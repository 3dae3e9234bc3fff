//! The configuration in a ConfigMap of a real API server, under the rights that are shipped.

mod invalid;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::harness::{
    ControlPlane, FlakyProxy, Flavour, Namespace, PortcullisServer, eventually, must_within, on_cluster, process_guard,
};
use crate::reviews::{create, ingress, send};
use crate::test_server::post;

pub fn trials() -> Vec<Trial> {
    vec![
        on_cluster("config_map::a_change_is_in_effect_on_all_replicas", a_change_is_in_effect_on_all_replicas),
        on_cluster("config_map::a_change_is_in_effect_after_connections_died_silently", silent_connections),
        on_cluster(
            "config_map::invalid_config_map_keeps_the_last_valid_configuration",
            a_broken_one_leaves_the_last_valid,
        ),
        on_cluster(
            "config_map::pod_starts_with_the_last_good_configuration",
            pod_starts_with_the_last_good_configuration,
        ),
        on_cluster("config_map::invalid_config_map_gets_a_warning", invalid::invalid_config_map_gets_a_warning),
        on_cluster("config_map::invalid_config_map_gets_one_event", invalid::invalid_config_map_gets_one_event),
        on_cluster("config_map::all_keys_are_one_configuration", all_keys_are_one_configuration),
        on_cluster("config_map::baseline_is_in_effect_without_a_last_good_configuration", without_a_last_good_one),
        on_cluster("config_map::last_good_copy_is_written_once_allowed", a_copy_that_cannot_be_written),
        on_cluster("config_map::server_starts_without_a_config_map", without_a_config_map),
        on_cluster("config_map::new_pod_without_rights_is_not_ready", new_pod_without_rights_is_not_ready),
        on_cluster("config_map::reviews_wait_for_the_config_map", reviews_wait_for_the_config_map),
        on_cluster("config_map::audit_uses_the_config_map", audit_uses_the_config_map),
    ]
}

const HEAD: &str = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";
const BROKEN: &str = "profil: audit\n";

/// Half of the 60 s after which a watch ends, and with it any change that it has missed. The promise is 3 s, and each trial prints what
/// it takes.
const SOON: Duration = Duration::from_secs(30);

/// A namespace with the shipped account, and a configuration.
pub struct ConfigMapFixture {
    pub namespace: Namespace<'static>,
    account: PathBuf,
}

impl ConfigMapFixture {
    pub fn new() -> Self {
        let namespace = ControlPlane::shared(Flavour::Plain).namespace("home");
        let account = namespace.portcullis_account();
        Self { namespace, account }
    }

    /// From now on, replicas reach the API server through this proxy.
    pub fn proxy(&mut self) -> FlakyProxy {
        let address = ControlPlane::shared(Flavour::Plain).address();
        let proxy = FlakyProxy::to(address);
        let account = fs::read_to_string(&self.account).expect("the harness wrote it");
        fs::write(&self.account, account.replace(&address.to_string(), &proxy.address.to_string()))
            .expect("the folder of the trials is writable");
        proxy
    }

    /// Puts this below the head of a configuration.
    pub fn configure(&self, text: &str) {
        self.configure_keys(&[("config.yaml", text)]);
    }

    /// Puts each of these below the head of a configuration, under its key.
    fn configure_keys(&self, texts: &[(&str, &str)]) {
        let data: Value = texts.iter().map(|(key, text)| ((*key).to_owned(), json!(format!("{HEAD}{text}")))).collect();
        let metadata = json!({"namespace": self.namespace.to_string(), "name": "portcullis"});
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data});
        self.namespace.http().apply(&map);
    }

    /// Changes the verbs of a rule of the shipped Role.
    pub fn allow(&self, rule: usize, verbs: &[&str]) {
        let patch = json!([{"op": "replace", "path": format!("/rules/{rule}/verbs"), "value": verbs}]);
        let path = format!("/apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles/portcullis", self.namespace);
        self.namespace.http().json_patch(&path, &patch);
    }

    /// A replica that reads its configuration there.
    pub fn start(&self) -> PortcullisServer {
        self.start_with(&[])
    }

    fn start_with(&self, more: &[&str]) -> PortcullisServer {
        let account = self.account.to_str().expect("the folder of the trials has a plain name");
        let args = ["--kubeconfig", account, "--config-map=portcullis", "--config-settle=2s"];
        PortcullisServer::start([&args, more].concat())
    }

    fn last_good(&self) -> Option<String> {
        self.last_good_data()?["config.yaml"].as_str().map(str::to_owned)
    }

    fn last_good_data(&self) -> Option<Value> {
        Some(self.namespace.get("api/v1", "configmaps/portcullis-last-good")?["data"].take())
    }
}

/// Whether the metrics say that a configuration with this profile is in effect, and no other.
pub fn runs(server: &PortcullisServer, profile: &str) -> bool {
    let (_, metrics) = server.health().get("/metrics");
    let infos: Vec<_> = metrics.lines().filter(|line| line.starts_with("portcullis_config_info{")).collect();
    infos.len() == 1 && infos[0].contains(&format!("profile=\"{profile}\"}} 1"))
}

/// How a webhook answers the creation of an Ingress that is invalid by itself, so that `baseline` denies it and `audit` does not: the
/// status of the response, and that of the denial if it is one.
fn answer_to_invalid(server: &PortcullisServer) -> (u16, Value) {
    let (status, answer) = server.post("/validate", create(&ingress("web", "shop", "shop.example.com", "cart")));
    (status, answer["response"]["status"]["code"].clone())
}

/// The first 12 digits of what `sha256sum` would print.
fn hash(text: &str) -> String {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, text.as_bytes());
    digest.as_ref().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

fn a_change_is_in_effect_on_all_replicas() {
    let fixture = ConfigMapFixture::new();
    fixture.configure("profile: audit\n");
    let servers = [fixture.start().ready(), fixture.start().ready()];
    for profile in ["restricted", "baseline", "kep-758"] {
        let text = format!("profile: {profile}\n");
        fixture.configure(&text);
        let expected = format!("[+]config ok: hash {}, profile {profile}", hash(&format!("{HEAD}{text}")));
        let took = must_within(SOON, &expected, || servers.iter().all(|server| server.condition("config") == expected));
        println!("{profile}: in effect on all replicas {took:?} after the change");
        assert!(servers.iter().all(|server| runs(server, profile)));
    }
}

/// No error and no event shows that the connection of the watch has died, here together with every other one that was open.
fn silent_connections() {
    let mut fixture = ConfigMapFixture::new();
    fixture.configure("profile: audit\n");
    let proxy = fixture.proxy();
    let server = fixture.start().ready();
    for profile in ["restricted", "baseline", "kep-758"] {
        proxy.silence();
        proxy.end_silence();
        fixture.configure(&format!("profile: {profile}\n"));
        let took = must_within(SOON, profile, || runs(&server, profile));
        println!("{profile}: in effect {took:?} after the change");
    }
}

fn a_broken_one_leaves_the_last_valid() {
    let fixture = ConfigMapFixture::new();
    fixture.configure("profile: audit\n");
    let server = fixture.start().ready();
    let in_effect = format!("(in effect: hash {}, profile audit)", hash(&format!("{HEAD}profile: audit\n")));
    for (break_it, words) in [
        (
            &(|| fixture.configure(BROKEN)) as &dyn Fn(),
            "line 3, column 1: unknown field `profil`; did you mean `profile`?",
        ),
        (&|| drop(fixture.namespace.delete("configmap portcullis").accepted()), "ConfigMap portcullis does not exist"),
        (
            &|| drop(fixture.namespace.kubectl("create configmap portcullis --from-literal=a=b").run().accepted()),
            "ConfigMap portcullis has no key that ends in .yaml, such as config.yaml",
        ),
    ] {
        break_it();
        let expected = format!("[!]config degraded: using the last valid version: {words} {in_effect}");
        eventually(words, || server.condition("config") == expected);
        assert_eq!(server.metric("portcullis_config_broken"), Some(1.0));
        assert!(runs(&server, "audit"));
        assert_eq!(server.health().get("/readyz").0, 200);
    }
    server.logs("configuration cannot be used; using the last valid version");
    fixture.configure("profile: restricted\n");
    eventually("the repaired one is in effect", || server.condition("config").starts_with("[+]config ok: "));
    assert!(runs(&server, "restricted"));
    assert_eq!(server.metric("portcullis_config_broken"), Some(0.0));
}

fn pod_starts_with_the_last_good_configuration() {
    let fixture = ConfigMapFixture::new();
    fixture.configure("profile: restricted\n");
    let good = format!("{HEAD}profile: restricted\n");
    {
        let _gates = [fixture.start().ready(), fixture.start().ready()];
        eventually("the holder of the Lease keeps it", || fixture.last_good().as_ref() == Some(&good));
        let events = fixture.namespace.audit_log();
        let writes = events.iter().filter(|event| event["objectRef"]["name"] == "portcullis-last-good").count();
        assert_eq!(writes, 1, "one replica writes it, once");
        fixture.configure(BROKEN);
        fixture.namespace.delete("configmap portcullis-last-good").accepted();
        fixture.configure("profile: restricted\n");
        fixture.configure("profile: audit\n");
        let newer = format!("{HEAD}profile: audit\n");
        eventually("a newer one is kept in its turn", || fixture.last_good().as_ref() == Some(&newer));
    }
    fixture.configure(BROKEN);
    let server = fixture.start().ready();
    let says = server.condition("config");
    let start =
        "[!]config degraded: using the last good version from ConfigMap portcullis-last-good: line 3, column 1: ";
    assert!(says.starts_with(start) && says.ends_with(", profile audit)"), "{says}");
    assert!(runs(&server, "audit"));
    assert_eq!(answer_to_invalid(&server), (200, Value::Null));
    assert_eq!(server.metric("portcullis_config_broken"), Some(1.0));
    assert_eq!(server.metric("portcullis_leader"), Some(0.0), "the Lease of those that were killed has not expired");
    fixture.configure("profile: baseline\n");
    eventually("the repaired one is in effect", || server.condition("config").starts_with("[+]config ok: "));
}

/// Teams have keys of their own; the copy has them, too, and loses those that are gone.
fn all_keys_are_one_configuration() {
    let fixture = ConfigMapFixture::new();
    fixture.configure_keys(&[
        ("10.yaml", "profile: audit\n"),
        ("20.yaml", "themes: {policy: Off}\n"),
        ("notes", "any"),
    ]);
    {
        let server = fixture.start().ready();
        assert!(runs(&server, "audit"), "{}", server.condition("config"));
        let both = json!({"10.yaml": format!("{HEAD}profile: audit\n"), "20.yaml": format!("{HEAD}themes: {{policy: Off}}\n")});
        eventually("both keys are kept", || fixture.last_good_data().as_ref() == Some(&both));
        fixture.configure_keys(&[("10.yaml", "profile: audit\n"), ("20.yaml", "profile: baseline\n")]);
        let words = "20.yaml: line 3, column 10: `profile` is `baseline` here, but `audit` in 10.yaml at line 3";
        eventually("the contradiction shows", || server.condition("config").contains(words));
        assert!(runs(&server, "audit"), "the last valid version is in effect");
    }
    let server = fixture.start().ready();
    assert!(runs(&server, "audit"), "the copy of both keys: {}", server.condition("config"));
    fixture.configure("profile: restricted\n");
    eventually("one key replaces both", || runs(&server, "restricted"));
    let one = json!({"config.yaml": format!("{HEAD}profile: restricted\n")});
    eventually("the copy has one key", || fixture.last_good_data().as_ref() == Some(&one));
}

fn without_a_last_good_one() {
    let fixture = ConfigMapFixture::new();
    fixture.configure(BROKEN);
    let server = fixture.start().ready();
    let start = "[!]config degraded: using the built-in configuration, because no last good version can be used: ";
    let says = server.condition("config");
    assert!(says.starts_with(&format!("{start}line 3, column 1: ")), "{says}");
    assert!(says.ends_with("(in effect: hash built-in, profile baseline)"), "{says}");
    assert!(runs(&server, "baseline"));
    assert_eq!(answer_to_invalid(&server), (200, json!(422)));
    assert_eq!(server.metric("portcullis_config_broken"), Some(1.0));
    server.logs("the last good configuration is missing or unusable");
    assert_eq!(fixture.last_good(), None, "what was never in the ConfigMap is not kept");
}

fn a_copy_that_cannot_be_written() {
    let fixture = ConfigMapFixture::new();
    fixture.allow(2, &["get"]);
    fixture.configure("profile: audit\n");
    let server = fixture.start().ready();
    let failure = server.logs("the last good configuration was not kept; retrying");
    let error = failure["fields"]["error"].as_str().expect("the error is a text");
    assert!(error.ends_with("; grant the rights in manifests/rbac.yaml"), "{error}");
    assert_eq!(fixture.last_good(), None);
    fixture.allow(2, &["get", "create", "patch"]);
    eventually("it is kept", || fixture.last_good().is_some());
}

/// A cluster need not have a ConfigMap. One that is created later takes effect.
fn without_a_config_map() {
    let fixture = ConfigMapFixture::new();
    let [server, auditing] = [&[][..], &["--profile=audit"]].map(|more| fixture.start_with(more).ready());
    let built_in = |profile: &str| {
        let name = format!("{}/portcullis", fixture.namespace);
        format!("[+]config ok: hash built-in, profile {profile}; ConfigMap {name} does not exist")
    };
    assert_eq!(server.condition("config"), built_in("baseline"));
    assert_eq!(auditing.condition("config"), built_in("audit"));
    assert!(runs(&server, "baseline") && runs(&auditing, "audit"));
    assert_eq!([&server, &auditing].map(answer_to_invalid), [(200, json!(422)), (200, Value::Null)]);
    assert_eq!(server.metric("portcullis_config_broken"), Some(0.0));
    fixture.configure("profile: restricted\n");
    eventually("it takes effect", || runs(&server, "restricted"));
    eventually("its profile is overridden", || !auditing.condition("config").contains("built-in"));
    assert!(runs(&auditing, "audit"));
}

fn new_pod_without_rights_is_not_ready() {
    let mut fixture = ConfigMapFixture::new();
    fixture.configure("profile: audit\n");
    let proxy = fixture.proxy();
    let old = fixture.start().ready();
    let binding = fixture.namespace.kubectl("get rolebinding portcullis --output=json").run().accepted().stdout;
    fixture.namespace.delete("rolebinding portcullis").accepted();
    // The watch that is open outlives the right to it.
    proxy.cut();
    let new = fixture.start();
    let expected = "[-]config failed: ConfigMap portcullis is not readable (RBAC)";
    eventually("the new pod says what it may not read", || new.condition("config") == expected);
    assert_eq!((new.health().get("/readyz").0, new.health().get("/livez").0), (503, 200));
    assert_eq!((answer_to_invalid(&new).0, answer_to_invalid(&old).0), (503, 200));
    let expected =
        "[!]config degraded: using the last valid version: ConfigMap portcullis is not readable (RBAC) (in effect: ";
    eventually("the old one says so too", || old.condition("config").starts_with(expected));
    assert!(runs(&old, "audit"));
    assert_eq!(old.health().get("/readyz").0, 200, "the old one serves on");

    let mut binding: Value = serde_json::from_str(&binding).expect("kubectl prints JSON");
    for field in ["uid", "resourceVersion"] {
        binding["metadata"][field].take();
    }
    fixture.namespace.apply(&binding.to_string()).accepted();
    for server in [&old, &new] {
        eventually("both read it again, unchanged as it is", || {
            server.condition("config").starts_with("[+]config ok: ")
        });
        assert!(runs(server, "audit"));
    }
}

/// A webhook may be called before it is ready: by URL, or by a Service that publishes addresses that are not ready.
fn reviews_wait_for_the_config_map() {
    let mut fixture = ConfigMapFixture::new();
    fixture.configure("profile: audit\n");
    let proxy = fixture.proxy();
    proxy.hold();
    let server = fixture.start();
    assert_eq!(server.condition("config"), "[-]config failed: ConfigMap portcullis is not read yet");
    let review = create(&ingress("web", "shop", "shop.example.com", "cart"));
    for path in ["/validate", "/mutate"] {
        let refused = send(&server, &post(path, review.as_bytes()));
        let waiting =
            "configuration not read yet; if this lasts, see /readyz?verbose; `portcullis disarm` stops enforcement";
        assert_eq!((refused.status, refused.body.trim_end()), (503, waiting), "{path}");
        assert!(refused.head.contains("retry-after: 1\r\n"), "{}", refused.head);
    }
    assert_eq!(server.metric("portcullis_reviews_not_synced_total"), Some(2.0));

    proxy.resume();
    let server = server.ready();
    assert_eq!(answer_to_invalid(&server), (200, Value::Null), "the profile audit denies nothing");
    assert_eq!(server.post("/mutate", review).0, 200);
}

fn audit_uses_the_config_map() {
    let fixture = ConfigMapFixture::new();
    let audit = |configuration: &str| {
        let mut command = process_guard().command(env!("CARGO_BIN_EXE_portcullis"));
        command.args(["audit", "--config-map", configuration, "--kubeconfig"]).arg(&fixture.account);
        let output = command.output().expect("the program can be run");
        (output.status.code(), String::from_utf8(output.stderr).expect("it prints UTF-8"))
    };
    let name = format!("{}/portcullis", fixture.namespace);
    let absent = format!("portcullis: namespace {}: ConfigMap portcullis does not exist\n", fixture.namespace);
    assert_eq!(audit(&name), (Some(2), absent));
    fixture.configure(BROKEN);
    let (code, error) = audit(&name);
    let start = format!("portcullis: ConfigMap {name}: line 3, column 1: ");
    assert!(code == Some(2) && error.starts_with(&start), "{error}");
    let namespace = fixture.namespace.to_string();
    fixture.namespace.apply(&ingress(&namespace, "any", &format!("*.{namespace}.example.com"), "/")).accepted();
    fixture.configure("checks: {'*': Off, ingress/host-wildcard: Deny}\n");
    assert_eq!(audit(&name).0, Some(1), "the check that it enables would refuse the Ingress");
    fixture.configure("checks: {'*': Off}\n");
    assert_eq!(audit(&name).0, Some(0), "without checks, nothing would be refused");
}
