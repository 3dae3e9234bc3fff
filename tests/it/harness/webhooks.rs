//! Registers the shipped webhook configurations, and waits until the API server calls them.
//!
//! Entries, rules, operations, conditions, policies and timeouts are those of manifests/webhooks. A trial changes the
//! address. Where trials share a server, it also adds a condition, so that their webhooks do not review objects of
//! other trials.
//!
//! A configuration takes effect a moment after it is written. So each one here has an additional entry, a probe, which
//! refuses a labeled ConfigMap by calling a port on which no server listens. The API server applies a configuration as
//! a whole, so once a dry run of that ConfigMap is refused, the other entries are called, too.

use super::control_plane::ControlPlane;
use super::wait::eventually;
use base64::prelude::*;
use portcullis::manifests::enforced_entries;
use serde_json::{Value, json};
use std::fs;
use std::net::SocketAddr;
use std::path::Path;

/// A webhook that the API server can call.
pub trait Callee {
    /// The address on which it listens.
    fn address(&self) -> SocketAddr;

    /// The CA of its certificate.
    fn ca_pem(&self) -> &str;

    /// Its `clientConfig` in a webhook configuration. It contains a URL unless the webhook is behind a Service.
    fn client_config(&self, path: &str) -> Value {
        let url = format!("https://{}{path}", self.address());
        json!({"url": url, "caBundle": BASE64_STANDARD.encode(self.ca_pem())})
    }
}

/// A webhook behind a Service, which must have the type ExternalName for `localhost`, so that no pods are needed.
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

/// How long the API server waits for a server, since a debug build on a busy machine may be slow: the longest time that it allows.
const WAITED_SECONDS: u32 = 30;

/// The shipped configurations to register, and the writes for which the webhooks are called.
#[derive(Debug, Clone)]
pub struct Webhooks {
    files: &'static [&'static str],
    condition: Option<String>,
    timeout_seconds: Option<u32>,
    is_enforced: bool,
}

impl Webhooks {
    /// The validating configuration, for all writes in its rules.
    pub fn validating() -> Self {
        Self::of(&["validating.yaml"])
    }

    /// The mutating configuration.
    pub fn mutating() -> Self {
        Self::of(&["mutating.yaml"])
    }

    /// Both configurations.
    pub fn all() -> Self {
        Self::of(&["validating.yaml", "mutating.yaml"])
    }

    fn of(files: &'static [&'static str]) -> Self {
        Self { files, condition: None, timeout_seconds: Some(WAITED_SECONDS), is_enforced: true }
    }

    /// Restricts the webhooks to writes in this namespace.
    pub fn in_namespace(self, name: &str) -> Self {
        self.only(format!("request.?namespace.orValue('') == '{name}'"))
    }

    /// Restricts the webhooks to writes of cluster-scoped objects.
    pub fn of_cluster_scope(self) -> Self {
        self.in_namespace("")
    }

    /// Restricts the webhooks to writes by this user.
    pub fn by_user(self, name: &str) -> Self {
        self.only(format!("request.userInfo.username == '{name}'"))
    }

    /// Sets the timeout of the webhooks.
    pub fn within_seconds(self, seconds: u32) -> Self {
        Self { timeout_seconds: Some(seconds), ..self }
    }

    /// Leaves the timeouts as they are shipped.
    pub fn with_shipped_timeout(self) -> Self {
        Self { timeout_seconds: None, ..self }
    }

    /// Leaves the policies as they are shipped, so that a write is admitted if no server answers.
    pub fn unenforced(self) -> Self {
        Self { is_enforced: false, ..self }
    }

    fn only(self, condition: String) -> Self {
        Self { condition: Some(condition), ..self }
    }

    /// The shipped configurations with these changes.
    fn configurations(&self, callee: &impl Callee) -> impl Iterator<Item = Value> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("manifests/webhooks");
        self.files.iter().map(move |file| {
            let text = fs::read_to_string(folder.join(file)).unwrap_or_else(|why| panic!("{file}: {why}"));
            let mut configuration: Value =
                serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
            if self.is_enforced {
                enforce(&mut configuration);
            }
            let entries = configuration["webhooks"].as_array_mut().expect("a configuration has entries");
            entries.iter_mut().for_each(|entry| self.adapt(entry, callee));
            configuration
        })
    }

    fn adapt(&self, entry: &mut Value, callee: &impl Callee) {
        let path = entry["clientConfig"]["service"]["path"].as_str().expect("a shipped entry calls a Service");
        entry["clientConfig"] = callee.client_config(path);
        if let Some(seconds) = self.timeout_seconds {
            entry["timeoutSeconds"] = seconds.into();
        }
        if let Some(expression) = &self.condition {
            let shipped = entry["matchConditions"].as_array().cloned().unwrap_or_default();
            let own = json!({"name": "of-this-trial", "expression": expression});
            entry["matchConditions"] = shipped.into_iter().chain([own]).collect();
        }
    }
}

