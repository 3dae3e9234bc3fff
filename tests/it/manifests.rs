//! The shipped manifests on a real API server, unchanged but for two things: no pods run here, so the Service leads to
//! this machine by name, and the webhooks to the port on which the gate listens.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use base64::prelude::*;
use libtest_mimic::Trial;
use portcullis::kinds::Kind;
use serde_json::{Value, json};

use crate::harness::{Callee, ControlPlane, Flavour, Gate, Said, eventually, on_cluster};

pub fn trials() -> Vec<Trial> {
    vec![
        on_cluster("manifests::another_teams_path_is_refused", another_teams_path_is_refused),
        on_cluster("manifests::the_default_class_is_filled_in", the_default_class_is_filled_in),
        on_cluster("manifests::namespaces_left_out_do_without_the_gate", namespaces_left_out_do_without_the_gate),
        on_cluster("manifests::all_defaults_of_the_webhooks_are_written_out", all_defaults_are_written_out),
        on_cluster("manifests::the_pods_satisfy_the_restricted_level", the_pods_satisfy_the_restricted_level),
        on_cluster("manifests::the_account_may_read_our_kinds_only", the_account_may_read_our_kinds_only),
        on_cluster("manifests::no_webhook_is_rendered_without_an_authority", no_webhook_without_an_authority),
    ]
}

const ACCOUNT: &str = "system:serviceaccount:portcullis:portcullis";

/// What the account must not do: what other controllers may, and any write.
const FORBIDDEN: [&str; 10] = [
    "get secrets",
    "list secrets --namespace=portcullis",
    "get configmaps --namespace=portcullis",
    "list pods",
    "create events",
    "update ingresses",
    "patch ingresses --subresource=status",
    "create leases --namespace=portcullis",
    "patch validatingwebhookconfigurations",
    "list customresourcedefinitions",
];

/// An API server with everything installed, and the gate that its webhooks lead to. The server is no other trial's,
/// since the webhooks are called for every namespace.
struct Installation {
    cp: ControlPlane,
    gate: Gate,
}

impl Installation {
    /// The one that all trials here share; it ends with the process.
    fn shared() -> &'static Self {
        static INSTALLED: OnceLock<Installation> = OnceLock::new();
        INSTALLED.get_or_init(Self::new)
    }

    /// In the order of `just install`: the gate until it is ready, then what calls it.
    fn new() -> Self {
        let cp = ControlPlane::start(Flavour::NoDefaultIngressClass);
        let base = with_external_service(documents(&rendered(&cp, "manifests")));
        let said = cp.kubectl("apply --server-side -f -").stdin(&base).run().accepted();
        assert_eq!(said.stderr, "", "the API server warns of the manifests");
        for namespace in ["web", "team-b"] {
            cp.kubectl(&format!("create namespace {namespace}")).run().accepted();
        }
        let kubeconfig = cp.kubeconfig_for("portcullis", "portcullis");
        let gate = Gate::start([Path::new("--kubeconfig"), &kubeconfig, Path::new("--config"), &config()]).ready();

        let installed = Self { cp, gate };
        installed.apply("web", "shop").accepted();
        installed.cp.kubectl("apply --server-side -f -").stdin(&installed.webhooks()).run().accepted();
        eventually("the API server calls the gate", || !installed.apply("team-b", "copy").succeeded());
        installed
    }

    /// The shipped webhooks with the gate's authority, put in as `just install` does, and with the gate's port.
    fn webhooks(&self) -> String {
        let authority = BASE64_STANDARD.encode(self.gate.ca_pem());
        let output = with_ca_bundle(&rendered(&self.cp, "manifests/webhooks"), &authority);
        let text = String::from_utf8(output.stdout).expect("awk passes UTF-8 on");
        text.replace("port: 443", &format!("port: {}", self.gate.webhook.port()))
    }

    /// `kubectl apply` of an Ingress with this name, always for the same host and path.
    fn apply(&self, namespace: &str, name: &str) -> Said {
        self.kubectl(&format!("apply --namespace={namespace} -f -"), &ingress(name))
    }

    fn kubectl(&self, words: &str, stdin: &str) -> Said {
        self.cp.kubectl(words).stdin(stdin).run()
    }
}

fn another_teams_path_is_refused() {
    let said = Installation::shared().apply("team-b", "copy");
    said.refused_with(
        "path /cart on shop.example.com is already served by Ingress web/shop (class public) [host/path-conflict]",
    );
}

fn the_default_class_is_filled_in() {
    let installed = Installation::shared();
    let class = json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "IngressClass", "spec": {"controller": "example.com/edge"},
        "metadata": {"name": "only", "annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}},
    });
    installed.kubectl("apply -f -", &class.to_string()).accepted();
    let classless = ingress("blog").replace(r#""ingressClassName":"public","#, "").replace("shop.", "blog.");
    let creation = "create --dry-run=server --namespace=web --output=jsonpath={.spec.ingressClassName} -f -";
    eventually("the gate fills in the class", || installed.kubectl(creation, &classless).accepted().stdout == "only");
}

