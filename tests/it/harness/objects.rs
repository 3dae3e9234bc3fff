//! Objects of an API server by HTTP, which takes a tenth of the CPU time of a kubectl process.

use super::http::Http;
use axum::http::Request;
use serde_json::{Value, json};

impl Http {
    /// The object or list at this path; none if it does not exist.
    #[track_caller]
    pub fn object(&self, path: &str) -> Option<Value> {
        let (status, text) = self.get(path);
        assert!(matches!(status, 200 | 404), "{path}: {text}");
        (status == 200).then(|| serde_json::from_str(&text).expect("the API server answers in JSON"))
    }

    /// Creates an object or changes it to this, as `kubectl apply --server-side` does.
    #[track_caller]
    pub fn apply(&self, object: &Value) {
        let request = Request::patch(format!("{}?fieldManager=trial&force=true", path_of(object)));
        let (status, answer) = self.send_as(request, "application/apply-patch+yaml", object.to_string().into_bytes());
        assert!(matches!(status, 200 | 201), "{}", String::from_utf8_lossy(&answer));
    }

    /// Applies a JSON patch to the object at this path.
    #[track_caller]
    pub fn json_patch(&self, path: &str, operations: &Value) {
        let operations = operations.to_string().into_bytes();
        let (status, answer) = self.send_as(Request::patch(path), "application/json-patch+json", operations);
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
    }

    /// Deletes an object, which must exist and have no finalizer.
    #[track_caller]
    pub fn remove(&self, object: &Value) {
        let (status, answer) = self.delete(&path_of(object));
        assert_eq!(status, 200, "{answer}");
    }

    /// Creates an object, in JSON or YAML, in the list at this path, in a dry run. Returns the status and the JSON of the response.
    pub fn dry_run(&self, list: &str, object: &str) -> (u16, Value) {
        let request = Request::post(format!("{list}?dryRun=All"));
        let (status, answer) = self.send_as(request, "application/yaml", object.as_bytes().to_vec());
        (status, serde_json::from_slice(&answer).unwrap_or(Value::Null))
    }

    /// Creates a namespace.
    #[track_caller]
    pub fn create_namespace(&self, name: &str) {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        let (status, answer) = self.post("/api/v1/namespaces", namespace.to_string());
        assert_eq!(status, 201, "{answer}");
    }

    /// Whether RBAC allows this to a user, such as `{"verb": "list", "group": "networking.k8s.io", "resource": "ingresses"}`. The kind
    /// need not be served.
    #[track_caller]
    pub fn may(&self, user: &str, attributes: &Value) -> bool {
        let spec = json!({"user": user, "resourceAttributes": attributes});
        let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec});
        let (status, answer) = self.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review.to_string());
        assert_eq!(status, 201, "{answer}");
        answer["status"]["allowed"] == true
    }
}

/// The path of an object in the API.
pub fn path_of(object: &Value) -> String {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (version, kind, name) = (text("/apiVersion"), text("/kind").to_lowercase(), text("/metadata/name"));
    let root = if version.contains('/') { "apis" } else { "api" };
    let plural = match kind.strip_suffix("policy") {
        Some(start) => format!("{start}policies"),
        None if kind.ends_with('s') => format!("{kind}es"),
        None => format!("{kind}s"),
    };
    match text("/metadata/namespace") {
        namespace if namespace.is_empty() => format!("/{root}/{version}/{plural}/{name}"),
        namespace => format!("/{root}/{version}/namespaces/{namespace}/{plural}/{name}"),
    }
}
