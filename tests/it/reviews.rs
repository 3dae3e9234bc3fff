//! Reviews as JSON text, so that a trial can spoil any byte of them.

use serde_json::Value;
use tokio::io::AsyncWriteExt;

use crate::door::{Answer, answer, handshake, trust};
use crate::harness::{PortcullisServer, RUNTIME};

/// Sends these bytes to the webhook door on a connection of their own; the whole answer.
pub fn send(gate: &PortcullisServer, bytes: &[u8]) -> Answer {
    RUNTIME.block_on(async {
        let mut stream = handshake(gate.webhook, trust(&[&gate.ca])).await.expect("a TLS connection");
        stream.write_all(bytes).await.expect("the bytes are read");
        // What the socket did not take at once waits in the TLS session, which a read does not send.
        stream.flush().await.expect("the bytes are read");
        answer(&mut stream).await.expect("an answer")
    })
}

/// The kind of an Ingress, as a review says it.
pub const INGRESS: &str = r#"{"group":"networking.k8s.io","version":"v1","kind":"Ingress"}"#;
/// The kind of an IngressClass, as a review says it.
pub const INGRESS_CLASS: &str = r#"{"group":"networking.k8s.io","version":"v1","kind":"IngressClass"}"#;

/// A review with this uid and these further fields of its request.
pub fn review(uid: &str, fields: &str) -> String {
    format!(
        r#"{{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{{"uid":"{uid}","userInfo":{{"username":"alice"}},{fields}}}}}"#
    )
}

/// The creation of this Ingress.
pub fn create(ingress: &str) -> String {
    review("u-1", &format!(r#""kind":{INGRESS},"operation":"CREATE","object":{ingress}"#))
}

/// The update of an Ingress.
pub fn update(old: &str, new: &str) -> String {
    review("u-1", &format!(r#""kind":{INGRESS},"operation":"UPDATE","object":{new},"oldObject":{old}"#))
}

/// An Ingress of this namespace and name that serves one path of one host; nothing is wrong with it.
pub fn ingress(namespace: &str, name: &str, host: &str, path: &str) -> String {
    let backend = r#"{"service":{"name":"cart","port":{"number":80}}}"#;
    format!(
        r#"{{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{{"namespace":"{namespace}","name":"{name}"}},"spec":{{"ingressClassName":"nginx","rules":[{{"host":"{host}","http":{{"paths":[{{"path":"{path}","pathType":"Prefix","backend":{backend}}}]}}}}]}}}}"#
    )
}

/// The warnings of an answer, a line each.
pub fn warnings(answer: &Value) -> String {
    let warnings = answer["response"]["warnings"].as_array();
    let lines = warnings.into_iter().flatten().map(|warning| warning.as_str().expect("warnings are texts"));
    lines.collect::<Vec<_>>().join("\n")
}
