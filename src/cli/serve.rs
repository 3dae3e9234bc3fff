//! `portcullis serve`: view, plan, certificate and endpoints, wired together.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use tokio::net::TcpListener;

use super::ConfigArgs;
use super::access::AccessArgs;
use crate::files::Folder;
use crate::runtime::{Readiness, Supervisor, VerdictCache, reconcile, reload};
use crate::server::{Limits, Server, Traffic, Transport, WebhookState, handlers, health, listen};
use crate::telemetry::{self, IngressRoutes, LogFormat, Metrics};
use crate::tls::{Files, authority, server_config, server_config_for_clients};
use crate::watch;
use portcullis_core::cluster::SharedCluster;
use portcullis_core::review::Reviewer;

/// The name by which the API server calls the webhook in the shipped manifests.
const SERVICE: &str = "portcullis.portcullis.svc";

/// Serve the webhooks, for a cluster or for a folder of manifests.
#[derive(Debug, Args)]
pub struct Serve {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    cluster: super::ClusterArgs,
    /// Use the manifests in this folder instead of a cluster.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["kubeconfig", "context"])]
    objects: Option<PathBuf>,
    /// With --objects: treat the folder as the whole cluster, in which kinds that it does not contain have no objects.
    #[arg(long, requires = "objects")]
    complete: bool,
    /// The HTTPS address of the webhooks [default: 0.0.0.0:9443, with --objects 127.0.0.1:9443]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// The HTTP address of probes and metrics [default: 0.0.0.0:8080, with --objects 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    health_listen: Option<SocketAddr>,
    /// The folder of the development certificates; they are created if missing.
    #[arg(long, value_name = "DIR", default_value = "certs", conflicts_with_all = ["tls_cert", "tls_key"])]
    cert_dir: PathBuf,
    /// An additional name for the development certificate.
    #[arg(long, value_name = "NAME")]
    cert_name: Vec<String>,
    /// The serving certificate (PEM); reloaded when it changes.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The key of the serving certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    #[command(flatten)]
    access: AccessArgs,
    /// The format of log lines.
    #[arg(long, value_enum, default_value_t)]
    log_format: LogFormat,
}

impl Serve {
    /// Serves until SIGTERM or SIGINT.
    pub fn run(self) -> anyhow::Result<()> {
        telemetry::start(self.log_format);
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(self.serve())
    }

    async fn serve(self) -> anyhow::Result<()> {
        let stop_wish = stop_wish()?;
        let traffic = Traffic::default();
        let verdicts = Arc::<VerdictCache>::default();
        let counted = IngressRoutes::new(verdicts.clone());
        let metrics = Arc::new(Metrics::new(counted, |registry| traffic.register(registry)));
        let cluster = Arc::<SharedCluster>::default();
        let (plan, text) = self.config.read(None)?;
        let reviewer = Reviewer::new(plan, Arc::clone(&cluster));
        let reviewer = Arc::new(if self.objects.is_none() { reviewer.reserving() } else { reviewer });
        metrics.plan(&reviewer.plan());
        let certificate = Arc::new(self.certificate().await?);
        let readiness = Arc::new(Readiness::new(&reviewer, &cluster, &metrics, &certificate));
        let mut supervisor = Supervisor::default();
        match &self.objects {
            Some(dir) => self.fill_from(dir, &cluster, &readiness, &mut supervisor)?,
            None => self.watch(&reviewer, &cluster, &mut supervisor).await?,
        }
        if let (Some(file), Some(text)) = (self.config.config.clone(), text) {
            let args = self.config.clone();
            let parse = move |text: &str| args.plan_of(text, None);
            let reloading = reload::config(file, text, parse, Arc::clone(&reviewer), Arc::clone(&readiness));
            supervisor.spawn("configuration reloader", reloading);
        }

        let reconciling = reconcile(verdicts, Arc::clone(&cluster), Arc::clone(&reviewer));
        supervisor.spawn("IngressRoute reconciler", reconciling);

        let access = self.access.follow(&readiness, &mut supervisor)?;
        let limits = Limits::default();
        let webhook = bind(self.listen.unwrap_or_else(|| self.default_address(9443)), &limits)?;
        let health = bind(self.health_listen.unwrap_or_else(|| self.default_address(8080)), &limits)?;
        tracing::info!(webhook = %webhook.local_addr()?, health = %health.local_addr()?, "serving");
        let config = if access.clients.is_some() { server_config_for_clients } else { server_config };
        let transport = config(certificate.certificate()).into();
        let desk = WebhookState::new(reviewer, metrics, access, limits.clone());
        let reviews = Server { router: handlers::router(desk), transport, limits: limits.clone(), traffic };
        let (router, traffic) = (health::router(readiness), Traffic::default());
        let probes = Server { router, transport: Transport::Plain, limits, traffic };
        supervisor.spawn("certificate reloader", async move { certificate.start().await });
        // Probes and metrics are answered as long as a review is.
        supervisor.spawn("health endpoint", probes.serve(health, std::future::pending()));
        let mut ended = Ok(());
        let stop = async {
            tokio::select! {
                () = stop_wish => {}
                failure = supervisor.failure() => ended = Err(failure),
            }
            tracing::info!("stopping; waiting for requests in flight");
        };
        reviews.serve(webhook, stop).await;
        ended
    }

