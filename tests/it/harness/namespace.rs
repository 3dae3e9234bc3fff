//! A namespace of a trial's own, gone with the trial.

use super::control_plane::ControlPlane;
use super::kubectl::{Kubectl, Said};
use serde_json::json;
use std::fmt;

impl ControlPlane {
    /// A new namespace whose name begins with `prefix`.
    pub fn namespace(&self, prefix: &str) -> Namespace<'_> {
        let name = self.unique(prefix);
        self.kubectl(&format!("create namespace {name}")).run().accepted();
        Namespace { control_plane: self, name }
    }
}

/// A namespace; deleted when dropped, whatever became of the trial.
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
    pub fn apply(&self, manifests: &str) -> Said {
        self.kubectl("apply -f -").stdin(manifests).run()
    }

    /// `kubectl delete` of what is named, such as `ingress/shop`.
    pub fn delete(&self, what: &str) -> Said {
        self.kubectl(&format!("delete {what}")).run()
    }

    /// The audit events of writes in this namespace, oldest first.
    pub fn audit_log(&self) -> Vec<serde_json::Value> {
        let mut events = self.control_plane.audit_log();
        events.retain(|event| event["objectRef"]["namespace"] == self.name.as_str());
        events
    }

    /// No namespace controller runs here, so what it would do is done by hand: empty the namespace, at least of what
    /// trials elsewhere can see, then take away the finalizer.
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
