//! A kube-apiserver with its etcd on 127.0.0.1. Trials share one server for each set of flags.

use super::assets::{program, spawn};
use super::etcd::{self, Etcd, Stored};
use super::http::Http;
use super::json::text;
use super::ports::free_port;
use super::process_guard::process_guard;
use super::recycled;
use super::server_inputs::write_inputs;
use super::wait::{eventually, until};
use base64::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::Child;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::Duration;

static SHARED: [OnceLock<Result<ControlPlane, String>>; Flavour::COUNT] = [const { OnceLock::new() }; Flavour::COUNT];

/// How the keys of policies begin.
const POLICIES: [&str; 2] = ["/registry/validatingadmissionpolic", "/registry/mutatingadmissionpolic"];

/// How the keys of webhook configurations begin.
const WEBHOOKS: [&str; 2] = ["/registry/validatingwebhookconfigurations/", "/registry/mutatingwebhookconfigurations/"];

/// The number of objects above which a new server is faster than one from which they are removed.
const MANY: usize = 1_000;

/// The sets of flags that trials need. There is one shared server for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    /// The default flags.
    Plain,
    /// Without the built-in admission plugin that sets `ingressClassName`, so that our own defaulting applies.
    NoDefaultIngressClass,
}

impl Flavour {
    const COUNT: usize = 2;

    /// The ServiceAccount plugin is always off, since no controller creates the ServiceAccounts that it would require
    /// for pods.
    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &["--disable-admission-plugins=ServiceAccount"],
            Self::NoDefaultIngressClass => &["--disable-admission-plugins=ServiceAccount,DefaultIngressClass"],
        }
    }
}

/// What a server has that was started for one trial.
struct Private {
    crds: Vec<Value>,
    /// What it stored before the CRDs were installed.
    bare: Stored,
    /// What it stored when the trial began.
    initial: Stored,
}

/// A running API server. [`ControlPlane::stop`] ends it; when it is dropped, another trial may use it.
pub struct ControlPlane {
    flavour: Flavour,
    address: SocketAddr,
    etcd_port: u16,
    folder: PathBuf,
    /// etcd, then kube-apiserver.
    children: Mutex<Vec<Child>>,
    /// None if all trials share it.
    private: Option<Private>,
    /// The number of bytes that the audit log had before the present trial.
    audited: usize,
    names: AtomicUsize,
    cluster_scope: Mutex<()>,
}

