//! `portcullis serve`: connects the view, the plan, the certificate and the endpoints.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{ArgGroup, Args};
use tokio::net::TcpListener;

use super::access::AccessArgs;
use super::certificate::CertificateArgs;
use super::config_map::{ConfigMapArgs, follow_file};
use super::controller::{ControllerArgs, ControllerParts};
use super::duration::parse_duration;
use super::enforce::EnforceArgs;
use super::lease::LeaseArgs;
use super::shutdown::{ShutdownArgs, Signals, released, serve_until_failure, shutting_down};
use super::state::all_if;
use super::{ClusterArgs, ConfigArgs};
use crate::config_map;
use crate::files::Folder;
use crate::lease::{LeaderGauge, Leadership, Moment};
use crate::platform;
use crate::runtime::{
    ConfigTarget, LossEvents, Readiness, RecheckTiming, Supervisor, VerdictCache, process_metrics, recheck, reconcile,
    reload,
};
use crate::server::{
    Health, Isolation, Limits, Phase, Rechecks, Server, Shutdown, Traffic, Transport, WebhookState, async_workers,
    handlers, health, listen,
};
use crate::telemetry::{self, EnforcementMetrics, IssuerMetrics, LogFormat, Metrics};
use crate::tls::{server_config, server_config_for_clients};
use crate::watch::{self, ApiServer, ClaimReader, Watched};
use portcullis_core::checks::Plan;
use portcullis_core::cluster::{Cluster, SharedCluster};
use portcullis_core::config::ConfigFile;
use portcullis_core::review::Reviewer;

/// The port of the webhooks by default. Control planes outside of the cluster's network reach it without a firewall rule of its own, since
/// it is the kubelet's.
const WEBHOOK_PORT: u16 = 10250;
/// The same with a folder of manifests, on a machine that may run a kubelet.
const LOCAL_WEBHOOK_PORT: u16 = 9443;
/// The port of the health endpoint by default.
pub(super) const HEALTH_PORT: u16 = 8080;

/// Serve the webhooks, for a cluster or for a folder of manifests.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("webhook_writer").multiple(true))]
pub struct ServeArgs {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    config_map: ConfigMapArgs,
    /// Use this profile instead of the one in the configuration; `audit` denies nothing that the configuration does not deny by name.
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(flatten)]
    controller: ControllerArgs,
    #[command(flatten)]
    lease: LeaseArgs,
    /// The name of this replica, by which `portcullis arm` recognizes it: in a pod, the name of the pod [default: the hostname]
    #[arg(long, env = "POD_NAME", value_name = "NAME", value_parser = replica_name)]
    replica_name: Option<String>,
    /// Use the manifests in this folder instead of a cluster.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["kubeconfig", "context", "ca_secret", "enforce"])]
    objects: Option<PathBuf>,
    /// With --objects: treat the folder as the whole cluster, in which kinds that it does not contain, except Secrets, have no objects.
    #[arg(long, requires = "objects")]
    complete: bool,
    /// The HTTPS address of the webhooks [default: [::]:10250, with --objects 127.0.0.1:9443]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// The HTTP address of probes and metrics [default: [::]:8080, with --objects 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    health_listen: Option<SocketAddr>,
    #[command(flatten)]
    certificate: CertificateArgs,
    #[command(flatten)]
    enforce: EnforceArgs,
    #[command(flatten)]
    access: AccessArgs,
    #[command(flatten)]
    shutdown: ShutdownArgs,
    /// How long a kind stays known although the API server does not confirm it.
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = parse_duration, hide = true)]
    stale_after: Duration,
    /// The format of log lines.
    #[arg(long, value_enum, default_value_t)]
    log_format: LogFormat,
}

impl ServeArgs {
    /// Serves until SIGTERM or SIGINT.
    pub fn run(self) -> anyhow::Result<()> {
        telemetry::start(self.log_format);
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(async_workers()).enable_all().build()?;
        runtime.block_on(self.serve())
    }

