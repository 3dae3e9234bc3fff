//! Reviews as JSON text, so that a trial can change any byte of them.

use serde_json::Value;
use tokio::io::AsyncWriteExt;

use crate::harness::{PortcullisServer, RUNTIME};
use crate::test_server::{Answer, answer, handshake, trust};

/// Sends these bytes to the webhook endpoint on a new connection. Returns the complete response.
pub fn send(server: &PortcullisServer, bytes: &[u8]) -> Answer {
    RUNTIME.block_on(async {
        let mut stream = handshake(server.webhook, trust(&[&server.ca])).await.expect("a TLS connection");
        stream.write_all(bytes).await.expect("the bytes are read");
        // Bytes that the socket did not accept at once are buffered in the TLS session, and a read does not send them.
        stream.flush().await.expect("the bytes are read");
        answer(&mut stream).await.expect("an answer")
    })
}

/// The kind of an Ingress in a review.
pub const INGRESS: &str = r#"{"group":"networking.k8s.io","version":"v1","kind":"Ingress"}"#;
/// The kind of an IngressClass in a review.
pub const INGRESS_CLASS: &str = r#"{"group":"networking.k8s.io","version":"v1","kind":"IngressClass"}"#;

/// A review with this uid and these additional fields of its request.
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

/// A valid Ingress with one host and one path.
pub fn ingress(namespace: &str, name: &str, host: &str, path: &str) -> String {
    let backend = r#"{"service":{"name":"cart","port":{"number":80}}}"#;
    format!(
        r#"{{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{{"namespace":"{namespace}","name":"{name}"}},"spec":{{"ingressClassName":"nginx","rules":[{{"host":"{host}","http":{{"paths":[{{"path":"{path}","pathType":"Prefix","backend":{backend}}}]}}}}]}}}}"#
    )
}

/// The warnings of a response, one per line.
pub fn warnings(answer: &Value) -> String {
    let warnings = answer["response"]["warnings"].as_array();
    let lines = warnings.into_iter().flatten().map(|warning| warning.as_str().expect("warnings are texts"));
    lines.collect::<Vec<_>>().join("\n")
}
