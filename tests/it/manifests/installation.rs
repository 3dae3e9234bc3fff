//! The complete shipped installation with a real API server.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use base64::prelude::*;
use serde_json::{Value, json};

use crate::harness::{Callee, ControlPlane, Flavour, KubectlOutput, PortcullisServer, enforce, eventually};

/// An API server with the complete installation, and the server that its webhooks call. The API server is not shared
/// with other trials, since the webhooks are called for all namespaces.
pub struct Installation {
    pub control_plane: ControlPlane,
    server: PortcullisServer,
}

impl Installation {
    /// The installation that most trials share. It ends with the process.
    pub fn shared() -> &'static Self {
        static INSTALLED: OnceLock<Installation> = OnceLock::new();
        INSTALLED.get_or_init(|| Self::on(ControlPlane::start(Flavour::NoDefaultIngressClass), &shipped_config()))
    }

    /// Installs everything, with this configuration file: the base, then a server with a certificate of its own, and its CA and port
    /// in the webhooks, which enforce.
    pub fn on(control_plane: ControlPlane, config: &Path) -> Self {
        let base = with_external_service(documents(&rendered(&control_plane, "manifests")));
        let output = control_plane.kubectl("apply --server-side -f -").stdin(&base).run().accepted();
        assert_eq!(output.stderr, "", "the API server warns of the manifests");
        let http = control_plane.http();
        ["web", "team-b"].into_iter().for_each(|namespace| http.create_namespace(namespace));
        let kubeconfig = control_plane.installed_account("portcullis");
        let server =
            PortcullisServer::start([Path::new("--kubeconfig"), &kubeconfig, Path::new("--config"), config]).ready();

        let installed = Self { control_plane, server };
        installed.apply("web", "shop").accepted();
        installed.control_plane.kubectl("apply --server-side -f -").stdin(&list(installed.webhooks())).run().accepted();
        let list = "/apis/networking.k8s.io/v1/namespaces/team-b/ingresses";
        eventually("the API server calls Portcullis", || http.dry_run(list, &ingress("copy")).0 == 422);
        installed
    }

    /// The shipped webhook configurations with the CA and the port of the server, as an installation that enforces has them.
    pub fn webhooks(&self) -> Vec<Value> {
        let mut configurations = documents(&rendered(&self.control_plane, "manifests/webhooks"));
        for configuration in &mut configurations {
            enforce(configuration);
            for entry in configuration["webhooks"].as_array_mut().expect("a configuration has entries") {
                entry["clientConfig"]["caBundle"] = BASE64_STANDARD.encode(self.server.ca_pem()).into();
                entry["clientConfig"]["service"]["port"] = self.server.webhook.port().into();
            }
        }
        configurations
    }

    /// `kubectl apply` of an Ingress with this name. Its host and path are always the same.
    pub fn apply(&self, namespace: &str, name: &str) -> KubectlOutput {
        self.kubectl(&format!("apply --namespace={namespace} -f -"), &ingress(name))
    }

    /// Whether the server knows at least one object of this kind.
    pub fn knows(&self, plural: &str) -> bool {
        let output = self.server.readiness();
        let about = output.lines().find(|line| line.split([']', ' ']).nth(1) == Some(plural));
        about.is_some_and(|line| line.contains(" known") && !line.contains(" 0 known"))
    }

    /// kubectl as the admin, with these arguments and this input.
    pub fn kubectl(&self, words: &str, stdin: &str) -> KubectlOutput {
        self.control_plane.kubectl(words).stdin(stdin).run()
    }
}

/// `kubectl kustomize` of a folder of the repository.
pub fn rendered(control_plane: &ControlPlane, folder: &str) -> String {
    control_plane.kubectl("kustomize").arg(repository().join(folder)).run().accepted().stdout
}

/// The documents as one List, in which the Service is an external name for this machine.
pub fn with_external_service(mut documents: Vec<Value>) -> String {
    for document in documents.iter_mut().filter(|document| document["kind"] == "Service") {
        document["spec"] = json!({"type": "ExternalName", "externalName": "localhost"});
    }
    list(documents)
}

/// The documents as one List, which kubectl reads like the documents.
pub fn list(documents: Vec<Value>) -> String {
    json!({"apiVersion": "v1", "kind": "List", "items": documents}).to_string()
}

/// The documents of a YAML stream.
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

/// The shipped configuration file.
pub fn shipped_config() -> PathBuf {
    repository().join("manifests/config.yaml")
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
