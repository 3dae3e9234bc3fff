//! A namespace that is created for a trial and deleted with it.

use super::control_plane::ControlPlane;
use super::kubectl::{Kubectl, KubectlOutput};
use serde_json::{Value, json};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

impl ControlPlane {
    /// A new namespace whose name begins with `prefix`.
    pub fn namespace(&self, prefix: &str) -> Namespace<'_> {
        let name = self.unique(prefix);
        self.kubectl(&format!("create namespace {name}")).run().accepted();
        Namespace { control_plane: self, name }
    }
}

/// A namespace that is deleted when this is dropped, even if the trial fails.
pub struct Namespace<'a> {
    control_plane: &'a ControlPlane,
    name: String,
}

impl Namespace<'_> {
    /// kubectl as the admin, in this namespace.
    pub fn kubectl(&self, words: &str) -> Kubectl {
        self.control_plane.kubectl(words).arg(format!("--namespace={self}"))
    }

    /// `kubectl apply` of these manifests.
    pub fn apply(&self, manifests: &str) -> KubectlOutput {
        self.kubectl("apply -f -").stdin(manifests).run()
    }

    /// `kubectl delete` of an object, such as `ingress/shop`.
    pub fn delete(&self, what: &str) -> KubectlOutput {
        self.kubectl(&format!("delete {what}")).run()
    }

    /// The audit events of writes in this namespace, oldest first.
    pub fn audit_log(&self) -> Vec<serde_json::Value> {
        let mut events = self.control_plane.audit_log();
        events.retain(|event| event["objectRef"]["namespace"] == self.name.as_str());
        events
    }

    /// The kubeconfig file of a ServiceAccount `portcullis` in this namespace that has the shipped rights and no others.
    pub fn portcullis_account(&self) -> PathBuf {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("manifests/rbac.yaml");
        let text = fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
        let mut rights: Vec<Value> = serde_saphyr::from_multiple(&text).expect("the shipped rights are YAML");
        for document in &mut rights {
            if document["kind"] == "ClusterRoleBinding" {
                document["metadata"]["name"] = format!("portcullis-{self}").into();
            }
            for place in ["/metadata/namespace", "/subjects/0/namespace"] {
                document.pointer_mut(place).into_iter().for_each(|namespace| *namespace = self.name.clone().into());
            }
        }
        self.kubectl("create serviceaccount portcullis").run().accepted();
        let list = json!({"apiVersion": "v1", "kind": "List", "items": rights}).to_string();
        let applied = self.control_plane.apply(&list);
        // Trials share the ClusterRole, and kubectl fails if two of them create it at once.
        let was_created = applied.stderr.contains("(AlreadyExists)");
        let applied = if was_created { self.control_plane.apply(&list) } else { applied };
        applied.accepted();
        self.control_plane.kubeconfig_for(&self.name, "portcullis")
    }

    /// No namespace controller runs here, so this does its work: delete the objects, at least those that other trials
    /// can see, and remove the finalizer.
    fn remove(&self) {
        self.kubectl("delete ingresses,services --all --wait=false").run();
        self.control_plane.kubectl(&format!("delete namespace {self} --wait=false")).run();
        let emptied = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.name}, "spec": {"finalizers": []}});
        let finalize = self.control_plane.kubectl(&format!("replace --raw /api/v1/namespaces/{self}/finalize -f -"));
        finalize.stdin(&emptied.to_string()).run();
    }
}

impl fmt::Display for Namespace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Drop for Namespace<'_> {
    fn drop(&mut self) {
        self.remove();
    }
}
