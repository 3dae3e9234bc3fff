//! A cluster that a script started, and what the steps do with it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{
    Channel, Helm, Http, Kubectl, KubectlOutput, NEWEST, assets, crds, process_guard, text, time_until,
};
use crate::install::overlay_of_image;

/// The namespace of the installation.
pub const NAMESPACE: &str = "portcullis";

/// A running cluster with a registry beside it.
pub struct Cluster {
    /// The script that started it, which also runs commands on its node.
    script: PathBuf,
    kubeconfig: PathBuf,
    /// The node without the API server.
    worker: Option<String>,
    registry: String,
}

impl Cluster {
    /// The cluster of the script in `PORTCULLIS_CLUSTER`, with the kubeconfig in `KUBECONFIG`, the registry in `PORTCULLIS_REGISTRY`, and,
    /// if it has two nodes, the worker in `PORTCULLIS_WORKER`.
    pub fn of_environment() -> Option<Self> {
        let script = env::var_os("PORTCULLIS_CLUSTER")?.into();
        let kubeconfig = env::var_os("KUBECONFIG").expect("the script sets KUBECONFIG").into();
        let registry = env::var("PORTCULLIS_REGISTRY").expect("the script sets PORTCULLIS_REGISTRY");
        Some(Self { script, kubeconfig, worker: env::var("PORTCULLIS_WORKER").ok(), registry })
    }

    /// The node without the API server; none in a cluster of one node.
    pub fn worker(&self) -> Option<&str> {
        self.worker.as_deref()
    }

    /// The file with the rights of the admin.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// kubectl as the admin, with these arguments, split at white space.
    pub fn kubectl(&self, words: &str) -> Kubectl {
        let folder = assets().unwrap_or_else(|lack| panic!("{lack}"));
        self.command(process_guard().command(folder.join("kubectl")), words)
    }

    /// Helm with these arguments.
    pub fn helm(&self, helm: Helm, words: &str) -> Kubectl {
        helm.command(words).arg("--kubeconfig").arg(&self.kubeconfig).arg("--namespace").arg(NAMESPACE)
    }

    /// The registry with the image and the chart, by the name that both the nodes and Helm have for it.
    pub fn registry(&self) -> &str {
        &self.registry
    }

    /// Helm with these arguments, and with chart and image of the registry.
    pub fn release(&self, helm: Helm, words: &str) -> Kubectl {
        let command = self.helm(helm, words).arg(format!("oci://{}/charts/portcullis", self.registry));
        let command = command.arg("--plain-http").arg("--version").arg(env!("CARGO_PKG_VERSION"));
        command.arg("--set").arg(format!("image.registry={}", self.registry))
    }

    /// A folder with a kustomization of the base and some components, whose image is in the registry.
    pub fn overlay(&self, components: &[&str]) -> PathBuf {
        overlay_of_image(&format!("{}/portcullis", self.registry), components)
    }

    /// Installs the chart with these values, and waits until it is ready.
    pub fn install(&self, helm: Helm, values: &[&str]) {
        let install = self.release(helm, "install portcullis --create-namespace --wait");
        with_values(install, values).run().accepted();
    }

    /// Upgrades the release to these values, and waits until the rollout has ended.
    pub fn upgrade(&self, values: &[&str]) {
        let upgrade = self.release(Helm::Four, "upgrade portcullis --reset-then-reuse-values");
        with_values(upgrade, values).run().accepted();
        self.rolled_out();
    }

    /// The program, as the admin uses it outside of the cluster.
    pub fn portcullis(&self, words: &str) -> Kubectl {
        self.command(process_guard().command(env!("CARGO_BIN_EXE_portcullis")), words)
    }

    /// Runs a command as root on the node of the API server.
    pub fn node(&self, words: &str) -> KubectlOutput {
        self.script(&format!("node {words}"))
    }

    /// Runs a command as root on the node of a pod.
    pub fn node_of(&self, pod: &str, words: &str) -> KubectlOutput {
        self.script(&format!("on {} {words}", self.node_name(pod)))
    }

    /// Starts or stops a node or a program of the control plane, by a verb of the script.
    pub fn control(&self, words: &str) {
        self.script(words).accepted();
    }

    fn script(&self, words: &str) -> KubectlOutput {
        let mut command = Command::new(&self.script);
        command.args(words.split_whitespace());
        Kubectl::from(command).run()
    }

    fn command(&self, mut command: Command, words: &str) -> Kubectl {
        command.env("KUBECONFIG", &self.kubeconfig).args(words.split_whitespace());
        Kubectl::from(command)
    }

    /// A client of the API server as the admin, with connections of its own.
    pub fn http(&self) -> Http {
        Http::of_kubeconfig(&self.kubeconfig)
    }

