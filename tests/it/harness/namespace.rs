//! A namespace that is created for a trial and deleted with it.

use super::control_plane::ControlPlane;
use super::http::Http;
use super::kubectl::{Kubectl, KubectlOutput};
use super::wait::eventually;
use axum::http::Request;
use serde_json::{Value, json};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

impl ControlPlane {
    /// A new namespace whose name begins with `prefix`.
    pub fn namespace(&self, prefix: &str) -> Namespace<'_> {
        let (http, name) = (self.http(), self.unique(prefix));
        http.create_namespace(&name);
        Namespace { control_plane: self, http, name }
    }

    /// The kubeconfig file of a new ServiceAccount `portcullis` in this namespace that has the shipped rights and no others.
    pub fn portcullis_account(&self, namespace: &str) -> PathBuf {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("manifests/rbac.yaml");
        let text = fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
        let mut rights: Vec<Value> = serde_saphyr::from_multiple(&text).expect("the shipped rights are YAML");
        for document in &mut rights {
            if document["kind"] == "ClusterRoleBinding" {
                document["metadata"]["name"] = format!("portcullis-{namespace}").into();
            }
            for place in ["/metadata/namespace", "/subjects/0/namespace"] {
                document.pointer_mut(place).into_iter().for_each(|value| *value = namespace.into());
            }
        }
        let (http, metadata) = (self.http(), json!({"namespace": namespace, "name": "portcullis"}));
        http.apply(&json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}));
        rights.iter().for_each(|object| http.apply(object));
        self.installed_account(namespace)
    }

    /// The kubeconfig file of the ServiceAccount `portcullis` in this namespace, once the shipped rights are in force for it.
    pub fn installed_account(&self, namespace: &str) -> PathBuf {
        let (http, user) = (self.http(), format!("system:serviceaccount:{namespace}:portcullis"));
        let of_cluster = json!({"verb": "list", "group": "networking.k8s.io", "resource": "ingresses"});
        let of_namespace = json!({
            "verb": "get", "group": "coordination.k8s.io", "resource": "leases", "name": "portcullis", "namespace": namespace,
        });
        for right in [of_cluster, of_namespace] {
            eventually("the rights are in force", || http.may(&user, &right));
        }
        self.kubeconfig_for(namespace, "portcullis")
    }
}

/// A namespace that is deleted when this is dropped, even if the trial fails.
pub struct Namespace<'a> {
    control_plane: &'a ControlPlane,
    http: Http,
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

    /// An object of this namespace, such as `services/shop` of `api/v1`; none if it does not exist.
    #[track_caller]
    pub fn get(&self, api: &str, object: &str) -> Option<Value> {
        self.http.object(&format!("/{api}/namespaces/{self}/{object}"))
    }

    /// Creates an Ingress, in JSON or YAML, in a dry run. Returns the status and the JSON of the response.
    pub fn dry_run(&self, ingress: &str) -> (u16, Value) {
        self.http.dry_run(&format!("/apis/networking.k8s.io/v1/namespaces/{self}/ingresses"), ingress)
    }

    /// An HTTP client of the admin.
    pub fn http(&self) -> &Http {
        &self.http
    }

    /// The kubeconfig file of a ServiceAccount `portcullis` in this namespace that has the shipped rights and no others.
    pub fn portcullis_account(&self) -> PathBuf {
        self.control_plane.portcullis_account(&self.name)
    }

    /// No namespace controller runs here, so this does its work: delete the objects, at least those that other trials
    /// can see, and remove the finalizer. A trial that has failed may have left no server.
    fn remove(&self) {
        let namespace = format!("/api/v1/namespaces/{self}");
        let ingresses = format!("/apis/networking.k8s.io/v1/namespaces/{self}/ingresses");
        for path in [ingresses, format!("{namespace}/services"), namespace.clone()] {
            let _ = self.http.try_json(Request::delete(path), String::new());
        }
        let emptied = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.name}, "spec": {"finalizers": []}});
        let _ = self.http.try_json(Request::put(format!("{namespace}/finalize")), emptied.to_string());
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
