//! `portcullis maintain`: writes the CA and the webhook configurations, for replicas that may only read them.

use std::net::{Ipv6Addr, SocketAddr};
use std::sync::Arc;

use clap::{ArgGroup, Args};

use super::ClusterArgs;
use super::enforce::EnforceArgs;
use super::issuer::{IssuerArgs, IssuerContext};
use super::lease::elect;
use super::serve::{HEALTH_PORT, bind, serve_health};
use super::shutdown::{Signals, released, serve_until_failure};
use crate::lease::{LeaderGauge, Leadership};
use crate::runtime::{Maintenance, Supervisor};
use crate::server::{Limits, Phase, Shutdown};
use crate::telemetry::{self, EnforcementMetrics, IssuerMetrics, LogFormat};

/// Keep the CA and the webhook configurations up to date, and answer no reviews.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("webhook_writer").multiple(true).required(true))]
pub struct MaintainArgs {
    #[command(flatten)]
    cluster: ClusterArgs,
    /// The Lease in the own namespace by which one replica at a time is chosen; not the one of `portcullis serve`.
    #[arg(long, value_name = "NAME", default_value = "portcullis-maintainer")]
    lease: String,
    #[command(flatten)]
    issuer: IssuerArgs,
    #[command(flatten)]
    enforce: EnforceArgs,
    /// The HTTP address of probes and metrics. With --enforce: its port is that of the replicas, too.
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::from((Ipv6Addr::UNSPECIFIED, HEALTH_PORT)))]
    health_listen: SocketAddr,
    /// The format of log lines.
    #[arg(long, value_enum, default_value_t)]
    log_format: LogFormat,
}

impl MaintainArgs {
    /// Maintains until SIGTERM or SIGINT.
    pub fn run(self) -> anyhow::Result<()> {
        telemetry::start(self.log_format);
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(self.maintain())
    }

    async fn maintain(self) -> anyhow::Result<()> {
        let (signals, shutdown, mut supervisor) = (Signals::new()?, Shutdown::default(), Supervisor::default());
        let listener = bind(self.health_listen, &Limits::default())?;
        let (gauge, stop) = (LeaderGauge::default(), shutdown.clone());
        let stop = async move { stop.reached(Phase::Draining).await };
        let client = self.cluster.watching_client().await?;
        let leadership = elect(client, &self.lease, gauge.clone(), stop, &mut supervisor);
        let health = Arc::new(self.start(&leadership, &gauge, &mut supervisor).await?);
        let alive = Arc::clone(&health);
        supervisor.spawn("heartbeat", async move { alive.beat().await });
        serve_health(listener, health, Limits::default(), &mut supervisor)?;
        tracing::info!(health = %self.health_listen, "maintaining");
        supervisor.spawn("signal handler", signals.follow(shutdown.clone()));
        let ended = serve_until_failure(shutdown.reached(Phase::Draining), &shutdown, &mut supervisor).await;
        released(Some(leadership), &shutdown).await;
        ended
    }

    /// Starts what the options ask for, and says how it is shown.
    async fn start(
        &self,
        leadership: &Leadership,
        gauge: &LeaderGauge,
        supervisor: &mut Supervisor,
    ) -> anyhow::Result<Maintenance> {
        let (issuing, enforcing) = (IssuerMetrics::default(), EnforcementMetrics::default());
        let mut health = Maintenance::new(leadership.clone(), gauge);
        let context = IssuerContext { cluster: &self.cluster, leadership: leadership.clone(), metrics: &issuing };
        if let Some(issuer) = self.issuer.start(false, context, supervisor).await? {
            health = health.issuing(issuer, &issuing);
        }
        if self.enforce.is_given() {
            let target = (self.issuer.webhook_configurations(), self.health_listen.port());
            let (election, metrics) = (leadership.clone(), enforcing.clone());
            let conditions = self.enforce.start(target, &self.cluster, election, metrics, supervisor).await?;
            health = health.enforcing(conditions, &enforcing);
        }
        Ok(health)
    }
}