    async fn serve(self) -> anyhow::Result<()> {
        let (signals, shutdown) = (Signals::new()?, Shutdown::default());
        let (traffic, verdicts) = (Traffic::default(), Arc::<VerdictCache>::default());
        let (gauge, issuer, api_server) = (LeaderGauge::default(), IssuerMetrics::default(), self.api_server().await?);
        let (controller, issuing) = (self.controller.parts(), self.certificate.issues().then_some(&issuer));
        let (ingress_routes, writing) =
            (self.controller.ingress_routes(&verdicts, &gauge), controller.as_ref().map(|parts| &parts.metrics));
        let enforcement = self.enforce.is_given().then(EnforcementMetrics::default);
        let parts = (issuing, enforcement.as_ref(), writing, api_server.as_ref());
        let metrics = Arc::new(process_metrics(ingress_routes, &traffic, &gauge, parts));
        let cluster = Arc::new(SharedCluster::new(Cluster::default().limited()));
        let (plan, files) = self.config.read(self.profile.as_deref())?;
        let reviewer = self.reviewer(plan, &cluster).await?;
        metrics.plan(&reviewer.plan());
        let mut supervisor = Supervisor::default();
        let leadership = self.elect(gauge, &shutdown, &mut supervisor).await?;
        let certificate = self.certificate.source(&self.cluster, leadership.as_ref(), &issuer, &mut supervisor).await?;
        let (server, election) = (api_server.clone(), leadership.clone());
        let readiness = Arc::new(Readiness::new(&reviewer, &cluster, &metrics, &certificate, server, election));
        readiness.include(shutting_down(shutdown.clone()));
        self.enforce(enforcement, leadership.as_ref(), &readiness, &mut supervisor).await?;
        let isolation = isolation(api_server.clone());
        self.fill(api_server.clone(), (&reviewer, controller.as_ref()), &cluster, &readiness, &mut supervisor)?;
        self.control(controller, leadership.as_ref(), (&cluster, &verdicts, &reviewer), &mut supervisor).await?;
        let target = self.config_target(&reviewer, &readiness);
        self.follow_config(files, target, api_server.zip(leadership.clone()), &mut supervisor).await?;
        let claims = self.claim_reader().await?;
        supervisor.spawn("IngressRoute reconciler", reconcile(verdicts, cluster, Arc::clone(&reviewer)));

        let access = self.access.follow(&readiness, &mut supervisor)?;
        let limits = Limits { drain_timeout: self.shutdown.drain_timeout, ..Limits::default() };
        let [webhook, health] = self.listeners(&limits)?;
        let config = if access.clients.is_some() { server_config_for_clients } else { server_config };
        let transport = config(certificate.certificate()).into();
        let events = self.loss_events().await?;
        let rechecks = rechecks(&reviewer, &metrics, events, &mut supervisor);
        let state = WebhookState::new(reviewer, metrics, access, isolation, rechecks, limits.clone());
        let state = state.reading_claims(claims);
        let reviews = Server { router: handlers::router(state), transport, limits: limits.clone(), traffic };
        let alive = Arc::clone(&readiness);
        supervisor.spawn("heartbeat", async move { alive.beat().await });
        serve_health(health, readiness, limits, &mut supervisor)?;
        supervisor.spawn("signal handler", signals.follow(shutdown.clone()));
        let served = serve_until_failure(reviews.serve(webhook, shutdown.clone()), &shutdown, &mut supervisor).await;
        released(leadership, &shutdown).await;
        served
    }

    /// The sockets of the webhooks and of the health endpoint.
    fn listeners(&self, limits: &Limits) -> anyhow::Result<[TcpListener; 2]> {
        let port = if self.objects.is_some() { LOCAL_WEBHOOK_PORT } else { WEBHOOK_PORT };
        let webhook = bind(self.listen.unwrap_or_else(|| self.default_address(port)), limits)?;
        let health = bind(self.health_listen.unwrap_or_else(|| self.default_address(HEALTH_PORT)), limits)?;
        tracing::info!(webhook = %webhook.local_addr()?, health = %health.local_addr()?, "serving");
        Ok([webhook, health])
    }

    /// Fills the view from the folder, or from the API server while serving.
    fn fill(
        &self,
        api_server: Option<ApiServer>,
        consumers: (&Arc<Reviewer>, Option<&ControllerParts>),
        cluster: &Arc<SharedCluster>,
        readiness: &Arc<Readiness>,
        supervisor: &mut Supervisor,
    ) -> anyhow::Result<()> {
        if let Some(server) = api_server {
            self.watch(server, consumers, cluster, supervisor);
        }
        self.objects.as_ref().map_or(Ok(()), |dir| self.fill_from(dir, cluster, readiness, supervisor))
    }

