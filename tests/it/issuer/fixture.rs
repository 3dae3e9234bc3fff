//! A cluster with what is shipped, and replicas that issue their own certificates.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use base64::prelude::*;
use portcullis::tls::authority;
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, date_time_ymd};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::harness::{ControlPlane, Flavour, Http, PortcullisServer, RUNTIME, eventually, process_guard};
use crate::manifests::installation::{documents, rendered, with_external_service};
use crate::reviews::ingress;

pub const SECRET: &str = "portcullis-ca";
pub const VALIDATING: &str = "validatingwebhookconfigurations";
pub const MUTATING: &str = "mutatingwebhookconfigurations";

const ACCOUNT: &str = "system:serviceaccount:portcullis:portcullis";
/// The name by which the API server calls the shipped webhooks.
const SERVER: &str = "portcullis.portcullis.svc";

/// A server of the trial's own, because there is one Secret and one pair of webhook configurations.
pub struct Cluster {
    pub control_plane: ControlPlane,
    http: Http,
    kubeconfig: PathBuf,
    server: Option<Replica>,
    /// Where the webhooks lead.
    port: std::cell::Cell<u16>,
}

/// One replica. It acts as the shipped ServiceAccount.
pub struct Replica(pub PortcullisServer);

impl Cluster {
    /// With the base of the manifests, but without webhooks.
    pub fn new() -> Self {
        let control_plane = ControlPlane::start(Flavour::Plain);
        let mut base = documents(&rendered(&control_plane, "manifests"));
        base.retain(|object| !object["kind"].as_str().is_some_and(|kind| kind.ends_with("WebhookConfiguration")));
        let base = with_external_service(base);
        control_plane.kubectl("apply --server-side -f -").stdin(&base).run().accepted();
        let (http, kubeconfig) = (control_plane.http(), control_plane.installed_account("portcullis"));
        http.create_namespace("web");
        Self { control_plane, http, kubeconfig, server: None, port: 0.into() }
    }

    /// With one replica and the webhooks that lead to it.
    pub fn guarded() -> Self {
        let mut cluster = Self::new();
        let server = cluster.replica(&[]);
        cluster.install_webhooks(&server);
        cluster.server = Some(server);
        eventually("the API server calls Portcullis", || cluster.is_guarded());
        eventually("nothing is wrong", || cluster.server().readiness().contains("[+]certificate ok\n"));
        cluster
    }

    /// The replica of [`Cluster::guarded`].
    pub fn server(&self) -> &Replica {
        self.server.as_ref().expect("the cluster has a replica")
    }

    /// A replica that is ready, with more arguments.
    pub fn replica(&self, more: &[&str]) -> Replica {
        let kubeconfig = self.kubeconfig.to_str().expect("the folder of the trials has a plain name");
        let secret = format!("--ca-secret={SECRET}");
        let args = [&["--kubeconfig", kubeconfig, &secret], more].concat();
        // Nothing is posted to it by the harness, so that any certificate will do here.
        Replica(PortcullisServer::with_certificate(args, &self.control_plane.webhook_client_ca()).ready())
    }

    /// A replica that is ready, with this wall clock.
    pub fn replica_with_clock(&self, offset: &str) -> Replica {
        let kubeconfig = self.kubeconfig.to_str().expect("the folder of the trials has a plain name");
        let args = ["--kubeconfig", kubeconfig, &format!("--ca-secret={SECRET}")];
        Replica(PortcullisServer::with_wrong_clock(offset, args, &self.control_plane.webhook_client_ca()).ready())
    }

    /// So many replicas, started at once.
    pub fn replicas(&self, count: usize, more: &[&str]) -> Vec<Replica> {
        let kubeconfig = &self.kubeconfig;
        let (ca, secret) = (self.control_plane.webhook_client_ca(), format!("--ca-secret={SECRET}"));
        thread::scope(|scope| {
            let start = |_| {
                scope.spawn(|| {
                    let args = [&["--kubeconfig", kubeconfig.to_str().expect("a plain name"), &secret], more].concat();
                    Replica(PortcullisServer::with_certificate(args, &ca).ready())
                })
            };
            let starting: Vec<_> = (0..count).map(start).collect();
            starting.into_iter().map(|replica| replica.join().expect("it starts")).collect()
        })
    }

