//! The files that a kube-apiserver reads at its start.

use portcullis::tls::authority;
use serde_json::json;
use std::fs;
use std::path::Path;

/// The common name of the certificate that the API server presents to webhooks that request one.
pub const WEBHOOK_CLIENT: &str = "kube-apiserver";

/// Writes the admin's token, the audit policy (without what the API server writes by itself, such as its own Lease), and
/// the key that signs ServiceAccount tokens.
pub fn write_inputs(folder: &Path) {
    write_webhook_client(folder);
    let writes = ["create", "update", "patch", "delete"];
    let policy = json!({
        "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
        "rules": [
            {"level": "None", "users": ["system:apiserver"]},
            {"level": "Request", "verbs": writes, "resources": [{"group": "coordination.k8s.io", "resources": ["leases"]}]},
            {"level": "Metadata", "verbs": writes}, {"level": "None"},
        ],
    });
    let key = rcgen::KeyPair::generate().expect("a P-256 key");
    let inputs = [
        ("tokens.csv", "admin,admin,admin,system:masters\n".to_owned()),
        ("audit-policy.json", policy.to_string()),
        ("token.key", key.serialize_pem()),
        ("token.pub", key.public_key_pem()),
    ];
    for (name, content) in inputs {
        fs::write(folder.join(name), content).expect("our folder is writable");
    }
}

/// Writes the client certificate of the API server and its admission configuration as in docs/access.md, but for
/// webhooks of any name.
fn write_webhook_client(folder: &Path) {
    let clients = folder.join("clients");
    authority::ensure(&clients, &[]).expect("our folder is writable");
    let client = authority::issue_client(&clients, WEBHOOK_CLIENT).expect("our folder is writable");
    let user = json!({"client-certificate": client.certificate, "client-key": client.key});
    let kubeconfig = json!({"apiVersion": "v1", "kind": "Config", "users": [{"name": "*", "user": user}]});
    let configuration = json!({
        "apiVersion": "apiserver.config.k8s.io/v1", "kind": "WebhookAdmissionConfiguration",
        "kubeConfigFile": folder.join("webhooks.kubeconfig"),
    });
    let plugins = ["ValidatingAdmissionWebhook", "MutatingAdmissionWebhook"]
        .map(|name| json!({"name": name, "configuration": configuration}));
    let admission =
        json!({"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AdmissionConfiguration", "plugins": plugins});
    for (name, content) in [("webhooks.kubeconfig", kubeconfig), ("admission.json", admission)] {
        fs::write(folder.join(name), content.to_string()).expect("our folder is writable");
    }
}