impl ControlPlane {
    /// The server with these flags that all trials of this process share. The first call starts it.
    pub fn shared(flavour: Flavour) -> &'static Self {
        let server = SHARED[flavour as usize].get_or_init(|| Self::try_start(flavour));
        server.as_ref().unwrap_or_else(|why| panic!("{why}"))
    }

    /// A server for one trial only.
    pub fn start(flavour: Flavour) -> Self {
        Self::serving(flavour, Vec::new())
    }

    /// A server for one trial only, with these CRDs.
    pub fn serving(flavour: Flavour, crds: Vec<Value>) -> Self {
        recycled::take(flavour, &crds)
            .unwrap_or_else(|| Self::try_new(flavour).unwrap_or_else(|why| panic!("{why}")))
            .prepared(crds)
    }

    /// A server that has nothing but the objects of the API server.
    fn try_new(flavour: Flavour) -> Result<Self, String> {
        let mut server = Self::try_start(flavour)?;
        // The API server creates these a moment after it is ready.
        for object in ["kube-node-lease", "default/services/kubernetes"] {
            let path = format!("/api/v1/namespaces/{object}");
            eventually("the API server has created its own objects", || server.http().get(&path).0 == 200);
        }
        let bare = server.etcd().stored();
        server.private = Some(Private { crds: Vec::new(), initial: bare.clone(), bare });
        Ok(server)
    }

    /// The server for the next trial: with these CRDs, and without anything that the last trial has written.
    fn prepared(mut self, crds: Vec<Value>) -> Self {
        let Private { crds: earlier, bare, initial } =
            self.private.take().expect("only the server of one trial is prepared");
        let (common, initial) = match contains(&crds, &earlier) {
            true => (earlier, initial),
            false => (Vec::new(), bare.clone()),
        };
        let extra = self.crds_beside(&common);
        let removed = self.etcd().restore(&initial);
        if has_any(&removed, &WEBHOOKS) {
            self.wait_until_no_webhook_is_called();
        }
        extra.iter().for_each(|crd| self.wait_until_gone(crd));
        common.iter().for_each(|crd| self.wait_for_crd(crd));
        let missing: Vec<Value> = crds.iter().filter(|crd| !common.contains(crd)).cloned().collect();
        self.install_crds(&missing);
        let initial = if missing.is_empty() { initial } else { self.etcd().stored() };
        self.private = Some(Private { crds, bare, initial });
        self.audited = self.audit_log_file().len();
        self
    }

    fn try_start(flavour: Flavour) -> Result<Self, String> {
        let address = (Ipv4Addr::LOCALHOST, free_port()).into();
        let folder = process_guard().folder("control-plane");
        let server = Self::without_programs(flavour, address, free_port(), folder);
        write_inputs(&server.folder);
        server.children().extend([etcd::start(&server.folder, server.etcd_port), server.kube_apiserver()]);
        server.wait_until_ready()?;
        Ok(server)
    }

    fn without_programs(flavour: Flavour, address: SocketAddr, etcd_port: u16, folder: PathBuf) -> Self {
        let (children, private, audited, names, cluster_scope) = Default::default();
        Self { flavour, address, etcd_port, folder, children, private, audited, names, cluster_scope }
    }

    /// How many of these CRDs it has. None if it has others, which would have to be removed.
    pub(super) fn common_crds(&self, crds: &[Value]) -> Option<usize> {
        let Private { crds: own, .. } = self.private.as_ref()?;
        contains(crds, own).then_some(own.len())
    }

    /// Its flags.
    pub(super) fn flavour(&self) -> Flavour {
        self.flavour
    }

    /// Whether another trial may use it: not if it has policies, since the API server forgets those only a moment after they are gone,
    /// nor if a new server is faster.
    fn is_reusable(&self) -> bool {
        let Some(Private { initial, .. }) = &self.private else { return false };
        if std::thread::panicking() || self.children().len() < 2 || !self.is_alive() {
            return false;
        }
        let stored = self.etcd().stored();
        !has_any(&stored, &POLICIES) && stored.len() <= initial.len() + MANY
    }

    fn etcd(&self) -> Etcd {
        Etcd::at(self.etcd_port)
    }

    /// Waits for `/readyz`, as long as both child processes run.
    fn wait_until_ready(&self) -> Result<(), String> {
        let answer = until(Duration::from_secs(120), || match self.is_alive() {
            true => self.is_ready().then_some(true),
            false => Some(false),
        });
        match answer {
            Some(true) => Ok(()),
            Some(false) => Err(format!("the control plane ended before it was ready\n{}", self.last_words())),
            None => Err(format!("the control plane was not ready within 120 s\n{}", self.last_words())),
        }
    }

    /// Before the server listens, its certificate is not complete. The kubeconfig embeds it.
    fn is_ready(&self) -> bool {
        if TcpStream::connect(self.address).is_err() {
            return false;
        }
        let ca = self.ca_pem().expect("a server that listens has a certificate");
        fs::write(self.kubeconfig(), self.kubeconfig_with(&ca, "admin")).expect("our folder is writable");
        self.http().is_ok("/readyz")
    }

    fn is_alive(&self) -> bool {
        let mut children = self.children();
        children.iter_mut().all(|child| child.try_wait().is_ok_and(|ended| ended.is_none()))
    }

    /// The last log lines of both programs, for an error message.
    fn last_words(&self) -> String {
        let tail = |name: &str| {
            let log = fs::read_to_string(self.folder.join(name)).unwrap_or_default();
            let mut lines: Vec<_> = log.lines().rev().take(15).collect();
            lines.reverse();
            format!("--- {name}\n{}\n", lines.join("\n"))
        };
        tail("etcd.log") + &tail("kube-apiserver.log")
    }

    /// Ends both programs by their process ids and removes their files. Does nothing if they are already stopped.
    pub fn stop(&self) {
        for mut child in self.children().drain(..).rev() {
            // A child that has ended cannot be killed, but it can still be waited for.
            let _ = child.kill();
            child.wait().expect("a child of ours can be waited for");
        }
        let _ = fs::remove_dir_all(&self.folder);
    }

    /// Kills only the API server; etcd keeps its data.
    pub fn kill_api_server(&self) {
        let mut server = self.children().pop().expect("a running control plane has two programs");
        server.kill().expect("a child of ours can be killed");
        server.wait().expect("a child of ours can be waited for");
    }

    /// Starts the killed API server again at the same address, and waits until it is ready.
    pub fn start_api_server(&self) {
        let server = self.kube_apiserver();
        self.children().push(server);
        self.wait_until_ready().unwrap_or_else(|why| panic!("{why}"));
    }

    /// Stops all servers that were started and that no trial uses.
    pub fn stop_unused() {
        SHARED.iter().filter_map(OnceLock::get).flatten().for_each(Self::stop);
        recycled::stop();
    }

    /// A lock for trials that write objects with an effect on other trials, such as a default IngressClass.
    pub fn cluster_scope(&self) -> MutexGuard<'_, ()> {
        // A panic of another trial under the lock does not affect this trial.
        self.cluster_scope.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A unique name on this server, such as `prefix-7`.
    pub fn unique(&self, prefix: &str) -> String {
        format!("{prefix}-{}", self.names.fetch_add(1, Ordering::Relaxed))
    }

    /// The audit events of all writes by others than the API server so far, oldest first, as it logged them
    /// (`audit.k8s.io/v1`, level Metadata; of Leases with what was written).
    pub fn audit_log(&self) -> Vec<Value> {
        let log = self.audit_log_file();
        log[self.audited..].lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    fn audit_log_file(&self) -> String {
        fs::read_to_string(self.folder.join("audit.log")).unwrap_or_default()
    }

    /// An HTTP client of the admin, for requests that would take too long with kubectl.
    pub fn http(&self) -> Http {
        Http::bearing(
            "admin",
            &format!("https://{}", self.address),
            &self.ca_pem().expect("a server that answers has a certificate"),
        )
    }

    /// An HTTP client that acts as `user` with all permissions.
    pub fn http_as(&self, user: &str) -> Http {
        Http::acting_as(
            user,
            "admin",
            &format!("https://{}", self.address),
            &self.ca_pem().expect("a server that answers has a certificate"),
        )
    }

    /// The kubeconfig file of the admin.
    pub fn kubeconfig(&self) -> PathBuf {
        self.folder.join("admin.kubeconfig")
    }

    /// The address of the API server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A kubeconfig file of the admin with another address of the API server, such as that of a proxy.
    pub fn kubeconfig_through(&self, address: SocketAddr) -> PathBuf {
        let file = self.folder.join(format!("{}.kubeconfig", address.port()));
        let kubeconfig = fs::read_to_string(self.kubeconfig()).expect("a server that was ready has a kubeconfig");
        let through = kubeconfig.replace(&self.address.to_string(), &address.to_string());
        fs::write(&file, through).expect("our folder is writable");
        file
    }

    /// A kubeconfig file of a ServiceAccount, with a token that the server issued, to run programs with their shipped
    /// RBAC. As in a pod, its namespace is the default.
    pub fn kubeconfig_for(&self, namespace: &str, service_account: &str) -> PathBuf {
        let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{service_account}/token");
        let request = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
        let (status, answer) = self.http().post(&path, request.to_string());
        assert_eq!(status, 201, "{answer}");
        let token = text(&answer["status"]["token"]);
        let file = self.folder.join(format!("{namespace}.{service_account}.kubeconfig"));
        let ca = self.ca_pem().expect("a server that answers has a certificate");
        let mut kubeconfig: Value =
            serde_json::from_str(&self.kubeconfig_with(&ca, &token)).expect("a kubeconfig is JSON");
        kubeconfig["contexts"][0]["context"]["namespace"] = namespace.into();
        fs::write(&file, kubeconfig.to_string()).expect("our folder is writable");
        file
    }

    fn kubeconfig_with(&self, ca_pem: &str, token: &str) -> String {
        let config = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "trial",
            "clusters": [{"name": "trial", "cluster": {"server": format!("https://{}", self.address), "certificate-authority-data": BASE64_STANDARD.encode(ca_pem)}}],
            "users": [{"name": "trial", "user": {"token": token}}],
            "contexts": [{"name": "trial", "context": {"cluster": "trial", "user": "trial"}}],
        });
        config.to_string()
    }

    /// The CA of the certificate that the API server presents to webhooks, with the name
    /// [`WEBHOOK_CLIENT`](super::server_inputs::WEBHOOK_CLIENT).
    pub fn webhook_client_ca(&self) -> PathBuf {
        self.folder.join("clients/ca.crt")
    }

    fn kube_apiserver(&self) -> Child {
        let (folder, port) = (&self.folder, self.address.port());
        let mut server = program("kube-apiserver");
        server.arg(format!("--etcd-servers=http://127.0.0.1:{}", self.etcd_port)).arg(format!("--secure-port={port}"));
        // Otherwise the endpoint reconciler refuses a loopback address.
        server.args(["--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none"]);
        server.args([
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-cluster-ip-range=10.96.0.0/16",
        ]);
        server.args(["--authorization-mode=RBAC"]).args(self.flavour.flags());
        for (flag, name) in [
            ("--cert-dir", "certificates"),
            ("--service-account-key-file", "token.pub"),
            ("--service-account-signing-key-file", "token.key"),
            ("--token-auth-file", "tokens.csv"),
            ("--audit-policy-file", "audit-policy.json"),
            ("--audit-log-path", "audit.log"),
            ("--admission-control-config-file", "admission.json"),
        ] {
            server.arg(flag).arg(folder.join(name));
        }
        spawn(server, folder.join("kube-apiserver.log"))
    }

    fn ca_pem(&self) -> std::io::Result<String> {
        fs::read_to_string(self.folder.join("certificates/apiserver.crt"))
    }

    fn children(&self) -> MutexGuard<'_, Vec<Child>> {
        self.children.lock().expect("no holder panics")
    }
}

fn has_any(stored: &Stored, prefixes: &[&str]) -> bool {
    stored.keys().any(|key| prefixes.iter().any(|prefix| key.starts_with(prefix)))
}

fn contains(all: &[Value], some: &[Value]) -> bool {
    some.iter().all(|one| all.contains(one))
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        match self.is_reusable() {
            true => recycled::keep(std::mem::replace(
                self,
                Self::without_programs(self.flavour, self.address, 0, PathBuf::new()),
            )),
            false => self.stop(),
        }
    }
}
