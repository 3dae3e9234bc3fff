//! `portcullis explain`: which object answers a request, and why the others do not.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{ArgGroup, Args, ValueEnum};

use super::{ClusterArgs, ConfigArgs, exit, listing, say};
use crate::cluster::Cluster;
use crate::explain::{Request, Scope, Stored, World};
use crate::files::{Folder, Manifest};
use crate::kinds::{Kind, KindSet, ObjectRef};
use crate::report::answer;

/// Tell which object answers a request, by which rule, over which chain, and why each other one does not.
#[derive(Debug, Args)]
#[command(allow_missing_positional = true)]
#[command(group = ArgGroup::new("source").required(true).multiple(true).args(["objects", "kubeconfig", "context"]))]
pub struct Explain {
    /// The method of the request.
    #[arg(value_name = "METHOD", default_value = "GET")]
    method: String,
    /// Its URL, such as https://shop.example.com/cart.
    #[arg(value_name = "URL", required = true)]
    url: String,
    /// A header of the request; may be repeated. `host` stands for the URL's host.
    #[arg(long = "header", value_name = "NAME=VALUE")]
    headers: Vec<String>,
    /// The name that TLS asks for [default: the URL's host]
    #[arg(long, value_name = "NAME")]
    sni: Option<String>,
    /// The manifests under this folder are the whole cluster; may be repeated.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["kubeconfig", "context"])]
    objects: Vec<PathBuf>,
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Ask only the Ingresses, HTTPProxies and IngressRoutes of this class.
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// Ask only this Gateway.
    #[arg(long, value_name = "NAMESPACE/NAME", value_parser = gateway)]
    gateway: Option<ObjectRef>,
    /// The port that the connection goes to [default: that of the URL]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    #[command(flatten)]
    config: ConfigArgs,
    /// How the answer is written.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// How the answer is written.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Output {
    /// For a terminal.
    #[default]
    Text,
    /// One line for programs.
    Json,
}

/// The kinds that have a part in who answers.
const KINDS: KindSet = KindSet::of(&[
    Kind::Ingress,
    Kind::IngressClass,
    Kind::Service,
    Kind::Namespace,
    Kind::GatewayClass,
    Kind::Gateway,
    Kind::ListenerSet,
    Kind::HttpRoute,
    Kind::GrpcRoute,
    Kind::TlsRoute,
    Kind::TcpRoute,
    Kind::UdpRoute,
    Kind::ReferenceGrant,
    Kind::IngressRoute,
    Kind::TlsCertificateDelegation,
    Kind::HttpProxy,
    Kind::ProxyCertificateDelegation,
]);

impl Explain {
    /// Prints the answer. The code is 0 where somebody answers, 1 where nobody does, 2 where a manifest cannot be read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let plan = self.config.plan(None)?;
        let request = Request::parse(&self.method, &self.url, &self.headers, self.sni.as_deref(), self.port)?;
        let (cluster, manifests, is_whole) = if self.objects.is_empty() { self.live()? } else { self.folder()? };
        let read = manifests.iter().filter_map(|manifest| Some((&manifest.place, manifest.object().ok()?)));
        let objects: Vec<Stored<'_>> = read.map(|(place, object)| Stored { place: place.clone(), object }).collect();
        let scope = Scope { class: self.class, gateway: self.gateway };
        let world = World::new(&objects, &cluster, plan.config());
        let answer = world.ask(&request, &scope);
        say(&match self.output {
            Output::Text => answer::text(&answer),
            Output::Json => answer::json(&answer),
        })?;
        for words in world.unheard_of(&scope) {
            eprintln!("portcullis: {words}");
        }
        Ok(ExitCode::from(match (is_whole, &answer.winner) {
            (false, _) => exit::USAGE,
            (true, Some(_)) => exit::CLEAN,
            (true, None) => exit::REFUSED,
        }))
    }

    /// What the folder holds, and whether all of it can be read.
    fn folder(&self) -> anyhow::Result<(Cluster, Vec<Manifest>, bool)> {
        let mut folder = Folder::new(&self.objects, true);
        let mut cluster = Cluster::default();
        for event in folder.refresh().context("--objects")? {
            cluster.apply(event);
        }
        let problems = folder.problems();
        for problem in &problems {
            eprintln!("portcullis: {}", problem.0);
        }
        // Of an object that stands in two places the view has the first.
        let mut seen = BTreeSet::new();
        let first = folder.manifests().filter(|manifest| seen.insert(&manifest.place)).cloned().collect();
        Ok((cluster, first, problems.is_empty()))
    }

    /// What the cluster holds.
    fn live(&self) -> anyhow::Result<(Cluster, Vec<Manifest>, bool)> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listed = listing::read(&self.cluster, KINDS, KINDS, "the answer goes without them");
        let (cluster, manifests) = runtime.block_on(listed)?;
        Ok((cluster, manifests, true))
    }
}

/// A Gateway as it is named on the command line.
fn gateway(written: &str) -> Result<ObjectRef, String> {
    match written.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
            Ok(ObjectRef::new(Kind::Gateway, namespace, name))
        }
        _ => Err("want NAMESPACE/NAME".to_owned()),
    }
}