    /// Whether the API server is ready, which may be down.
    pub fn answers(&self) -> bool {
        self.http().is_ok("/readyz")
    }

    pub fn apply(&self, manifests: &str) {
        self.kubectl("apply --server-side --force-conflicts -f -").stdin(manifests).run().accepted();
    }

    /// An object of our namespace as JSON, or a list of them.
    pub fn get(&self, what: &str) -> Value {
        self.kubectl(&format!("get {what} --namespace {NAMESPACE} --output json")).run().json()
    }

    /// The pods that are not terminating, and whether each is ready.
    pub fn pods(&self) -> Vec<(String, bool)> {
        let list = self.get("pods --selector app.kubernetes.io/name=portcullis");
        let items = list["items"].as_array().expect("a list has items");
        let live = items.iter().filter(|pod| pod["metadata"]["deletionTimestamp"].is_null());
        live.map(|pod| (text(&pod["metadata"]["name"]), is_ready(pod))).collect()
    }

    /// The address of a pod.
    pub fn address(&self, pod: &str) -> String {
        text(&self.get(&format!("pod {pod}"))["status"]["podIP"])
    }

    /// The name of the node of a pod.
    pub fn node_name(&self, pod: &str) -> String {
        text(&self.get(&format!("pod {pod}"))["spec"]["nodeName"])
    }

    /// Waits until a rollout has ended, and every old pod with it.
    pub fn rolled_out(&self) {
        let status = format!("rollout status deployment/portcullis --namespace {NAMESPACE} --timeout 2m");
        self.kubectl(&status).run().accepted();
        self.soon("every old pod has ended", Duration::from_secs(60), || {
            let list = self.get("pods --selector app.kubernetes.io/name=portcullis");
            list["items"]
                .as_array()
                .is_some_and(|pods| pods.iter().all(|pod| pod["metadata"]["deletionTimestamp"].is_null()))
        });
    }

    /// Waits until this many pods are ready, and no other is there.
    pub fn ready(&self, count: usize) -> Duration {
        self.soon(&format!("{count} pods are ready"), Duration::from_secs(90), || {
            let pods = self.pods();
            pods.len() == count && pods.iter().all(|(_, ready)| *ready)
        })
    }

    /// Waits for something. Returns how long it took.
    #[track_caller]
    pub fn soon(&self, what: &str, limit: Duration, is_so: impl FnMut() -> bool) -> Duration {
        time_until(limit, is_so).unwrap_or_else(|| panic!("waited {limit:?} in vain: {what}\n{}", self.state()))
    }

    /// The pods, and the last lines of their logs, without those of denials.
    fn state(&self) -> String {
        let pods = self.kubectl(&format!("get pods --namespace {NAMESPACE} --output wide")).run();
        let logs =
            format!("logs --namespace {NAMESPACE} --selector app.kubernetes.io/name=portcullis --tail 2000 --prefix");
        let logs = self.kubectl(&logs).run().stdout;
        let lines: Vec<&str> = logs.lines().filter(|line| !line.contains(r#""message":"denied""#)).collect();
        format!("{pods}\n{}", lines[lines.len().saturating_sub(20)..].join("\n"))
    }

    /// A page of the health endpoint of a pod, through the API server.
    pub fn health(&self, pod: &str, path: &str) -> (u16, String) {
        self.http().get(&format!("/api/v1/namespaces/{NAMESPACE}/pods/http:{pod}:8080/proxy{path}"))
    }

    /// The sum of all series of a metric of a pod.
    pub fn metric(&self, pod: &str, name: &str) -> f64 {
        let (_, metrics) = self.health(pod, "/metrics");
        let series =
            metrics.lines().filter(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' '])));
        series.filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok()).sum()
    }

    /// The CRDs, classes and namespaces that the writes of the steps need.
    pub fn prepare(&self) {
        let wanted = ["gateways.", "gatewayclasses.", "httproutes."];
        let name = |crd: &Value| text(&crd["metadata"]["name"]);
        let crds = crds(NEWEST, Channel::Standard).into_iter();
        let crds: Vec<Value> = crds.filter(|crd| wanted.iter().any(|name_| name(crd).starts_with(name_))).collect();
        let list = json!({"apiVersion": "v1", "kind": "List", "items": crds});
        self.apply(&list.to_string());
        self.kubectl("wait --for condition=Established crds --all --timeout 30s").run().accepted();
        self.apply(include_str!("prerequisites.yaml"));
    }
}

/// Helm with these values beside those that it has.
fn with_values(helm: Kubectl, values: &[&str]) -> Kubectl {
    values.iter().fold(helm, |command, value| command.arg("--set").arg(value))
}

/// A repository file, for kubectl.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn is_ready(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
    conditions.into_iter().any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}
