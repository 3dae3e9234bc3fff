//! What is found only because of the channel of a Gateway API bundle that is assumed and not known.

use super::settings::Settings;
use super::{Context, Operation};
use crate::bundle::{Bundle, Channel};
use crate::finding::{Finding, Findings};

/// Whether the bundle is assumed: the object is judged offline, nothing says which CRDs there are, and the configuration does not either.
pub(super) fn is_made(settings: &Settings, cx: &Context<'_>) -> bool {
    let kind = cx.this.kind;
    let is_offline = cx.operation == Operation::Stored && settings.config.gateway_bundle.is_none();
    is_offline && kind.is_gateway_api() && !cx.cluster.schema(kind).enforced
}

/// Turns findings that the other channel of the assumed bundle would not give into warnings; tells whether there are any.
pub(super) fn soften(
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
    let mut hangs = false;
    for finding in found {
        if !otherwise.iter().any(|other| other.at == finding.at && other.at_most == finding.at_most) {
            finding.only_warns();
            hangs = true;
        }
    }
    hangs
}
