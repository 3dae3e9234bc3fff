//! Which Gateways and ListenerSets certainly send requests for a host to a route, or may do so.

use super::attachment::{Attachment, NotAllowedReason, allows_set, default_parents};
use super::listener_conflict::winners;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts};
use crate::cluster::{Lookup, Overlay};
use crate::kinds::Kind;
use crate::matching::Host;
use crate::matching::host::Depth;

/// Whether some listener sends requests for `host` to `route`; `None` if the result depends on something that is not known.
pub fn is_served(route: &GatewayRouteFacts, host: &Host<'_>, cluster: &Overlay<'_>) -> Option<bool> {
    let mut is_known = true;
    for parent in serving_parents(route, host, cluster) {
        match parent {
            Some(_) => return Some(true),
            None => is_known = false,
        }
    }
    is_known.then_some(false)
}

/// The parents of which a listener sends requests for `host` to `route`, and `None` for each of which that is not known.
pub fn serving_parents<'c>(
    route: &GatewayRouteFacts,
    host: &Host<'_>,
    cluster: &Overlay<'c>,
) -> impl Iterator<Item = Option<&'c ListenersFacts>> {
    let are_unknown = route.uses_defaults && !cluster.is_complete(Kind::Gateway);
    let defaults = default_parents(route.uses_defaults, cluster);
    let references = route.parents.iter().cloned().chain(defaults);
    let serving = references.filter_map(move |reference| match Attachment::of(route, &reference, cluster) {
        Attachment::Unknown => Some(None),
        Attachment::NoParent => None,
        Attachment::Decided { parent, listeners } => {
            let is_programmed = is_programmed(parent, cluster);
            let serves = |(listener, refusal): &(&ListenerFacts, Option<NotAllowedReason>)| match refusal {
                _ if is_programmed == Some(false) || !serves_host(listener, parent, host, cluster) => Some(false),
                None => is_programmed,
                Some(NotAllowedReason::Unknown) => None,
                Some(_) => Some(false),
            };
            let all: Vec<Option<bool>> = listeners.iter().map(serves).collect();
            match all.contains(&Some(true)) {
                true => Some(Some(parent)),
                false => all.contains(&None).then_some(None),
            }
        }
    });
    serving.chain(are_unknown.then_some(None))
}

/// Whether a controller may configure the listeners of `parent`: the class of its Gateway exists, and the Gateway allows them if they are
/// those of a ListenerSet. `None` if that is not known.
pub(super) fn is_programmed(parent: &ListenersFacts, cluster: &Overlay<'_>) -> Option<bool> {
    let gateway = match &parent.parent {
        None => parent,
        Some(gateway) => match cluster.listeners(gateway) {
            Lookup::Found(gateway) => match allows_set(gateway, parent, cluster) {
                Some(true) => gateway,
                other => return other,
            },
            Lookup::Absent => return Some(false),
            Lookup::Unknown => return None,
        },
    };
    Some(!matches!(cluster.gateway_class(&gateway.class), Lookup::Absent))
}

/// Whether a listener has requests for `host`: it tells hosts apart, and does not conflict with one of the Gateway itself.
fn serves_host(listener: &ListenerFacts, parent: &ListenersFacts, host: &Host<'_>, cluster: &Overlay<'_>) -> bool {
    let loses = || winners(listener, parent, cluster).any(|(.., winner)| winner.parent.is_none());
    listener.has_host() && listener.host.overlaps(host, Depth::AnyLabels) && (parent.parent.is_none() || !loses())
}
