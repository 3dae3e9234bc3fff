//! The controller of `portcullis serve`: its option, and its connections to the other parts.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use kube::Client;
use tokio::sync::Notify;

use super::duration::parse_duration;
use crate::controller::{Controller, Granter, HostGrantsWriter, Inbox, NEEDS};
use crate::lease::{LeaderGauge, Leadership};
use crate::runtime::{Supervisor, VerdictCache};
use crate::telemetry::{IngressRoutes, StatusMetrics};
use crate::watch::ObjectObserver;
use portcullis_core::cluster::SharedCluster;
use portcullis_core::kinds::KindSet;
use portcullis_core::review::Reviewer;

/// The option of the controller.
#[derive(Debug, Args)]
pub struct ControllerArgs {
    /// Write the status of IngressRoutes, and of the objects of GatewayClasses and IngressClasses of this controller, while this
    /// replica holds the Lease.
    #[arg(long, conflicts_with = "objects")]
    controller: bool,
    /// How long a HostRequest and the objects with its host must be gone before the controller deletes the HostClaim that it created.
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = parse_duration)]
    release_hosts_after: Duration,
}

/// The parts of the controller that exist before it runs.
#[derive(Debug, Clone)]
pub struct ControllerParts {
    inbox: Arc<Inbox>,
    wake: Arc<Notify>,
    release_hosts_after: Duration,
    /// Its metrics.
    pub metrics: StatusMetrics,
}

impl ControllerArgs {
    /// Whether there is a controller.
    pub fn is_on(&self) -> bool {
        self.controller
    }

    /// The parts of the controller, if there is one.
    pub fn parts(&self) -> Option<ControllerParts> {
        let new = || {
            let wake = Arc::<Notify>::default();
            let inbox = Arc::new(Inbox::new(Arc::clone(&wake)));
            let release_hosts_after = self.release_hosts_after;
            ControllerParts { inbox, wake, release_hosts_after, metrics: StatusMetrics::default() }
        };
        self.controller.then(new)
    }

    /// The metrics of IngressRoutes. With a controller, only the holder of the Lease exports them.
    pub fn ingress_routes(&self, verdicts: &Arc<VerdictCache>, gauge: &LeaderGauge) -> IngressRoutes {
        let (metrics, gauge) = (IngressRoutes::new(Arc::clone(verdicts) as _), gauge.clone());
        if self.controller { metrics.only_while(move || gauge.is_leader()) } else { metrics }
    }
}

impl ControllerParts {
    /// The kinds that it needs of `parts`, if there is a controller.
    pub fn needs(parts: Option<&Self>) -> KindSet {
        if parts.is_some() { NEEDS } else { KindSet::EMPTY }
    }

    /// The receiver of watched objects.
    pub fn observer(&self) -> Arc<dyn ObjectObserver> {
        Arc::clone(&self.inbox) as _
    }

    /// Starts the controller.
    pub fn start(
        self,
        election: (Client, Leadership),
        cluster: &Arc<SharedCluster>,
        verdicts: &Arc<VerdictCache>,
        reviewer: &Arc<Reviewer>,
        supervisor: &mut Supervisor,
    ) {
        let seen = (Arc::clone(cluster), Arc::clone(&self.inbox));
        let (inbox, view) = ((self.inbox, self.wake), Arc::clone(cluster));
        let (verdicts, reviewer) = (Arc::clone(verdicts), Arc::clone(reviewer));
        let granter = Granter::new(election.clone(), seen, Arc::clone(&reviewer), self.release_hosts_after);
        supervisor.spawn("HostRequest controller", granter.run());
        let host_grants = HostGrantsWriter::new(election.clone(), Arc::clone(cluster), Arc::clone(&reviewer));
        supervisor.spawn("HostGrants writer", host_grants.run());
        let controller = Controller::new(election, inbox, view, verdicts, reviewer, self.metrics);
        supervisor.spawn("status controller", controller.run());
    }
}
