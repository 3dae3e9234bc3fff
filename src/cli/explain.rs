//! `portcullis explain`: shows which object answers a request, and why the others do not.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{ArgGroup, Args, ValueEnum};

use super::namespaced_name::parse_namespaced_name;
use super::{ClusterArgs, ConfigArgs, exit, listing, print_text};
use crate::files::{Folder, Manifest, Unread};
use portcullis_core::cluster::Cluster;
use portcullis_core::explain::{Explanation, Request, Scope, Snapshot, Stored};
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};
use portcullis_core::message::sanitize;
use portcullis_core::report::answer;

/// Show which object answers a request, by which rule and chain, and why the other candidates do not.
#[derive(Debug, Args)]
#[command(allow_missing_positional = true)]
#[command(group = ArgGroup::new("source").required(true).multiple(true).args(["objects", "kubeconfig", "context"]))]
pub struct ExplainArgs {
    /// The method of the request.
    #[arg(value_name = "METHOD", default_value = "GET")]
    method: String,
    /// The URL of the request, such as https://shop.example.com/cart.
    #[arg(value_name = "URL", required = true)]
    url: String,
    /// A header of the request; may be repeated. `host` overrides the host of the URL.
    #[arg(long = "header", value_name = "NAME=VALUE")]
    headers: Vec<String>,
    /// The server name (SNI) of the TLS handshake [default: the host of the URL]
    #[arg(long, value_name = "NAME")]
    sni: Option<String>,
    /// Use the manifests in this folder as the whole cluster; may be repeated.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["kubeconfig", "context"])]
    objects: Vec<PathBuf>,
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Consider only Ingresses, HTTPProxies and IngressRoutes of this class.
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// Consider only this Gateway.
    #[arg(long, value_name = "NAMESPACE/NAME", value_parser = gateway)]
    gateway: Option<ObjectRef>,
    /// The port of the connection [default: the port of the URL]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    #[command(flatten)]
    config: ConfigArgs,
    /// The output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// The output format.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Output {
    /// Text for terminals.
    #[default]
    Text,
    /// One line of JSON.
    Json,
}

/// The kinds that matter only for Gateways, and those that matter only for classes. Neither affects answers of the
/// other.
const OF_GATEWAYS: KindSet = KindSet::of(&[
    Kind::GatewayClass,
    Kind::Gateway,
    Kind::ListenerSet,
    Kind::HttpRoute,
    Kind::GrpcRoute,
    Kind::TlsRoute,
    Kind::TcpRoute,
    Kind::UdpRoute,
    Kind::ReferenceGrant,
]);
const OF_CLASSES: KindSet = KindSet::of(&[
    Kind::Ingress,
    Kind::IngressClass,
    Kind::IngressRoute,
    Kind::TlsCertificateDelegation,
    Kind::HttpProxy,
    Kind::ProxyCertificateDelegation,
]);

/// The kinds that matter for every answer, and all kinds that matter for some answer.
const OF_BOTH: KindSet = KindSet::of(&[Kind::Service, Kind::Namespace]);
const KINDS: KindSet = OF_BOTH.union(OF_GATEWAYS).union(OF_CLASSES);

/// The objects to explain a request with, and which of them could not be read.
struct Source {
    cluster: Cluster,
    manifests: Vec<Manifest>,
    /// The kinds that are not readable (RBAC).
    forbidden: KindSet,
    /// Documents and objects that are not read.
    unread: Vec<Unread>,
}

impl Source {
    /// Messages about everything that is not read and may change the answer.
    fn missing(&self, answer: &Explanation, scope: &Scope) -> Vec<String> {
        let kinds = match (&scope.gateway, &scope.class) {
            (Some(_), None) => KINDS.without(OF_CLASSES),
            (None, Some(_)) => KINDS.without(OF_GATEWAYS),
            _ => KINDS,
        };
        // A UDP datagram is not a request.
        let kinds = kinds.without(KindSet::of(&[Kind::UdpRoute]));
        let text = answer::text(answer, &[]);
        let concerns = |unread: &&Unread| {
            let service = unread.object.as_ref().filter(|object| object.kind == Kind::Service);
            unread.may_concern(kinds, &answer.request.host)
                && service.is_none_or(|service| text.contains(&service.name))
        };
        let forbidden = self.forbidden.iter().filter(|kind| kinds.contains(*kind));
        let forbidden = forbidden.map(|kind| format!("{} are not readable (RBAC)", kind.resource()));
        forbidden.chain(self.unread.iter().filter(concerns).map(ToString::to_string)).collect()
    }
}

impl ExplainArgs {
    /// Prints the answer. The exit code is 0 if an object answers, 1 if none does, and 3 if the answer may depend on
    /// something that was not read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let plan = self.config.plan(None)?;
        let request = Request::parse(&self.method, &self.url, &self.headers, self.sni.as_deref(), self.port)?;
        let source = if self.objects.is_empty() { self.live()? } else { self.folder()? };
        let read = source.manifests.iter().filter_map(|manifest| Some((&manifest.object_ref, manifest.object().ok()?)));
        let objects: Vec<Stored<'_>> =
            read.map(|(object_ref, object)| Stored { object_ref: object_ref.clone(), object }).collect();
        let scope = Scope { class: self.class, gateway: self.gateway };
        let world = Snapshot::new(&objects, &source.cluster, plan.config());
        let answer = world.ask(&request, &scope);
        let missing = source.missing(&answer, &scope);
        print_text(&match self.output {
            Output::Text => answer::text(&answer, &missing),
            Output::Json => answer::json(&answer, &missing),
        })?;
        for words in world.unknown_in(&scope) {
            eprintln!("portcullis: {words}");
        }
        Ok(ExitCode::from(match (missing.is_empty(), &answer.winner) {
            (false, _) => exit::INCOMPLETE,
            (true, Some(_)) => exit::SUCCESS,
            (true, None) => exit::FAILURE,
        }))
    }

    /// The objects in the folders.
    fn folder(&self) -> anyhow::Result<Source> {
        let mut folder = Folder::new(&self.objects, true);
        let mut cluster = Cluster::default();
        for event in folder.refresh().context("--objects")? {
            cluster.apply(event);
        }
        super::folders::print_warnings(&folder, true)?;
        let unread: Vec<Unread> = folder.unread().cloned().collect();
        unread.iter().for_each(|unread| eprintln!("portcullis: {}", sanitize(&unread.to_string())));
        // If an object is defined more than once, only the first definition counts, as in the view.
        let mut seen = BTreeSet::new();
        let manifests = folder.manifests().filter(|manifest| seen.insert(&manifest.object_ref)).cloned().collect();
        Ok(Source { cluster, manifests, forbidden: KindSet::EMPTY, unread })
    }

    /// The objects in the cluster.
    fn live(&self) -> anyhow::Result<Source> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let read = runtime.block_on(listing::read(&self.cluster, KINDS, KINDS, "the answer does not include them"))?;
        let unread = read.objects.iter().filter(|object| read.unread.contains(&object.object_ref));
        let unread = unread.map(Unread::of_manifest).collect();
        Ok(Source { cluster: read.cluster, manifests: read.objects, forbidden: read.forbidden, unread })
    }
}

/// Parses the `--gateway` argument.
fn gateway(written: &str) -> Result<ObjectRef, String> {
    parse_namespaced_name(written).map(|(namespace, name)| ObjectRef::new(Kind::Gateway, &namespace, &name))
}
