//! Leader election of `portcullis serve`: its options.

use clap::Args;
use kube::Client;

use crate::lease::{Elector, LeaderGauge, Leadership, Timing};
use crate::runtime::Supervisor;

/// The options of the election.
#[derive(Debug, Args)]
pub struct LeaseArgs {
    /// The Lease in the own namespace by which one replica at a time is chosen for the writes that only one may make. Used only
    /// with options that need such writes.
    #[arg(long, value_name = "NAME", default_value = "portcullis")]
    lease: String,
}

impl LeaseArgs {
    /// Takes part in the election until `stop` resolves, and releases the Lease then.
    pub fn elect(
        &self,
        client: Client,
        gauge: LeaderGauge,
        stop: impl Future<Output = ()> + Send + 'static,
        supervisor: &mut Supervisor,
    ) -> Leadership {
        elect(client, &self.lease, gauge, stop, supervisor)
    }
}

/// Takes part in the election by this Lease until `stop` resolves, and releases it then.
pub fn elect(
    client: Client,
    lease: &str,
    gauge: LeaderGauge,
    stop: impl Future<Output = ()> + Send + 'static,
    supervisor: &mut Supervisor,
) -> Leadership {
    let (elector, leadership) = Elector::new(client, lease, Timing::default(), gauge);
    supervisor.spawn("leader election", async move {
        elector.run(stop).await;
        // The process ends later, once its connections have.
        std::future::pending().await
    });
    leadership
}
