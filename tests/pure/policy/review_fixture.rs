//! A review and its response.

use std::sync::Arc;

use jiff::Timestamp;
use portcullis_core::cluster::{Cluster, Event, Facts, SharedCluster, SyncState};
use portcullis_core::kinds::Kind;
use portcullis_core::review::{ReviewError, Reviewer};
use portcullis_testing::config::plan;
use portcullis_testing::pages::{manifests, today};
use serde_json::{Value, json};

/// A review by the user `alice` of the creation of an object, or of an update if there is an old object.
pub struct Review<'a> {
    /// The configuration without its first two lines.
    pub config: &'a str,
    /// The object under review.
    pub object: &'a str,
    /// The object before the update.
    pub old: Option<&'a str>,
    /// The other objects of the cluster.
    pub rest: &'a str,
    /// The sync state of Namespaces.
    pub namespaces: SyncState,
    /// The sync state of Ingresses. All other kinds are completely known.
    pub ingresses: SyncState,
    pub groups: &'a [&'a str],
    /// The `extra` field of the user.
    pub extra: Value,
    pub now: Timestamp,
}

impl Default for Review<'_> {
    fn default() -> Self {
        let [namespaces, ingresses] = [SyncState::Complete; 2];
        let (extra, now) = (Value::Null, today());
        Self { config: "", object: "", old: None, rest: "", namespaces, ingresses, groups: &[], extra, now }
    }
}

/// The `response` of the AdmissionReview.
#[derive(Debug)]
pub struct Response(pub Value);

impl Response {
    /// The messages of the causes of a denial.
    pub fn denials(&self) -> Vec<&str> {
        let causes = self.0["status"]["details"]["causes"].as_array();
        causes.into_iter().flatten().filter_map(|cause| cause["message"].as_str()).collect()
    }

    pub fn warnings(&self) -> Vec<&str> {
        self.0["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    }
}

impl Review<'_> {
    pub fn response(&self) -> Response {
        self.try_response().expect("everything that decides is known")
    }

    /// The response, or an error if the review must be retried.
    pub fn try_response(&self) -> Result<Response, ReviewError> {
        let mut cluster = Cluster::with(SyncState::Complete);
        cluster.apply(Event::SyncState(Kind::Namespace, self.namespaces));
        cluster.apply(Event::SyncState(Kind::Ingress, self.ingresses));
        for manifest in manifests(self.rest) {
            cluster.apply(Event::Apply(Facts::of(&manifest.object().expect("a manifest of ours can be read"))));
        }
        let reviewer = Reviewer::new(plan(self.config), Arc::new(SharedCluster::new(cluster)));
        let response = reviewer.validate(self.body().to_string().as_bytes(), self.now)?;
        let mut response: Value = serde_json::from_slice(&response.body).expect("an answer is JSON");
        Ok(Response(response["response"].take()))
    }

    fn body(&self) -> Value {
        let object =
            |yaml: &str| -> Value { serde_json::from_str(&manifests(yaml)[0].json).expect("a manifest is JSON") };
        let object_ref = &manifests(self.object)[0].object_ref;
        let api = object_ref.kind.api();
        let kind = json!({"group": api.group, "version": api.versions[0], "kind": api.kind});
        let mut request = json!({
            "uid": "1", "kind": kind, "namespace": object_ref.namespace, "name": object_ref.name, "operation": "CREATE",
            "userInfo": {"username": "alice", "groups": self.groups, "extra": self.extra}, "object": object(self.object),
        });
        if let Some(old) = self.old {
            request["operation"] = "UPDATE".into();
            request["oldObject"] = object(old);
        }
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})
    }
}

/// An Ingress of class `nginx` with one host, one prefix and additional metadata.
pub fn ingress(object_ref: &str, metadata: &str, host: &str, path: &str) -> String {
    let (namespace, name) = object_ref.split_once('/').expect("a place is namespace/name");
    format!(
        r#"
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{namespace: {namespace}, name: {name}, {metadata}}}
spec:
  ingressClassName: nginx
  rules:
  - host: "{host}"
    http: {{paths: [{{path: "{path}", pathType: Prefix, backend: {{service: {{name: cart, port: {{number: 80}}}}}}}}]}}
"#
    )
}

/// The objects that [`ingress`] needs to have no findings in the namespaces of the tests.
pub const SOUND: &str = r"
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: nginx}
---
apiVersion: v1
kind: Service
metadata: {namespace: web, name: cart}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Namespace
metadata: {name: web, labels: {team: shop}}
";
