//! What an API server has stored, read and restored in its etcd, from where the API server notices each change.

use super::assets::{program, spawn};
use super::http::Http;
use base64::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Child;

/// What the API server writes by itself while it runs, and what it derives from its CRDs.
const OWN: [&str; 5] = [
    "/registry/apiregistration.k8s.io/",
    "/registry/configmaps/kube-system/",
    "/registry/leases/kube-system/",
    "/registry/masterleases/",
    "/registry/peerserverleases/",
];

/// The values of all objects by their keys, as etcd has them.
pub(super) type Stored = BTreeMap<String, Vec<u8>>;

/// Starts an etcd that listens on this port of 127.0.0.1 and keeps its data and its log in `folder`.
pub(super) fn start(folder: &Path, port: u16) -> Child {
    let url = format!("http://127.0.0.1:{port}");
    let mut etcd = program("etcd");
    etcd.arg("--data-dir").arg(folder.join("etcd")).args([
        "--listen-client-urls",
        &url,
        "--advertise-client-urls",
        &url,
    ]);
    etcd.args(["--listen-peer-urls", "http://127.0.0.1:0", "--unsafe-no-fsync", "--log-level", "error"]);
    spawn(etcd, folder.join("etcd.log"))
}

/// The etcd of one API server.
pub(super) struct Etcd {
    http: Http,
}

impl Etcd {
    /// The etcd that listens on this port of 127.0.0.1.
    pub fn at(port: u16) -> Self {
        Self { http: Http::new(&format!("http://127.0.0.1:{port}"), "") }
    }

    /// All objects but those of the API server itself.
    pub fn stored(&self) -> Stored {
        let answer = self.post("range", &json!({"key": encoded("/registry/"), "range_end": encoded("/registry0")}));
        let pairs = answer["kvs"].as_array().into_iter().flatten();
        let decoded =
            |value: &Value| BASE64_STANDARD.decode(value.as_str().unwrap_or_default()).expect("etcd answers in base64");
        let pairs = pairs.map(|pair| {
            let key = String::from_utf8(decoded(&pair["key"])).expect("keys of an API server are text");
            (key, decoded(&pair["value"]))
        });
        pairs.filter(|(key, _)| !OWN.iter().any(|own| key.starts_with(own))).collect()
    }

    /// Deletes each object that is not in `initial`, and restores those that are in it. Returns what was deleted.
    pub fn restore(&self, initial: &Stored) -> Stored {
        let stored = self.stored();
        for (key, value) in initial.iter().filter(|(key, value)| stored.get(*key) != Some(value)) {
            self.post("put", &json!({"key": encoded(key), "value": encoded(value)}));
        }
        let extra: Stored = stored.into_iter().filter(|(key, _)| !initial.contains_key(key)).collect();
        extra.keys().for_each(|key| drop(self.post("deleterange", &json!({"key": encoded(key)}))));
        extra
    }

    fn post(&self, method: &str, body: &Value) -> Value {
        let (status, answer) = self.http.post(&format!("/v3/kv/{method}"), body.to_string());
        assert_eq!(status, 200, "{answer}");
        answer
    }
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    BASE64_STANDARD.encode(bytes)
}
