//! Findings that depend on the channel of a Gateway API bundle that is only assumed.

use super::settings::Settings;
use super::{Context, Operation};
use crate::bundle::{Bundle, Channel};
use crate::finding::{Finding, Findings};

/// Whether the bundle is assumed: the check runs offline, no CRD in the input says which bundle it belongs to, and the
/// configuration sets no `gatewayBundle`.
pub(super) fn is_bundle_assumed(settings: &Settings, cx: &Context<'_>) -> bool {
    let kind = cx.this.kind;
    let is_offline = cx.operation == Operation::Stored && settings.config.gateway_bundle.is_none();
    is_offline && kind.is_gateway_api() && !cx.cluster.schema(kind).enforced
}

/// Turns findings that the other channel of the assumed bundle would not produce into warnings. Returns whether there
/// were any.
pub(super) fn downgrade(
    id: &'static str,
    assumed: Bundle,
    found: &mut [Finding],
    cx: &Context<'_>,
    check: impl Fn(&Context<'_>, &mut Findings<'_>),
) -> bool {
    let channel = match assumed.channel {
        Channel::Standard => Channel::Experimental,
        Channel::Experimental => Channel::Standard,
    };
    let mut otherwise = Vec::new();
    let cluster = cx.cluster.assuming(Bundle { channel, ..assumed });
    check(&Context { cluster: &cluster, ..*cx }, &mut Findings::of(id, &mut otherwise));
    let mut is_downgraded = false;
    for finding in found {
        if !otherwise.iter().any(|other| other.at == finding.at && other.at_most == finding.at_most) {
            finding.only_warns();
            is_downgraded = true;
        }
    }
    is_downgraded
}