    /// Applies the shipped webhooks as they are, but for the port of this replica.
    pub fn install_webhooks(&self, server: &Replica) {
        self.port.set(server.0.webhook.port());
        self.apply_webhooks();
    }

    /// Applies the shipped webhooks again.
    pub fn apply_webhooks(&self) {
        self.apply(self.webhooks());
    }

    /// Applies the shipped webhooks without one entry of this kind, and says which.
    pub fn apply_without_entry(&self, kind: &str, position: usize) -> String {
        let mut documents = self.webhooks();
        let document = documents.iter_mut().find(|document| resource(document) == kind).expect("it is shipped");
        let removed = document["webhooks"].as_array_mut().expect("it has entries").remove(position);
        self.apply(documents);
        removed["name"].as_str().expect("an entry has a name").to_owned()
    }

    fn webhooks(&self) -> Vec<Value> {
        let text = rendered(&self.control_plane, "manifests/webhooks");
        documents(&text.replace("port: 443", &format!("port: {}", self.port.get())))
    }

    fn apply(&self, documents: Vec<Value>) {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": documents});
        self.control_plane.kubectl("apply --server-side -f -").stdin(&list.to_string()).run().accepted();
    }

    /// Whether a write that must be refused is refused by a check.
    pub fn is_guarded(&self) -> bool {
        let path = "/apis/networking.k8s.io/v1/namespaces/web/ingresses?dryRun=All";
        let (status, answer) = self.http.post(path, ingress("web", "bad", "bad.example.com", r#"/x\"y"#));
        status == 422 && answer.to_string().contains("[ingress/path-unsafe-character]")
    }

    /// The caBundle of each entry, in base64; empty where there is none.
    pub fn bundles(&self, kind: &str) -> Vec<String> {
        let bundle = |entry: &Value| entry["clientConfig"]["caBundle"].as_str().unwrap_or_default().to_owned();
        self.entries(kind).iter().map(bundle).collect()
    }

    /// The name of each entry.
    pub fn entry_names(&self, kind: &str) -> Vec<String> {
        self.entries(kind).iter().map(|entry| entry["name"].as_str().unwrap_or_default().to_owned()).collect()
    }

    fn entries(&self, kind: &str) -> Vec<Value> {
        self.get(&path_of(kind))["webhooks"].as_array().cloned().unwrap_or_default()
    }

    /// Writes a caBundle as another writer would.
    pub fn set_bundle(&self, kind: &str, position: usize, bundle: &str) {
        let path = format!("/webhooks/{position}/clientConfig/caBundle");
        self.http.json_patch(&path_of(kind), &json!([{"op": "add", "path": path, "value": bundle}]));
    }

    /// Changes the failurePolicy of an entry.
    pub fn set_failure_policy(&self, kind: &str, position: usize, policy: &str) {
        let path = format!("/webhooks/{position}/failurePolicy");
        self.http.json_patch(&path_of(kind), &json!([{"op": "add", "path": path, "value": policy}]));
    }

    /// Appends an entry.
    pub fn add_entry(&self, kind: &str, entry: &Value) {
        self.http.json_patch(&path_of(kind), &json!([{"op": "add", "path": "/webhooks/-", "value": entry}]));
    }

    /// Waits until Portcullis has looked at everything that was written before.
    pub fn settle(&self) {
        let before = self.bundles(VALIDATING)[0].clone();
        self.set_bundle(VALIDATING, 0, "");
        eventually("Portcullis has looked", || self.bundles(VALIDATING)[0] == before);
    }

    /// The operations of the managers that own a caBundle of the webhooks.
    pub fn owners_of_bundles(&self) -> Vec<String> {
        let objects = [VALIDATING, MUTATING].map(|kind| self.get(&path_of(kind)));
        let managers =
            objects.iter().flat_map(|object| object["metadata"]["managedFields"].as_array().into_iter().flatten());
        let owners = managers.filter(|manager| manager["fieldsV1"].to_string().contains("f:caBundle"));
        owners.map(|manager| manager["operation"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// A value of the Secret as text.
    pub fn secret(&self, key: &str) -> Option<String> {
        let secret = self.get(&format!("/api/v1/namespaces/portcullis/secrets/{SECRET}"));
        decoded(secret["data"][key].as_str()?)
    }

    /// The `spec` of the Lease.
    pub fn lease(&self) -> Value {
        self.get("/apis/coordination.k8s.io/v1/namespaces/portcullis/leases/portcullis")["spec"].clone()
    }

    /// Stores the Secret as it is after an outage that was longer than the life of its authority.
    pub fn store_expired_authority(&self) {
        let key = KeyPair::generate().expect("a P-256 key");
        let mut ca = CertificateParams::default();
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        (ca.not_before, ca.not_after) = (date_time_ymd(2024, 1, 1), date_time_ymd(2025, 1, 1));
        let certificate = ca.self_signed(&key).expect("a certificate").pem();
        let (name, data) = (json!({"name": SECRET}), json!({"ca.crt": certificate, "ca.key": key.serialize_pem()}));
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": name, "stringData": data});
        let create = self.control_plane.kubectl("create --namespace=portcullis -f -");
        create.stdin(&secret.to_string()).run().accepted();
    }

    /// Takes the right to write the webhook configurations away from the account.
    pub fn forbid_writing_bundles(&self) {
        self.set_verbs(&["get", "list", "watch"], false);
    }

    /// Gives it back.
    pub fn allow_writing_bundles(&self) {
        self.set_verbs(&["get", "list", "watch", "patch"], true);
    }

    fn set_verbs(&self, verbs: &[&str], may_patch: bool) {
        let path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/portcullis";
        let role = self.get(path);
        let is_ours = |rule: &Value| rule["resources"].as_array().is_some_and(|all| all.contains(&VALIDATING.into()));
        let position =
            role["rules"].as_array().and_then(|rules| rules.iter().position(is_ours)).expect("a rule for it");
        self.http
            .json_patch(path, &json!([{"op": "replace", "path": format!("/rules/{position}/verbs"), "value": verbs}]));
        let patch = json!({
            "verb": "patch", "group": "admissionregistration.k8s.io", "resource": VALIDATING, "name": "portcullis",
        });
        eventually("the rights are in force", || self.http.may(ACCOUNT, &patch) == may_patch);
    }

    /// The certificate that this replica shows to the API server; none if it would not be accepted.
    pub fn certificate_of(&self, server: &Replica) -> Option<CertificateDer<'static>> {
        server.shown_to(self.bundles(VALIDATING).first()?)
    }

    /// Whether a client that trusts only what is published accepts the certificate of this replica.
    pub fn accepts(&self, server: &Replica) -> bool {
        let bundles = [VALIDATING, MUTATING].map(|kind| self.bundles(kind));
        bundles.iter().flatten().all(|bundle| server.shown_to(bundle).is_some())
    }

    fn get(&self, path: &str) -> Value {
        serde_json::from_str(&self.http.get(path).1).expect("the API server answers in JSON")
    }
}

impl Replica {
    /// What `/readyz?verbose` says.
    pub fn readiness(&self) -> String {
        self.0.readiness()
    }

    /// The value of a metric.
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.0.metric(name)
    }

    /// The certificate that is shown to a new connection whose end trusts this bundle; none if it is not accepted.
    pub fn shown_to(&self, bundle: &str) -> Option<CertificateDer<'static>> {
        let mut roots = RootCertStore::empty();
        let pem = decoded(bundle)?;
        roots.add_parsable_certificates(CertificateDer::pem_slice_iter(pem.as_bytes()).filter_map(Result::ok));
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok()?;
        let config = Arc::new(config.with_root_certificates(roots).with_no_client_auth());
        let name = ServerName::try_from(SERVER).ok()?;
        RUNTIME.block_on(async {
            let stream = TcpStream::connect(self.0.webhook).await.ok()?;
            let stream = TlsConnector::from(config).connect(name, stream).await.ok()?;
            stream.get_ref().1.peer_certificates()?.first().map(|shown| shown.clone().into_owned())
        })
    }
}

/// A caBundle that has nothing to do with ours.
pub fn foreign_authority() -> String {
    let paths = authority::ensure(&process_guard().folder("foreign"), &[]).expect("the folder is writable");
    BASE64_STANDARD.encode(fs::read(paths.ca_certificate).expect("it was just written"))
}

/// Base64 as text.
pub fn decoded(base64: &str) -> Option<String> {
    String::from_utf8(BASE64_STANDARD.decode(base64).ok()?).ok()
}

fn path_of(kind: &str) -> String {
    format!("/apis/admissionregistration.k8s.io/v1/{kind}/portcullis")
}

fn resource(document: &Value) -> String {
    format!("{}s", document["kind"].as_str().unwrap_or_default().to_lowercase())
}
