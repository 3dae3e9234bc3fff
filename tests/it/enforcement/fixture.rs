//! Webhooks that enforce nothing yet, and the servers behind them.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::path::{Path, PathBuf};

use portcullis::enforcement::DISARMED;
use portcullis::tls::authority;
use serde_json::{Value, json};

use crate::harness::{
    Balancer, BehindService, ControlPlane, Flavour, Kubectl, KubectlOutput, Namespace, PortcullisServer, Registration,
    Webhooks, process_guard,
};
use crate::reviews::ingress;

/// An address at which no server listens.
pub const NO_SERVER: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 1));

/// The entry that the harness adds.
const PROBE: &str = "probe.portcullis.dev";

/// The entry of a mutating configuration.
pub const MUTATING: &str = "defaults.example.com";

/// The Service of the trials that have one.
const SERVICE: &str = "gate";

/// The API server that these trials share. Their webhooks review one namespace each.
pub fn control_plane() -> &'static ControlPlane {
    ControlPlane::shared(Flavour::Plain)
}

/// A namespace that is reviewed by what is behind a balancer, which leads to no server at first.
pub struct Fixture {
    // The webhooks go first.
    registration: Registration<'static>,
    pub balancer: Balancer,
    pub namespace: Namespace<'static>,
    certificates: PathBuf,
    server_name: String,
}

impl Fixture {
    /// The API server knows the balancer by its URL.
    pub fn behind_url() -> Self {
        Self::new(|balancer, webhooks, _| control_plane().register(balancer, webhooks))
    }

    /// The API server knows the balancer by a Service, which has no endpoints at first.
    pub fn behind_service() -> Self {
        Self::new(|balancer, webhooks, namespace| {
            let create = format!("create service externalname {SERVICE} --external-name=localhost");
            namespace.kubectl(&create).run().accepted();
            let name = namespace.to_string();
            let behind = BehindService { callee: balancer, namespace: &name, service: SERVICE };
            control_plane().register(&behind, webhooks)
        })
    }

    fn new(register: impl FnOnce(&Balancer, Webhooks, &Namespace) -> Registration<'static>) -> Self {
        let namespace = control_plane().namespace("armed");
        let (certificates, server_name) = (process_guard().folder("gate"), format!("{SERVICE}.{namespace}.svc"));
        let authority =
            authority::ensure(&certificates, std::slice::from_ref(&server_name)).expect("our folder is writable");
        let ca = std::fs::read_to_string(authority.ca_certificate).expect("it was just written");
        let balancer = Balancer::of(&[NO_SERVER], &ca);
        let webhooks = Webhooks::validating().unenforced().with_shipped_timeout().in_namespace(&namespace.to_string());
        let registration = register(&balancer, webhooks, &namespace);
        Self { registration, balancer, namespace, certificates, server_name }
    }

    /// The name of the webhook configuration.
    pub fn name(&self) -> &str {
        self.registration.name()
    }

    /// A server that may not be ready, with these arguments before its own.
    pub fn server(&self, replica: &str, more: &[&str]) -> PortcullisServer {
        let own = format!("--kubeconfig={}", control_plane().kubeconfig().display());
        let more = if more.is_empty() { vec![own.as_str()] } else { more.to_vec() };
        let certificates = self.certificates.display().to_string();
        let [replica, certificates, name] =
            [("replica-name", replica), ("cert-dir", &certificates), ("cert-name", &self.server_name)]
                .map(|(option, value)| format!("--{option}={value}"));
        let args = more.into_iter().chain([replica.as_str(), &certificates, &name]);
        PortcullisServer::with_certificate(args, &self.certificates.join("ca.crt"))
    }

    /// A server with `--enforce` and this option for its kubeconfig, which may not be ready.
    pub fn enforcing(&self, replica: &str, kubeconfig: &str) -> PortcullisServer {
        let [namespace, name, lease] = [
            ("enforce-namespace", self.namespace.to_string().as_str()),
            ("webhook-configurations", self.name()),
            ("lease", self.namespace.to_string().as_str()),
        ]
        .map(|(option, value)| format!("--{option}={value}"));
        self.server(replica, &[kubeconfig, "--enforce", &namespace, &name, &lease])
    }

    /// Replaces the endpoints of the Service: pods, and whether they are ready.
    pub fn set_endpoints(&self, pods: &[(&str, bool)]) {
        let endpoint = |(number, (pod, ready)): (usize, &(&str, bool))| {
            let target = json!({"kind": "Pod", "namespace": self.namespace.to_string(), "name": pod});
            json!({"addresses": [format!("10.0.0.{}", number + 1)], "conditions": {"ready": ready}, "targetRef": target})
        };
        let endpoints: Vec<Value> = pods.iter().enumerate().map(endpoint).collect();
        let metadata = json!({"name": SERVICE, "labels": {"kubernetes.io/service-name": SERVICE}});
        let slice = json!({
            "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": metadata, "addressType": "IPv4",
            "endpoints": endpoints, "ports": [{"name": "", "port": 9443, "protocol": "TCP"}],
        });
        self.namespace.apply(&slice.to_string()).accepted();
    }

    /// `portcullis arm` for the webhooks and the namespace of this fixture, with these arguments behind.
    pub fn arm(&self, more: &[&str]) -> KubectlOutput {
        let namespace = format!("--namespace={}", self.namespace);
        let has_namespace = more.iter().any(|arg| arg.starts_with("--namespace="));
        let has_name = more.iter().any(|arg| arg.starts_with("--webhook-configurations="));
        let own = (!has_namespace).then_some(namespace.as_str());
        let kubeconfig = control_plane().kubeconfig();
        self.run("arm", &kubeconfig, !has_name, &own.into_iter().chain(more.iter().copied()).collect::<Vec<_>>())
    }