fn namespaces_left_out_do_without_the_gate() {
    let installed = Installation::shared();
    for namespace in ["kube-system", "portcullis"] {
        let creation = format!("create --dry-run=server --namespace={namespace} -f -");
        installed.kubectl(&creation, &ingress("copy")).accepted();
    }
}

fn all_defaults_are_written_out() {
    let installed = Installation::shared();
    for written in documents(&installed.webhooks()) {
        let kind = written["kind"].as_str().expect("a manifest has a kind");
        let stored = installed.cp.kubectl(&format!("get {kind} portcullis --output=json")).run().accepted().stdout;
        let stored: Value = serde_json::from_str(&stored).expect("kubectl prints JSON");
        assert_eq!(
            stored["webhooks"], written["webhooks"],
            "the API server has added to manifests/webhooks: write it out"
        );
    }
}

fn the_pods_satisfy_the_restricted_level() {
    let installed = Installation::shared();
    let base = documents(&rendered(&installed.cp, "manifests"));
    let deployment = base.iter().find(|document| document["kind"] == "Deployment").expect("there is a Deployment");
    let mut pod = deployment["spec"]["template"].clone();
    (pod["apiVersion"], pod["kind"]) = ("v1".into(), "Pod".into());
    (pod["metadata"]["name"], pod["metadata"]["namespace"]) = ("portcullis".into(), "portcullis".into());
    let create = |pod: &Value| installed.kubectl("create --dry-run=server -f -", &pod.to_string());

    create(&pod).accepted();
    pod["spec"]["securityContext"] = json!({});
    create(&pod).refused_with("violates PodSecurity \"restricted");
}

fn the_account_may_read_our_kinds_only() {
    let cp = &Installation::shared().cp;
    for api in Kind::ALL.map(Kind::api) {
        for verb in ["get", "list", "watch"] {
            assert!(may(cp, verb, api.group, api.plural, ""), "{verb} {}", api.plural);
        }
    }
    for api in Kind::ALL.into_iter().filter(|kind| kind.is_gateway_api()).map(Kind::api) {
        let name = format!("{}.{}", api.plural, api.group);
        assert!(may(cp, "get", "apiextensions.k8s.io", "customresourcedefinitions", &name), "{name}");
    }
    assert!(!may(cp, "get", "apiextensions.k8s.io", "customresourcedefinitions", "widgets.example.com"));
    let answer = |words: &str| cp.kubectl(&format!("auth can-i {words}")).acting_as(ACCOUNT).run().stdout;
    for words in FORBIDDEN {
        assert_eq!(answer(words), "no\n", "{words}");
    }
}

/// Whether the account may do this in all namespaces. kubectl would have to know the kind, which need not be served.
fn may(cp: &ControlPlane, verb: &str, group: &str, resource: &str, name: &str) -> bool {
    let attributes = json!({"verb": verb, "group": group, "resource": resource, "name": name});
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": {"user": ACCOUNT, "resourceAttributes": attributes},
    });
    let (status, answer) = cp.http().post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review.to_string());
    assert_eq!(status, 201, "{answer}");
    answer["status"]["allowed"] == true
}

fn no_webhook_without_an_authority() {
    let output = with_ca_bundle(&rendered(&Installation::shared().cp, "manifests/webhooks"), "");
    assert_eq!((output.status.success(), output.stdout.as_slice()), (false, &b""[..]));
}

/// `kubectl kustomize` of a folder of the repository.
fn rendered(cp: &ControlPlane, folder: &str) -> String {
    cp.kubectl("kustomize").arg(repository().join(folder)).run().accepted().stdout
}

/// The program between `kubectl kustomize` and `kubectl apply` in `just install`.
fn with_ca_bundle(rendered: &str, authority: &str) -> Output {
    let mut awk = Command::new("awk");
    awk.args(["-v", &format!("ca={authority}"), "-f"]).arg(repository().join("manifests/webhooks/ca-bundle.awk"));
    let mut awk = awk.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("awk is on the PATH");
    // Without an authority it ends before it has read anything.
    let _ = awk.stdin.take().expect("its input is piped").write_all(rendered.as_bytes());
    awk.wait_with_output().expect("a child of ours can be waited for")
}

/// The documents as one List, in which the Service is a name for this machine.
fn with_external_service(mut documents: Vec<Value>) -> String {
    for document in documents.iter_mut().filter(|document| document["kind"] == "Service") {
        document["spec"] = json!({"type": "ExternalName", "externalName": "localhost"});
    }
    json!({"apiVersion": "v1", "kind": "List", "items": documents}).to_string()
}

fn documents(yaml: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(yaml).expect("kustomize prints YAML")
}

fn ingress(name: &str) -> String {
    let backend = json!({"service": {"name": "cart", "port": {"number": 80}}});
    let path = json!({"path": "/cart", "pathType": "Prefix", "backend": backend});
    let rule = json!({"host": "shop.example.com", "http": {"paths": [path]}});
    let spec = json!({"ingressClassName": "public", "rules": [rule]});
    json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": name}, "spec": spec})
        .to_string()
}

fn config() -> std::path::PathBuf {
    repository().join("manifests/config.yaml")
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
