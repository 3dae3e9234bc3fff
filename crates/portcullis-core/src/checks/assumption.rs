//! Findings that depend on the channel of a Gateway API bundle that is only assumed: the newest standard one, if neither a CRD nor the
//! configuration (`gatewayBundle`) names it. What the other channel would not report is then a warning.

use super::Context;
use super::settings::Settings;
use crate::bundle::{Bundle, Channel};
use crate::field::{FieldPath, Segment};
use crate::finding::{Action, Finding, Findings};

/// Whether the bundle is assumed: no CRD of the kind is known that says which bundle it belongs to, and the configuration
/// sets no `gatewayBundle`. This does not depend on the operation, since manifests are also checked as writes.
pub(super) fn is_bundle_assumed(settings: &Settings, cx: &Context<'_>) -> bool {
    let kind = cx.this.kind;
    settings.config.gateway_bundle.is_none() && kind.is_gateway_api() && !cx.cluster.is_schema_reported(kind)
}

/// The other channel of the release of `bundle`.
pub(super) fn other_channel(bundle: Bundle) -> Bundle {
    let channel = match bundle.channel {
        Channel::Standard => Channel::Experimental,
        Channel::Experimental => Channel::Standard,
    };
    Bundle { channel, ..bundle }
}

/// Whether the fault at `other` concerns the same element as the one at `one`: the element of a list itself, or else the object that
/// contains the field. A field of `spec` has no element but itself.
pub(super) fn is_of_one_element(one: &FieldPath, other: &FieldPath) -> bool {
    let element = match one.segments() {
        [_, _, .., Segment::Index(_)] => one.segments(),
        [element @ .., _] if element.len() > 1 => element,
        field => field,
    };
    other.segments().starts_with(element)
}

/// Turns findings that the other channel of the assumed bundle would not produce into warnings. Returns their
/// addresses, each with the action before.
pub(super) fn downgrade(
    id: &'static str,
    assumed: Bundle,
    found: &mut [Finding],
    cx: &Context<'_>,
    check: impl Fn(&Context<'_>, &mut Findings<'_>),
) -> Vec<(FieldPath, Action)> {
    let mut otherwise = Vec::new();
    let cluster = cx.cluster.assuming(other_channel(assumed));
    check(&Context { cluster: &cluster, ..*cx }, &mut Findings::of(id, &mut otherwise));
    let mut downgraded = Vec::new();
    for finding in found {
        if !otherwise.iter().any(|other| other.at == finding.at && other.at_most == finding.at_most) {
            downgraded.push((finding.at.clone(), finding.at_most));
            finding.only_warns();
        }
    }
    downgraded
}
