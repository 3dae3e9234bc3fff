//! Everything that is shipped, installed before a real API server.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use base64::prelude::*;
use serde_json::{Value, json};

use crate::harness::{Callee, ControlPlane, Flavour, PortcullisServer, Said, eventually};

/// An API server with everything installed, and the gate that its webhooks lead to. The server is no other trial's,
/// since the webhooks are called for every namespace.
pub struct Installation {
    pub cp: ControlPlane,
    gate: PortcullisServer,
}

impl Installation {
    /// The one that most trials here share; it ends with the process.
    pub fn shared() -> &'static Self {
        static INSTALLED: OnceLock<Installation> = OnceLock::new();
        INSTALLED.get_or_init(|| Self::on(ControlPlane::start(Flavour::NoDefaultIngressClass), &shipped_config()))
    }

    /// In the order of `just install`, with a configuration's file: the gate until it is ready, then what calls it.
    pub fn on(cp: ControlPlane, config: &Path) -> Self {
        let base = with_external_service(documents(&rendered(&cp, "manifests")));
        let said = cp.kubectl("apply --server-side -f -").stdin(&base).run().accepted();
        assert_eq!(said.stderr, "", "the API server warns of the manifests");
        for namespace in ["web", "team-b"] {
            cp.kubectl(&format!("create namespace {namespace}")).run().accepted();
        }
        let kubeconfig = cp.kubeconfig_for("portcullis", "portcullis");
        let gate =
            PortcullisServer::start([Path::new("--kubeconfig"), &kubeconfig, Path::new("--config"), config]).ready();

        let installed = Self { cp, gate };
        installed.apply("web", "shop").accepted();
        installed.cp.kubectl("apply --server-side -f -").stdin(&installed.webhooks()).run().accepted();
        eventually("the API server calls the gate", || !installed.apply("team-b", "copy").succeeded());
        installed
    }

    /// The shipped webhooks with the gate's authority, put in as `just install` does, and with the gate's port.
    pub fn webhooks(&self) -> String {
        let authority = BASE64_STANDARD.encode(self.gate.ca_pem());
        let output = with_ca_bundle(&rendered(&self.cp, "manifests/webhooks"), &authority);
        let text = String::from_utf8(output.stdout).expect("awk passes UTF-8 on");
        text.replace("port: 443", &format!("port: {}", self.gate.webhook.port()))
    }

    /// `kubectl apply` of an Ingress with this name, always for the same host and path.
    pub fn apply(&self, namespace: &str, name: &str) -> Said {
        self.kubectl(&format!("apply --namespace={namespace} -f -"), &ingress(name))
    }

    /// Whether the gate knows at least one object of this kind.
    pub fn knows(&self, plural: &str) -> bool {
        let (_, said) = self.gate.health().get("/readyz?verbose");
        let about = said.lines().find(|line| line.split([']', ' ']).nth(1) == Some(plural));
        about.is_some_and(|line| line.contains(" known") && !line.contains(" 0 known"))
    }

    /// kubectl as the admin, with these words and this input.
    pub fn kubectl(&self, words: &str, stdin: &str) -> Said {
        self.cp.kubectl(words).stdin(stdin).run()
    }
}

/// `kubectl kustomize` of a folder of the repository.
pub fn rendered(cp: &ControlPlane, folder: &str) -> String {
    cp.kubectl("kustomize").arg(repository().join(folder)).run().accepted().stdout
}

/// The program between `kubectl kustomize` and `kubectl apply` in `just install`.
pub fn with_ca_bundle(rendered: &str, authority: &str) -> Output {
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

/// The documents of a stream of YAML.
pub fn documents(yaml: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(yaml).expect("kustomize prints YAML")
}

/// An Ingress with this name, as JSON.
pub fn ingress(name: &str) -> String {
    let backend = json!({"service": {"name": "cart", "port": {"number": 80}}});
    let path = json!({"path": "/cart", "pathType": "Prefix", "backend": backend});
    let rule = json!({"host": "shop.example.com", "http": {"paths": [path]}});
    let spec = json!({"ingressClassName": "public", "rules": [rule]});
    json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": name}, "spec": spec})
        .to_string()
}

/// The configuration's file as it is shipped.
pub fn shipped_config() -> PathBuf {
    repository().join("manifests/config.yaml")
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
