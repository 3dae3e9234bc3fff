//! The metadata of every stored object: labels, annotations, managed fields, and their encoding.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

/// Four labels, as a Helm chart writes them.
pub fn labels(name: &str) -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("app.kubernetes.io/instance", name.to_owned()),
        ("app.kubernetes.io/managed-by", "Helm".to_owned()),
        ("app.kubernetes.io/name", "storefront".to_owned()),
        ("helm.sh/chart", "storefront-4.11.2".to_owned()),
    ])
}

/// Four annotations that occur on objects of any kind.
pub fn annotations(name: &str) -> BTreeMap<&'static str, String> {
    let runbook = "https://runbooks.example.com/storefront?view=ingress&lang=en&section=when-the-storefront-is-slow&audience=on-call";
    BTreeMap::from([
        ("example.com/contact", "Team \"Storefront\" <storefront@example.com> & on-call".to_owned()),
        ("example.com/runbook", runbook.to_owned()),
        ("external-dns.alpha.kubernetes.io/ttl", "300".to_owned()),
        ("meta.helm.sh/release-name", name.to_owned()),
    ])
}

/// The field set of a map with all its keys.
pub fn field_set(map: &BTreeMap<&str, String>) -> Value {
    let keys = map.keys().map(|key| (format!("f:{key}"), json!({})));
    keys.chain([(".".to_owned(), json!({}))]).collect()
}

/// The annotation in which `kubectl apply` records the manifest.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The value of that annotation: the manifest with sorted keys, and a line break.
pub fn last_applied(manifest: &Value) -> String {
    go_json(manifest) + "\n"
}

/// Compact JSON as Go's encoder writes it, which escapes characters that are special in HTML.
pub fn go_json(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).expect("nothing here fails to serialize");
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}
