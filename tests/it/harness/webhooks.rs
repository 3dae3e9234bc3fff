//! Tells the API server to call a webhook, and waits until it does.
//!
//! A configuration takes effect a moment after it is written. Each one here therefore carries a second entry, a probe,
//! that refuses a labelled ConfigMap by calling a port where nobody listens: the API server takes up a configuration as
//! a whole, so once a dry run of that ConfigMap is refused the first entry is called too, whatever it answers.

use super::control_plane::ControlPlane;
use super::wait::eventually;
use base64::prelude::*;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;

/// Something that the API server can be told to call.
pub trait Callee {
    /// Where it listens.
    fn address(&self) -> SocketAddr;

    /// What vouches for its certificate.
    fn ca_pem(&self) -> &str;

    /// Its `clientConfig` in a webhook configuration; by URL unless it stands behind a Service.
    fn client_config(&self, path: &str) -> Value {
        let url = format!("https://{}{path}", self.address());
        json!({"url": url, "caBundle": BASE64_STANDARD.encode(self.ca_pem())})
    }
}

/// A callee reached by the name of a Service, which must be of type ExternalName for `localhost`: no pods are needed
/// then.
pub struct BehindService<'a, C> {
    pub callee: &'a C,
    pub namespace: &'a str,
    pub service: &'a str,
}

impl<C: Callee> Callee for BehindService<'_, C> {
    fn address(&self) -> SocketAddr {
        self.callee.address()
    }

    fn ca_pem(&self) -> &str {
        self.callee.ca_pem()
    }

    fn client_config(&self, path: &str) -> Value {
        let service =
            json!({"namespace": self.namespace, "name": self.service, "path": path, "port": self.address().port()});
        json!({"service": service, "caBundle": BASE64_STANDARD.encode(self.ca_pem())})
    }
}

/// What the API server sends where; `/validate` and `/mutate` are each called by a configuration of its own, if there
/// are rules for it.
pub struct Webhooks {
    /// The `rules` whose objects go to `/validate`.
    pub validating: Vec<Value>,
    /// The `rules` whose objects go to `/mutate`.
    pub mutating: Vec<Value>,
    /// `Fail` or `Ignore`.
    pub failure_policy: &'static str,
    /// How long the API server waits and retries, in whole seconds.
    pub timeout: Duration,
    /// The only namespace whose objects are sent; `None` for all. Objects without a namespace are always sent.
    pub namespace: Option<String>,
    /// The only user whose writes are sent; `None` for all.
    pub user: Option<&'static str>,
}

impl Default for Webhooks {
    /// Nothing is sent yet; the rest as in the shipped manifests.
    fn default() -> Self {
        let (validating, mutating) = (Vec::new(), Vec::new());
        let timeout = Duration::from_secs(5);
        Self { validating, mutating, failure_policy: "Fail", timeout, namespace: None, user: None }
    }
}

/// A rule for Ingresses and these operations.
pub fn ingresses(operations: &[&str]) -> Value {
    json!({"apiGroups": ["networking.k8s.io"], "apiVersions": ["v1"], "resources": ["ingresses"], "operations": operations})
}

impl ControlPlane {
    /// Registers the callee and waits until the API server calls it.
    pub fn register(&self, callee: &impl Callee, webhooks: Webhooks) -> Registration<'_> {
        let mut registration = Registration { control_plane: self, configurations: Vec::new() };
        for (kind, path, rules) in [
            ("ValidatingWebhookConfiguration", "/validate", &webhooks.validating),
            ("MutatingWebhookConfiguration", "/mutate", &webhooks.mutating),
        ] {
            if !rules.is_empty() {
                registration.add(kind, webhooks.entry(rules, callee.client_config(path)));
            }
        }
        registration
    }
}

impl Webhooks {
    fn entry(&self, rules: &[Value], client_config: Value) -> Value {
        let labels = self.namespace.as_ref().map_or(json!({}), |name| json!({"kubernetes.io/metadata.name": name}));
        let by = |user| json!({"name": "user", "expression": format!("request.userInfo.username == '{user}'")});
        json!({
            "name": "gate.portcullis.dev",
            "rules": rules,
            "clientConfig": client_config,
            "failurePolicy": self.failure_policy,
            "timeoutSeconds": self.timeout.as_secs(),
            "namespaceSelector": {"matchLabels": labels},
            "matchConditions": self.user.into_iter().map(by).collect::<Vec<_>>(),
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        })
    }
}

/// Webhook configurations that are in effect; taken away again when dropped, and no longer in effect then.
#[must_use = "the configurations go when this is dropped"]
pub struct Registration<'a> {
    control_plane: &'a ControlPlane,
    configurations: Vec<Configuration>,
}

/// A webhook configuration by kind and name; its name is also the label of its probe.
struct Configuration {
    kind: &'static str,
    name: String,
}

impl Registration<'_> {
    /// Takes the configurations away and waits until the API server has stopped calling.
    pub fn unregister(self) {
        drop(self);
    }

    fn add(&mut self, kind: &'static str, entry: Value) {
        let name = self.control_plane.unique("trial");
        let body = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name},
            "webhooks": [entry, probe_entry(&name)],
        });
        self.control_plane.apply(&body.to_string()).accepted();
        self.configurations.push(Configuration { kind, name: name.clone() });
        eventually("the API server calls the webhook", || self.control_plane.probe_is_refused(&name));
    }
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        for Configuration { kind, name } in &self.configurations {
            self.control_plane.delete(&format!("{kind}/{name}"));
        }
        // A trial that failed has said why; a second panic here would end the whole run.
        if !std::thread::panicking() {
            let no_longer = |it: &Configuration| !self.control_plane.probe_is_refused(&it.name);
            eventually("the API server stops calling the webhook", || self.configurations.iter().all(no_longer));
        }
    }
}

fn probe_entry(label: &str) -> Value {
    json!({
        "name": "probe.portcullis.dev",
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["CREATE"]}],
        "objectSelector": {"matchLabels": {"portcullis.dev/probe": label}},
        "clientConfig": {"url": "https://127.0.0.1:1/nobody-listens-here"},
        "failurePolicy": "Fail",
        "timeoutSeconds": 1,
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    })
}

impl ControlPlane {
    fn probe_is_refused(&self, label: &str) -> bool {
        let metadata = json!({"name": "probe", "namespace": "default", "labels": {"portcullis.dev/probe": label}});
        let probe = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
        let said = self.kubectl("create --dry-run=server -f -").stdin(&probe.to_string()).run();
        said.stderr.contains("probe.portcullis.dev")
    }
}