/// Sets `failurePolicy: Fail` where an installation that enforces has it, so that a call that fails never looks like an approval.
pub fn enforce(configuration: &mut Value) {
    let enforced: Vec<String> = enforced_entries().collect();
    let entries = configuration["webhooks"].as_array_mut().expect("a configuration has entries");
    for entry in entries.iter_mut().filter(|entry| enforced.iter().any(|name| entry["name"] == name.as_str())) {
        entry["failurePolicy"] = "Fail".into();
    }
}

impl ControlPlane {
    /// Registers the webhook and waits until the API server calls it.
    pub fn register(&self, callee: &impl Callee, webhooks: Webhooks) -> Registration<'_> {
        let mut registration = Registration { control_plane: self, configurations: Vec::new() };
        webhooks.configurations(callee).for_each(|configuration| registration.add(configuration));
        registration
    }

    /// Waits until the API server knows that no webhook is registered: it learns of configurations in the order in which they change.
    pub(super) fn wait_until_no_webhook_is_called(&self) {
        let mut registration = Registration { control_plane: self, configurations: Vec::new() };
        for kind in ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"] {
            let version = "admissionregistration.k8s.io/v1";
            registration.add(json!({"apiVersion": version, "kind": kind, "metadata": {}, "webhooks": []}));
        }
    }
}

/// Webhook configurations that are in effect. Dropping this deletes them and waits until they are no longer in effect.
#[must_use = "the configurations go when this is dropped"]
pub struct Registration<'a> {
    control_plane: &'a ControlPlane,
    configurations: Vec<Configuration>,
}

/// The kind and name of a webhook configuration. The name is also the label of its probe.
struct Configuration {
    kind: String,
    name: String,
}

impl Registration<'_> {
    /// Deletes the configurations and waits until the API server no longer calls the webhook.
    pub fn unregister(self) {
        drop(self);
    }

    /// The name of the first configuration.
    pub fn name(&self) -> &str {
        &self.configurations.first().expect("there is a configuration").name
    }

    fn add(&mut self, mut configuration: Value) {
        let kind = configuration["kind"].as_str().expect("a configuration has a kind").to_owned();
        let name = self.control_plane.unique("trial");
        configuration["metadata"]["name"] = name.clone().into();
        configuration["webhooks"].as_array_mut().expect("a configuration has entries").push(probe_entry(&name));
        self.control_plane.apply(&configuration.to_string()).accepted();
        self.configurations.push(Configuration { kind, name: name.clone() });
        eventually("the API server calls the webhook", || self.control_plane.probe_is_refused(&name));
    }
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        for Configuration { kind, name } in &self.configurations {
            self.control_plane.delete(&format!("{kind}/{name}"));
        }
        // If the trial has failed, its panic is reported already. A second one would abort the whole run.
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
        let (_, answer) = self.http().post("/api/v1/namespaces/default/configmaps?dryRun=All", probe.to_string());
        answer["message"].as_str().is_some_and(|message| message.contains("probe.portcullis.dev"))
    }
}
