//! A process that only reads the CA, beside one that writes it, with an API server that is a function.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Parser;
use http::{Method, Request, Response, StatusCode};
use jiff::Timestamp;
use kube::Client;
use kube::client::Body;
use portcullis::cli::Cli;
use portcullis::issuer::rotation::RotationSettings;
use portcullis::issuer::{Issuer, IssuerOptions};
use portcullis::lease::LeadershipSender;
use portcullis::telemetry::IssuerMetrics;
use portcullis::tls::CertificateSource;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

const SECRET: &str = "/api/v1/namespaces/default/secrets/portcullis-ca";
const VALIDATING: &str = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/portcullis";
const MUTATING: &str = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/portcullis";

/// The Secret, and the caBundle of the only entry that calls the Service.
#[derive(Default)]
struct ApiServer {
    secret: Option<Value>,
    bundle: Option<Value>,
}

impl ApiServer {
    /// The object at a path after a request, if there is one.
    fn answer(&mut self, method: &Method, path: &str, body: &[u8]) -> Option<Value> {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        match (method, path) {
            (&Method::PATCH, SECRET) => self.secret = Some(body),
            (&Method::PATCH, VALIDATING) => {
                let mut operations = body.as_array().into_iter().flatten();
                let written = operations.find(|operation| operation["path"].to_string().contains("caBundle"));
                self.bundle = Some(written.expect("a caBundle is written")["value"].clone());
            }
            _ => {}
        }
        let service = json!({"namespace": "default", "name": "portcullis"});
        let webhooks =
            json!([{"name": "a.example.com", "clientConfig": {"service": service, "caBundle": self.bundle}}]);
        let kind = "ValidatingWebhookConfiguration";
        let mut object = match path {
            SECRET => self.secret.clone()?,
            VALIDATING => json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "webhooks": webhooks}),
            _ => return None,
        };
        object["metadata"] = json!({"name": "portcullis", "resourceVersion": "1"});
        Some(object)
    }
}

/// The requests that a process has sent, without those that only read.
type Writes = Arc<Mutex<Vec<String>>>;

fn issuer(server: &Arc<Mutex<ApiServer>>, is_read_only: bool) -> (Issuer, Writes) {
    let (server, writes) = (Arc::clone(server), Writes::default());
    let recorded = Arc::clone(&writes);
    let answer = move |request: Request<Body>| {
        let (server, recorded) = (Arc::clone(&server), Arc::clone(&recorded));
        async move {
            let (parts, body) = request.into_parts();
            let (method, path) = (parts.method, parts.uri.path().to_owned());
            if ![SECRET, VALIDATING, MUTATING].contains(&&*path) {
                // A list or a watch: what they miss is found by the next look.
                return std::future::pending().await;
            }
            if method != Method::GET {
                recorded.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{method} {path}"));
            }
            let body = body.collect_bytes().await.map_err(io::Error::other)?;
            let object = server.lock().unwrap_or_else(PoisonError::into_inner).answer(&method, &path, &body);
            let code = if object.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
            let status = || {
                json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": "not found",
                                   "reason": "NotFound", "code": 404})
            };
            let text = object.unwrap_or_else(status).to_string();
            let mut response = Response::new(Body::from(text.into_bytes()));
            *response.status_mut() = code;
            Ok::<_, io::Error>(response)
        }
    };
    let client = Client::new(tower::service_fn(answer), "default");
    let seconds = Duration::from_secs;
    let terms = RotationSettings { authority: seconds(60), leaf: seconds(8), settle: seconds(1) };
    let [secret, configurations, service] = ["portcullis-ca", "portcullis", "portcullis"].map(str::to_owned);
    let options = IssuerOptions { secret, configurations, service, terms, is_read_only };
    let (_, leadership) = LeadershipSender::new();
    (Issuer::new(client, options, leadership, IssuerMetrics::default()), writes)
}

#[tokio::test]
async fn read_only_issuer_writes_nothing() {
    let server = Arc::<Mutex<ApiServer>>::default();
    let ((reader, of_reader), (writer, of_writer)) = (issuer(&server, true), issuer(&server, false));
    let written = |writes: &Writes| writes.lock().unwrap_or_else(PoisonError::into_inner).clone();
    assert!(timeout(Duration::from_secs(2), reader.start()).await.is_err(), "it never ends");
    assert!(reader.healthy(Timestamp::now()).is_err(), "there is no CA");
    let issued = async {
        while reader.healthy(Timestamp::now()) != Ok(None) {
            sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        _ = async { tokio::join!(reader.start(), writer.start()) } => unreachable!("they never end"),
        issued = timeout(Duration::from_secs(30), issued) => issued.expect("it serves a certificate that is accepted"),
    }
    assert_eq!(written(&of_reader), [""; 0]);
    assert_eq!(written(&of_writer), [SECRET, VALIDATING].map(|path| format!("PATCH {path}")));
}

#[test]
fn options_of_reading_and_maintaining_processes_are_validated() {
    let is_understood = |line: &str| Cli::try_parse_from(line.split_whitespace()).is_ok();
    for (line, expected) in [
        ("portcullis serve --ca-secret=ca --ca-read-only", true),
        ("portcullis serve --ca-read-only", false),
        ("portcullis serve --ca-secret=ca --ca-read-only --enforce", false),
        ("portcullis serve --ca-secret=ca --objects=a", false),
        ("portcullis serve --enforce --objects=a", false),
        ("portcullis maintain", false),
        ("portcullis maintain --ca-secret=ca", true),
        ("portcullis maintain --enforce", true),
        ("portcullis maintain --ca-secret=ca --enforce --webhook-configurations=edge", true),
    ] {
        assert_eq!(is_understood(line), expected, "{line}");
    }
}
