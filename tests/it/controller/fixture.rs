//! A cluster with the shipped rights and CRDs, and replicas that write statuses.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use axum::http::Request;
use serde_json::{Value, json};

use crate::harness::{
    Channel, ControlPlane, Flavour, Http, Kubectl, NEWEST, PortcullisServer, assets, crds, delegation_crds,
    host_claim_crds, path_of, process_guard, until,
};

const ACCOUNT: &str = "system:serviceaccount:portcullis:portcullis";
const HEAD: &str = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";

/// How many writers create many objects.
const WRITERS: usize = 4;

/// Within what time a status follows a change, on a busy machine. It is measured in a tenth of a second.
pub const SOON: Duration = Duration::from_secs(10);

/// An API server of the trial's own, since CRDs and GatewayClasses are seen by all.
pub struct Cluster {
    pub control_plane: ControlPlane,
    pub http: Http,
    kubeconfig: PathBuf,
}

impl Cluster {
    /// With the CRDs of this repository and the base of the rights.
    pub fn new() -> Self {
        Self::serving(Vec::new())
    }

    /// The same with the standard CRDs of the newest bundle.
    pub fn with_gateway_api() -> Self {
        Self::serving(crds(NEWEST, Channel::Standard))
    }

    /// The same with the CRDs of HostClaims and the experimental ones of the newest bundle.
    pub fn with_host_claims() -> Self {
        Self::serving([crds(NEWEST, Channel::Experimental), host_claim_crds()].concat())
    }

    fn serving(crds: Vec<Value>) -> Self {
        let control_plane = ControlPlane::serving(Flavour::Plain, [delegation_crds(), crds].concat());
        let http = control_plane.http();
        ["portcullis", "web", "team"].into_iter().for_each(|name| http.create_namespace(name));
        let kubeconfig = control_plane.portcullis_account("portcullis");
        Self { control_plane, http, kubeconfig }
    }

    /// Grants what a component adds to the ClusterRole.
    pub fn grant(&self, component: &str) {
        let operations: Value =
            serde_saphyr::from_str(&manifest(&format!("manifests/components/{component}/rules.yaml")))
                .expect("a JSON patch in YAML");
        self.http.json_patch("/apis/rbac.authorization.k8s.io/v1/clusterroles/portcullis", &operations);
    }

    /// A shell command, with the kubectl of the trials.
    pub fn shell(&self, script: &str) -> Kubectl {
        let programs = assets().expect("a trial that has a cluster has its programs");
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
        let mut command = process_guard().command("sh");
        command.args(["-c", script]).env("PATH", path).env("KUBECONFIG", self.control_plane.kubeconfig());
        Kubectl::from(command)
    }

    /// Grants what a component of the manifests installs.
    pub fn install(&self, component: &str, file: &str) {
        let text = manifest(&format!("manifests/components/{component}/{file}"));
        self.control_plane.kubectl("apply -f -").stdin(&text).run().accepted();
    }

    /// A replica that is ready, with a configuration.
    pub fn replica(&self, config: &str) -> PortcullisServer {
        self.replica_with(config, &[])
    }

    /// A replica that is ready, with a configuration and further arguments.
    pub fn replica_with(&self, config: &str, more: &[&str]) -> PortcullisServer {
        let more = more.iter().map(|argument| (*argument).to_owned());
        PortcullisServer::start(self.arguments(config).into_iter().chain(more)).ready()
    }

    /// A replica that is ready, with a configuration, and with the certificates in this folder, which are created if they do not exist.
    pub fn replica_of(&self, config: &str, certificates: &Path) -> PortcullisServer {
        let more = ["--cert-dir".to_owned(), text(certificates)];
        let args = self.arguments(config).into_iter().chain(more);
        PortcullisServer::with_certificate(args, &certificates.join("ca.crt")).ready()
    }

    fn arguments(&self, config: &str) -> [String; 5] {
        let file = config_file(config);
        let [kubeconfig, file] = [&self.kubeconfig, &file].map(|path| text(path));
        ["--controller".to_owned(), "--kubeconfig".to_owned(), kubeconfig, "--config".to_owned(), file]
    }

    /// The status of an object that `portcullis status` prints for the whole cluster.
    pub fn printed_status(&self, object: &Value, config: &str) -> Value {
        let file = config_file(config);
        let mut command = process_guard().command(env!("CARGO_BIN_EXE_portcullis"));
        command
            .args(["status", "-o", "json", "--kubeconfig"])
            .arg(self.control_plane.kubeconfig())
            .arg("--config")
            .arg(file);
        let printed = Kubectl::from(command).run().json();
        let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default();
        let kind = object["kind"].as_str().unwrap_or_default();
        let reference = format!("{kind}/{}/{}", text("namespace"), text("name"));
        let mut entries = printed.as_array().into_iter().flatten();
        let entry = entries.find(|entry| entry["ref"] == *reference);
        entry.unwrap_or_else(|| panic!("{reference} has no status in {printed}"))["status"].clone()
    }

    /// The policies that `portcullis export policies` prints for entries and HostClaims.
    pub fn policies(&self, config: &str) -> String {
        let file = config_file(config);
        let mut command = process_guard().command(env!("CARGO_BIN_EXE_portcullis"));
        command.args(["export", "policies", "--host-claims", "--config"]).arg(file);
        Kubectl::from(command).run().stdout
    }

