//! Whether an Ingress is the only one with a host.

use crate::checks::Context;
use crate::kinds::Kind;
use crate::matching::Host;

/// Whether it is known that no other Ingress has a rule for `host`.
pub(super) fn is_sole(host: &Host<'_>, cx: &Context<'_>) -> bool {
    *host != Host::Any && cx.cluster.is_complete(Kind::Ingress) && cx.cluster.ingresses_with_host(host).next().is_none()
}