    /// The same by way of a proxy of the API server.
    pub fn arm_through(&self, proxy: SocketAddr) -> KubectlOutput {
        let (kubeconfig, namespace) =
            (control_plane().kubeconfig_through(proxy), format!("--namespace={}", self.namespace));
        self.run("arm", &kubeconfig, true, &[&namespace])
    }

    /// `portcullis disarm` for the webhooks of this fixture.
    pub fn disarm(&self) -> KubectlOutput {
        self.run("disarm", &control_plane().kubeconfig(), true, &[])
    }

    /// The same by way of a proxy of the API server.
    pub fn disarm_through(&self, proxy: SocketAddr) -> KubectlOutput {
        self.run("disarm", &control_plane().kubeconfig_through(proxy), true, &[])
    }

    fn run(&self, command: &str, kubeconfig: &Path, names_webhooks: bool, more: &[&str]) -> KubectlOutput {
        let kubeconfig = format!("--kubeconfig={}", kubeconfig.display());
        let name = format!("--webhook-configurations={}", self.name());
        let name = names_webhooks.then_some(name.as_str());
        let args = [command, &kubeconfig].into_iter().chain(name).chain(more.iter().copied());
        portcullis(&args.collect::<Vec<_>>())
    }

    /// A server-side apply of the webhooks as they are shipped, with more flags, which no field manager of ours may prevent.
    pub fn apply(&self, flags: &str) -> KubectlOutput {
        let mut entries = self.entries();
        let shipped = entries.iter_mut().filter(|entry| entry["name"] != PROBE);
        shipped.for_each(|entry| entry["failurePolicy"] = "Ignore".into());
        let object = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": self.name()}, "webhooks": entries,
        });
        let apply = control_plane().kubectl(&format!("apply --server-side --field-manager=installer {flags} -f -"));
        apply.stdin(&object.to_string()).run()
    }

    /// Creates a mutating configuration of the same name, with one entry that is never called.
    pub fn add_mutating(&self, policy: &str) {
        let entry = json!({
            "name": MUTATING, "clientConfig": {"url": format!("https://{NO_SERVER}")}, "failurePolicy": policy, "rules": [],
            "sideEffects": "None", "admissionReviewVersions": ["v1"],
        });
        let object = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
            "metadata": {"name": self.name()}, "webhooks": [entry],
        });
        control_plane().apply(&object.to_string()).accepted();
    }

    /// Deletes it, and returns the policy of its entry.
    pub fn remove_mutating(&self) -> String {
        let object = format!("mutatingwebhookconfiguration/{}", self.name());
        let get = format!("get {object} --output=jsonpath={{.webhooks[0].failurePolicy}}");
        let policy = control_plane().kubectl(&get).run().accepted().stdout;
        control_plane().delete(&object).accepted();
        policy
    }

    /// Changes the configuration, but no entry of it.
    pub fn annotate(&self) {
        let words = format!("annotate validatingwebhookconfiguration {} example.com/changed=yes", self.name());
        control_plane().kubectl(&words).run().accepted();
    }

    /// How the patches of the configuration ended that were not made by kubectl.
    pub fn patches(&self) -> Vec<u64> {
        let log = control_plane().audit_log();
        let by_kubectl = |event: &Value| event["userAgent"].as_str().is_some_and(|agent| agent.starts_with("kubectl"));
        let ours = |event: &&Value| event["verb"] == "patch" && event["objectRef"]["name"] == self.name();
        let patches = log.iter().filter(ours).filter(|event| !by_kubectl(event));
        patches.filter_map(|event| event["responseStatus"]["code"].as_u64()).collect()
    }

    /// The entries of Portcullis with `failurePolicy: Fail`.
    pub fn failing(&self) -> BTreeSet<String> {
        let failing = self.entries().into_iter().filter(|entry| entry["failurePolicy"] == "Fail");
        let names = failing.map(|entry| entry["name"].as_str().expect("an entry has a name").to_owned());
        names.filter(|name| name != PROBE).collect()
    }

    /// The record that enforcement was stopped.
    pub fn disarmed(&self) -> Option<String> {
        self.stored()["metadata"]["annotations"][DISARMED].as_str().map(str::to_owned)
    }

    fn entries(&self) -> Vec<Value> {
        serde_json::from_value(self.stored()["webhooks"].take()).expect("a configuration has entries")
    }

    fn stored(&self) -> Value {
        let path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
        self.namespace.http().object(&format!("{path}/{}", self.name())).expect("the configuration exists")
    }

    /// A creation in a dry run.
    pub fn create(&self, name: &str, path: &str) -> KubectlOutput {
        self.namespace.kubectl("create --dry-run=server -f -").stdin(&self.ingress(name, path)).run()
    }

    /// Whether a creation is admitted in a dry run.
    pub fn admits(&self, name: &str, path: &str) -> bool {
        self.namespace.dry_run(&self.ingress(name, path)).0 == 201
    }

    fn ingress(&self, name: &str, path: &str) -> String {
        ingress(&self.namespace.to_string(), name, &format!("{name}.example.com"), path)
    }
}

/// The program with these arguments.
pub fn portcullis(args: &[&str]) -> KubectlOutput {
    let mut command = process_guard().command(env!("CARGO_BIN_EXE_portcullis"));
    command.args(args);
    Kubectl::from(command).run()
}
