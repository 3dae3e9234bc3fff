//! An HTTP client that trusts one certificate and reuses connections, and the runtime of this client and of the canned
//! servers.

use axum::http::request;
use axum::http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use kube::Config;
use kube::client::Body;
use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig};
use serde_json::Value;
use std::path::Path;
use std::sync::LazyLock;
use tokio::runtime::{Builder, Runtime};

/// The runtime of all asynchronous parts of the trials. The trials themselves are plain functions.
pub static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime"));

/// A client for one address.
pub struct Http {
    client: kube::Client,
}

impl Http {
    /// A client for `url` that trusts only `ca_pem`.
    pub fn new(url: &str, ca_pem: &str) -> Self {
        Self::with(url, ca_pem, AuthInfo::default())
    }

    /// The same with a bearer token.
    pub fn bearing(token: &str, url: &str, ca_pem: &str) -> Self {
        Self::with(url, ca_pem, AuthInfo { token: Some(token.to_owned().into()), ..AuthInfo::default() })
    }

    /// The same, impersonating another user with all permissions.
    pub fn acting_as(user: &str, token: &str, url: &str, ca_pem: &str) -> Self {
        let auth_info = AuthInfo {
            token: Some(token.to_owned().into()),
            impersonate: Some(user.to_owned()),
            impersonate_groups: Some(vec!["system:masters".to_owned()]),
            ..AuthInfo::default()
        };
        Self::with(url, ca_pem, auth_info)
    }

    /// A client of the API server of a kubeconfig, as its user.
    #[allow(dead_code, reason = "the benchmark shares this harness and does not use it")]
    pub fn of_kubeconfig(file: &Path) -> Self {
        let kubeconfig = Kubeconfig::read_from(file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
        let options = KubeConfigOptions::default();
        let config = RUNTIME.block_on(Config::from_custom_kubeconfig(kubeconfig, &options));
        Self::of(config.expect("a complete kubeconfig"))
    }

    fn with(url: &str, ca_pem: &str, auth_info: AuthInfo) -> Self {
        // kube's client provides a connection pool, rustls, and custom root certificates.
        let ca = x509_parser::pem::Pem::iter_from_buffer(ca_pem.as_bytes());
        let mut config = Config::new(url.parse().expect("a URL"));
        config.auth_info = auth_info;
        config.root_cert = Some(ca.map(|pem| pem.expect("PEM").contents).collect());
        Self::of(config)
    }

    fn of(mut config: Config) -> Self {
        // A 503 is a response to test, and must not be retried for minutes.
        config.default_retry = false;
        let _inside = RUNTIME.enter();
        Self { client: kube::Client::try_from(config).expect("a client") }
    }

    /// Posts JSON. Returns the status and the JSON of the response (`null` if it is not JSON).
    pub fn post(&self, path: &str, body: impl Into<Vec<u8>>) -> (u16, Value) {
        let (status, answer) = self.post_bytes(path, body);
        (status, serde_json::from_slice(&answer).unwrap_or(Value::Null))
    }

    /// Posts JSON. Returns the status and the bytes of the response.
    pub fn post_bytes(&self, path: &str, body: impl Into<Vec<u8>>) -> (u16, Vec<u8>) {
        self.send_json(Request::post(path), body.into())
    }

    /// Puts JSON. Returns the status and the JSON of the response.
    pub fn put(&self, path: &str, body: impl Into<Vec<u8>>) -> (u16, Value) {
        let (status, answer) = self.send_json(Request::put(path), body.into());
        (status, serde_json::from_slice(&answer).unwrap_or(Value::Null))
    }

    /// Deletes an object, or all objects of a list. Returns the status and the JSON of the response.
    pub fn delete(&self, path: &str) -> (u16, Value) {
        let (status, answer) = self.send_json(Request::delete(path), Vec::new());
        (status, serde_json::from_slice(&answer).unwrap_or(Value::Null))
    }

    fn send_json(&self, request: request::Builder, body: Vec<u8>) -> (u16, Vec<u8>) {
        self.send_as(request, "application/json", body)
    }

    /// Sends bytes with this content type and requests JSON. Returns the status and the bytes of the response.
    pub fn send_as(&self, request: request::Builder, content_type: &str, body: Vec<u8>) -> (u16, Vec<u8>) {
        let request = request.header("content-type", content_type).header("accept", "application/json");
        let request = request.body(Body::from(body));
        let (status, answer) = self.send(request.expect("a valid path"));
        (status.as_u16(), answer)
    }

    /// Sends a request, with JSON if there is some. Returns the whole response.
    #[allow(dead_code, reason = "the benchmark shares this harness and does not use it")]
    pub fn respond(&self, request: request::Builder, json: Option<&Value>) -> Response<Vec<u8>> {
        let request = request.header("content-type", "application/json").header("accept", "application/json");
        let body = json.map(|json| json.to_string().into_bytes()).unwrap_or_default();
        self.try_respond(request.body(Body::from(body)).expect("a valid path")).expect("an HTTP answer")
    }

    /// Gets a page. Returns the status and the text of the response.
    pub fn get(&self, path: &str) -> (u16, String) {
        let (status, answer) = self.send(Request::get(path).body(Body::empty()).expect("a valid path"));
        (status.as_u16(), String::from_utf8(answer).expect("text"))
    }

    /// Sends JSON to a server that may be down. Returns the status and the JSON of the response, or why there is none.
    pub fn try_json(&self, request: request::Builder, body: String) -> Result<(u16, Value), String> {
        let request = request.header("content-type", "application/json").header("accept", "application/json");
        let (status, answer) = self.try_send(request.body(Body::from(body.into_bytes())).expect("a valid path"))?;
        Ok((status.as_u16(), serde_json::from_slice(&answer).unwrap_or(Value::Null)))
    }

    /// Whether a server, which may be down, answers 200 at this path.
    pub fn is_ok(&self, path: &str) -> bool {
        let request = Request::get(path).body(Body::empty()).expect("a valid path");
        self.try_send(request).is_ok_and(|(status, _)| status == StatusCode::OK)
    }

    fn send(&self, request: Request<Body>) -> (StatusCode, Vec<u8>) {
        self.try_send(request).expect("an HTTP answer")
    }

    fn try_send(&self, request: Request<Body>) -> Result<(StatusCode, Vec<u8>), String> {
        let response = self.try_respond(request)?;
        Ok((response.status(), response.into_body()))
    }

    fn try_respond(&self, request: Request<Body>) -> Result<Response<Vec<u8>>, String> {
        RUNTIME.block_on(async {
            let (parts, body) = self.client.send(request).await.map_err(|error| error.to_string())?.into_parts();
            let body = body.collect().await.map_err(|error| error.to_string())?;
            Ok(Response::from_parts(parts, body.to_bytes().to_vec()))
        })
    }
}