    /// What `portcullis disarm --policies` prints.
    pub fn disarm(&self) -> String {
        let mut command = process_guard().command(env!("CARGO_BIN_EXE_portcullis"));
        command.args(["disarm", "--policies", "--kubeconfig"]).arg(self.control_plane.kubeconfig());
        Kubectl::from(command).run().accepted().stdout
    }

    /// Creates an object, or replaces its spec.
    pub fn apply(&self, object: &Value) {
        let path = path_of(object);
        let (collection, _) = path.rsplit_once('/').expect("a path has segments");
        let (mut status, mut answer) = self.http.post(collection, object.to_string());
        while status == 409 {
            let mut stored = self.get(object);
            stored["spec"] = object["spec"].clone();
            (status, answer) = self.http.put(&path, stored.to_string());
        }
        assert!(matches!(status, 200 | 201), "{answer}");
    }

    /// Creates many objects.
    pub fn apply_all(&self, objects: &[Value]) {
        thread::scope(|scope| {
            for part in objects.chunks(objects.len().div_ceil(WRITERS).max(1)) {
                scope.spawn(move || part.iter().for_each(|object| self.apply(object)));
            }
        });
    }

    /// Changes a part of the spec. Returns the new generation.
    pub fn patch_spec(&self, object: &Value, spec: &Value) -> u64 {
        let patch = json!({"spec": spec}).to_string().into_bytes();
        let request = Request::patch(path_of(object));
        let (status, answer) = self.http.send_as(request, "application/merge-patch+json", patch);
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
        let stored: Value = serde_json::from_slice(&answer).expect("the API server answers in JSON");
        stored["metadata"]["generation"].as_u64().expect("an object with a spec has a generation")
    }

    pub fn delete(&self, object: &Value) {
        let (status, answer) = self.http.delete(&path_of(object));
        assert!(matches!(status, 200 | 202), "{answer}");
    }

    pub fn get(&self, object: &Value) -> Value {
        serde_json::from_str(&self.http.get(&path_of(object)).1).expect("the API server answers in JSON")
    }

    pub fn status(&self, object: &Value) -> Value {
        self.get(object)["status"].clone()
    }

    /// All objects of the kind of this one, in all namespaces.
    pub fn list(&self, like: &Value) -> Vec<Value> {
        let mut like = like.clone();
        (like["metadata"]["namespace"], like["metadata"]["name"]) = (Value::Null, Value::Null);
        let (_, text) = self.http.get(path_of(&like).trim_end_matches('/'));
        let mut list: Value = serde_json::from_str(&text).expect("the API server answers in JSON");
        list["items"].as_array_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Writes a part of the status as another manager.
    pub fn patch_status(&self, object: &Value, status: &Value) {
        let uri = format!("{}/status?fieldManager=rival", path_of(object));
        let patch = json!({"status": status}).to_string().into_bytes();
        let (status, answer) = self.http.send_as(Request::patch(uri), "application/merge-patch+json", patch);
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
    }

    /// Waits until the status of an object is as `is_so` says. Returns how long it took.
    #[track_caller]
    pub fn expect(&self, object: &Value, limit: Duration, is_so: impl Fn(&Value) -> bool) -> Duration {
        let start = Instant::now();
        let came = until(limit, || is_so(&self.status(object)).then(|| start.elapsed()));
        match came {
            Some(took) => took,
            None => panic!("not within {limit:?}: {:#}", self.get(object)),
        }
    }

    /// Waits until `currentStatus` of an IngressRoute has this value and is about its newest generation.
    #[track_caller]
    pub fn expect_state(&self, route: &Value, limit: Duration, state: &str) -> Duration {
        let generation = self.get(route)["metadata"]["generation"].clone();
        self.expect(route, limit, |status| {
            status["currentStatus"] == state && status["observedGeneration"] == generation
        })
    }

    /// The writes of the account so far, without those of the Lease and of Events.
    pub fn writes(&self) -> Vec<Value> {
        let mut events = self.control_plane.audit_log();
        let is_other = |event: &Value| ["leases", "events"].iter().any(|name| event["objectRef"]["resource"] == *name);
        events.retain(|event| event["user"]["username"] == ACCOUNT && !is_other(event));
        events
    }

    /// The Events about an object with this reason.
    pub fn events(&self, object: &Value, reason: &str) -> Vec<Value> {
        let list: Value = serde_json::from_str(&self.http.get("/apis/events.k8s.io/v1/events").1).expect("JSON");
        let items = list["items"].as_array().cloned().unwrap_or_default();
        let is_about =
            |event: &Value| event["regarding"]["name"] == object["metadata"]["name"] && event["reason"] == reason;
        items.into_iter().filter(is_about).collect()
    }
}

/// The status of a condition; `null` without it.
pub fn condition<'s>(status: &'s Value, name: &str) -> &'s Value {
    let all = status["conditions"].as_array().into_iter().flatten();
    all.into_iter().find(|condition| condition["type"] == name).unwrap_or(&Value::Null)
}

/// A manifest of the repository.
pub fn manifest(path: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()))
}

fn text(path: &Path) -> String {
    path.to_str().expect("the folder of the trials has a plain name").to_owned()
}

/// Writes a configuration, given without its first two lines, to a file of its own.
fn config_file(config: &str) -> PathBuf {
    let file = process_guard().folder("config").join("config.yaml");
    fs::write(&file, format!("{HEAD}{config}")).expect("our folder is writable");
    file
}