    fn default_address(&self, port: u16) -> SocketAddr {
        let ip = if self.objects.is_some() { Ipv4Addr::LOCALHOST } else { Ipv4Addr::UNSPECIFIED };
        (ip, port).into()
    }

    async fn certificate(&self) -> anyhow::Result<Files> {
        let (certificate, key) = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => (certificate.clone(), key.clone()),
            _ => {
                let mut names = self.cert_name.clone();
                names.push(SERVICE.to_owned());
                let paths = authority::ensure(&self.cert_dir, &names)?;
                (paths.certificate, paths.key)
            }
        };
        Ok(Files::open(certificate, key, Files::INTERVAL).await?)
    }

    /// Fills the view from a folder before serving starts.
    fn fill_from(
        &self,
        dir: &PathBuf,
        cluster: &Arc<SharedCluster>,
        readiness: &Arc<Readiness>,
        supervisor: &mut Supervisor,
    ) -> anyhow::Result<()> {
        let mut folder = Folder::new(std::slice::from_ref(dir), self.complete);
        let events = folder.refresh().context("--objects")?;
        let problems = folder.problems();
        if !problems.is_empty() {
            let lines: Vec<String> = problems.into_iter().map(|problem| problem.0).collect();
            bail!(lines.join("\n"));
        }
        cluster.apply(events);
        let (cluster, readiness) = (Arc::clone(cluster), Arc::clone(readiness));
        supervisor.spawn("manifest reloader", reload::folder(folder, cluster, readiness));
        Ok(())
    }

    /// Fills the view from a cluster while serving.
    async fn watch(
        &self,
        reviewer: &Arc<Reviewer>,
        cluster: &Arc<SharedCluster>,
        supervisor: &mut Supervisor,
    ) -> anyhow::Result<()> {
        let client =
            watch::watching_client(self.cluster.kubeconfig.as_deref(), self.cluster.context.as_deref()).await?;
        let reviewer = Arc::clone(reviewer);
        let needs: watch::Needs = Arc::new(move || {
            let plan = reviewer.plan();
            watch::Wanted { kinds: plan.needs(), schemas: plan.needs_schemas() }
        });
        supervisor.spawn("cluster watch", watch::keep(client, needs, Arc::clone(cluster)));
        Ok(())
    }
}

fn bind(address: SocketAddr, limits: &Limits) -> anyhow::Result<TcpListener> {
    listen(address, limits).with_context(|| format!("cannot listen on {address}"))
}

/// Resolves at SIGTERM or SIGINT, including one that arrives between this call and the first poll.
fn stop_wish() -> anyhow::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
