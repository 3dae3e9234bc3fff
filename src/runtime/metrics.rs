//! Which metrics a serving process has.

use crate::lease::LeaderGauge;
use crate::server::{Rejection, Traffic};
use crate::telemetry::{EnforcementMetrics, IngressRoutes, IssuerMetrics, Metrics, StatusMetrics};
use crate::watch::ApiServer;

/// The metrics of the parts that not every process has.
pub type OptionalMetrics<'m> =
    (Option<&'m IssuerMetrics>, Option<&'m EnforcementMetrics>, Option<&'m StatusMetrics>, Option<&'m ApiServer>);

/// The metrics of a process that consists of these parts. A process without an issuer, a controller or an API server, or
/// that does not enforce, has no metrics of it.
pub fn process_metrics(
    ingress_routes: IngressRoutes,
    traffic: &Traffic,
    leader: &LeaderGauge,
    (issuer, enforcement, controller, api_server): OptionalMetrics<'_>,
) -> Metrics {
    let metrics = Metrics::new(ingress_routes, |registry| {
        traffic.register(registry);
        leader.register(registry);
        issuer.into_iter().for_each(|issuer| issuer.register(registry));
        enforcement.into_iter().for_each(|enforcement| enforcement.register(registry));
        controller.into_iter().for_each(|controller| controller.register(registry));
        api_server.into_iter().for_each(|server| server.register(registry));
    });
    metrics.init_refused(Rejection::Busy.reason());
    metrics
}