    /// The reviewer in the name of this replica. In a folder no object of an admitted write appears, so nothing is reserved there.
    async fn reviewer(&self, plan: Plan, cluster: &Arc<SharedCluster>) -> anyhow::Result<Arc<Reviewer>> {
        let name = self.replica_name.clone().unwrap_or_else(platform::host_name);
        let mut reviewer = Reviewer::new(plan, Arc::clone(cluster)).limiting(platform::thread_cpu).named(name);
        if let Some(name) = self.config_map.name().map(str::to_owned) {
            let namespace = self.cluster.watching_client().await?.default_namespace().to_owned();
            let (args, profile, map) = (self.config.clone(), self.profile.clone(), name.clone());
            let parse = move |files: &[ConfigFile]| args.plan_of(files, profile.as_deref()).map(drop);
            let faults = move |json: &str| config_map::faults(json, &map, &parse);
            reviewer = reviewer.awaiting_configuration().configured_by(namespace, name, faults);
        }
        Ok(Arc::new(if self.objects.is_none() { reviewer.reserving(|| Moment::now().since_boot()) } else { reviewer }))
    }

    fn default_address(&self, port: u16) -> SocketAddr {
        let is_local = self.objects.is_some();
        let ip: IpAddr = if is_local { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        (ip, port).into()
    }

    /// The sender of Events about lost requests, unless the view is filled from a folder.
    async fn loss_events(&self) -> anyhow::Result<Option<LossEvents>> {
        match self.objects {
            Some(_) => Ok(None),
            None => Ok(Some(LossEvents::new(self.cluster.watching_client().await?))),
        }
    }

    /// The reader of HostClaims, unless the view is filled from a folder.
    async fn claim_reader(&self) -> anyhow::Result<Option<ClaimReader>> {
        match self.objects {
            Some(_) => Ok(None),
            None => Ok(Some(ClaimReader::new(self.cluster.watching_client().await?))),
        }
    }

    /// Takes part in the election of a leader, if an option needs one.
    async fn elect(
        &self,
        gauge: LeaderGauge,
        shutdown: &Shutdown,
        supervisor: &mut Supervisor,
    ) -> anyhow::Result<Option<Leadership>> {
        let is_needed = self.config_map.is_given() || self.certificate.issues() || self.enforce.is_given();
        if !is_needed && !self.controller.is_on() {
            return Ok(None);
        }
        let shutdown = shutdown.clone();
        let stop = async move { shutdown.reached(Phase::Draining).await };
        Ok(Some(self.lease.elect(self.cluster.watching_client().await?, gauge, stop, supervisor)))
    }

    /// What each version of the configuration changes.
    fn config_target(&self, reviewer: &Arc<Reviewer>, readiness: &Arc<Readiness>) -> ConfigTarget {
        let (args, profile) = (self.config.clone(), self.profile.clone());
        let parse = move |files: &[ConfigFile]| args.plan_of(files, profile.as_deref());
        ConfigTarget::new(parse, Arc::clone(reviewer), Arc::clone(readiness))
    }

    /// Keeps the webhook configuration at `failurePolicy: Fail`, if this process enforces and so has metrics of that.
    async fn enforce(
        &self,
        metrics: Option<EnforcementMetrics>,
        leadership: Option<&Leadership>,
        readiness: &Readiness,
        supervisor: &mut Supervisor,
    ) -> anyhow::Result<()> {
        let (Some(metrics), Some(leadership)) = (metrics, leadership) else { return Ok(()) };
        let health_port = self.health_listen.map_or(HEALTH_PORT, |address| address.port());
        let target = (self.certificate.webhook_configurations(), health_port);
        readiness.include(self.enforce.start(target, &self.cluster, leadership.clone(), metrics, supervisor).await?);
        Ok(())
    }

    /// Starts the controller, if there is one.
    async fn control(
        &self,
        controller: Option<ControllerParts>,
        leadership: Option<&Leadership>,
        (cluster, verdicts, reviewer): (&Arc<SharedCluster>, &Arc<VerdictCache>, &Arc<Reviewer>),
        supervisor: &mut Supervisor,
    ) -> anyhow::Result<()> {
        if let (Some(controller), Some(leadership)) = (controller, leadership) {
            let election = (self.cluster.watching_client().await?, leadership.clone());
            controller.start(election, cluster, verdicts, reviewer, supervisor);
        }
        Ok(())
    }

    /// Follows the configuration, which is in effect if it is in files. One in a ConfigMap needs the API server and the
    /// election.
    async fn follow_config(
        &self,
        files: Option<Vec<ConfigFile>>,
        target: ConfigTarget,
        cluster: Option<(ApiServer, Leadership)>,
        supervisor: &mut Supervisor,
    ) -> anyhow::Result<()> {
        match cluster.filter(|_| self.config_map.is_given()) {
            Some((server, leadership)) => {
                let client = self.cluster.watching_client().await?;
                self.config_map.follow(target, &server, client, leadership, supervisor);
            }
            None => follow_file(self.config.config.as_deref(), files, target, supervisor),
        }
        Ok(())
    }

    /// Fills the view from a folder before serving starts.
    fn fill_from(
        &self,
        dir: &PathBuf,
        cluster: &Arc<SharedCluster>,
        readiness: &Arc<Readiness>,
        supervisor: &mut Supervisor,
    ) -> anyhow::Result<()> {
        let mut folder = Folder::new(std::slice::from_ref(dir), all_if(self.complete));
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
    fn watch(
        &self,
        server: ApiServer,
        (reviewer, controller): (&Arc<Reviewer>, Option<&ControllerParts>),
        cluster: &Arc<SharedCluster>,
        supervisor: &mut Supervisor,
    ) {
        let (reviewer, more) = (Arc::clone(reviewer), ControllerParts::needs(controller));
        let watched = Watched { cluster: Arc::clone(cluster), observer: controller.map(ControllerParts::observer) };
        let needs: watch::Needs = Arc::new(move || {
            let plan = reviewer.plan();
            watch::Wanted { kinds: plan.needs().union(more), schemas: plan.needs_schemas() || !more.is_empty() }
        });
        supervisor.spawn("API server probe", server.clone().probe());
        supervisor.spawn("cluster watch", watch::keep(server, needs, watched, self.stale_after));
    }

    /// The API server to watch; none if the view comes from a folder.
    async fn api_server(&self) -> anyhow::Result<Option<ApiServer>> {
        let ClusterArgs { kubeconfig, context } = &self.cluster;
        Ok(match self.objects {
            Some(_) => None,
            None => Some(watch::api_server(kubeconfig.as_deref(), context.as_deref()).await?),
        })
    }
}

/// Follows how current the view is.
fn isolation(api_server: Option<ApiServer>) -> Isolation {
    Isolation::new(move || api_server.as_ref()?.outdated())
}

/// Collects admitted creations, and checks them again.
fn rechecks(
    reviewer: &Arc<Reviewer>,
    metrics: &Arc<Metrics>,
    events: Option<LossEvents>,
    supervisor: &mut Supervisor,
) -> Rechecks {
    let (rechecks, admitted) = Rechecks::new();
    supervisor.spawn(
        "recheck of admitted objects",
        recheck(admitted, RecheckTiming::default(), Arc::clone(reviewer), Arc::clone(metrics), events),
    );
    rechecks
}

/// Serves probes and metrics on a thread of its own, so that a busy replica is not taken for a dead one. This endpoint has no stop
/// signal, so it answers until the last review is answered.
pub(super) fn serve_health(
    listener: TcpListener,
    health: Arc<dyn Health>,
    limits: Limits,
    supervisor: &mut Supervisor,
) -> io::Result<()> {
    let (router, traffic) = (health::router(health), Traffic::default());
    let probes = Server { router, transport: Transport::Plain, limits, traffic };
    supervisor.spawn_thread("health endpoint", || {
        // It belongs to the runtime in which it is made.
        let listener = TcpListener::from_std(listener.into_std()?)?;
        Ok(async move {
            probes.serve(listener, Shutdown::default()).await;
        })
    })
}

/// The name of a replica, which becomes one word of a message.
fn replica_name(text: &str) -> Result<String, &'static str> {
    let is_word = !text.is_empty() && text.chars().all(|next| next.is_ascii_graphic());
    if is_word { Ok(text.to_owned()) } else { Err("must be a name without spaces") }
}

pub(super) fn bind(address: SocketAddr, limits: &Limits) -> anyhow::Result<TcpListener> {
    listen(address, limits).with_context(|| format!("cannot listen on {address}"))
}
