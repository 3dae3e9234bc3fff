//! `listener-set/listener-conflict`

use crate::checks::host::{Rival, rival_by_ownership};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::{ListenerFacts, ListenersFacts};
use crate::finding::Findings;
use crate::kinds::protocol::told_apart_by_host;
use crate::kinds::{Kind, ListenerSet, walk};
use crate::matching::Host;
use crate::routing::attachment::allows_set;
use crate::routing::listener_conflict::{self, ListenerConflict, conflict};
use crate::routing::taken_requests::TakenRequests;

pub static CHECK: Check = Check {
    id: "listener-set/listener-conflict",
    needs: &[Kind::Gateway, Kind::ListenerSet],
    page: include_str!("listener_conflict.md"),
    run: Run::ListenerSet(check),
    ..Check::conflict(Actions::ACROSS)
};

fn check(set: &ListenerSet<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let own = ListenersFacts::of_set(set);
    if own.gateway().kind != Kind::Gateway || own.parent.is_none() {
        return;
    }
    let served = TakenRequests::new(&own, cx.cluster);
    let listeners: Vec<_> = walk::listener::listeners(&set.listeners()).map(|(at, _)| at).zip(&own.listeners).collect();
    for (at, listener) in cx.part.of(&listeners) {
        let winners = listener_conflict::winners(listener, &own, cx.cluster);
        let mut rivals: Vec<_> = winners
            .filter_map(|winner| Some((rival_by_ownership(&listener.host, &winner.2.object_ref, cx)?, winner)))
            .collect();
        rivals.sort_by(|(one, (.., winner)), (other, (.., second))| {
            one.cmp(other).then_with(|| winner.precedence(second))
        });
        let first = rivals.into_iter().find(|(_, (.., winner))| may_be_served(listener, winner, cx));
        let Some((rival, (why, protocol, winner))) = first else { continue };
        let is_told_apart = told_apart_by_host(&listener.protocol) == Some(protocol);
        let (field, message) = match why {
            ListenerConflict::Protocol if is_told_apart => (
                "protocol",
                "{other} already uses port {} and this hostname with protocol {}: use another hostname or port",
            ),
            ListenerConflict::Protocol => {
                ("protocol", "{other} already uses port {} with protocol {}: use that protocol or another port")
            }
            ListenerConflict::Hostname if listener.host == Host::Any => {
                ("port", "{other} already uses port {} with protocol {}: set a hostname")
            }
            ListenerConflict::Hostname => ("hostname", "{other} already uses this port, protocol and hostname"),
        };
        let port = listener.port.unwrap_or_default().to_string();
        let value = format!("{port} {} {}", listener.protocol, listener.host);
        let finding = found.duplicate(at.then(field), &value, message);
        finding.args([&port, protocol]).other(&winner.object_ref);
        let is_certain = |served: &TakenRequests<'_, '_>| served.contains(winner) && served.has_rival(listener, winner);
        if !is_told_apart && served.as_ref().is_some_and(is_certain) {
            finding.loses();
        }
        // Not every controller rejects HTTPS and TLS for one hostname.
        if rival == Rival::Squatter || is_told_apart {
            finding.only_warns();
        }
    }
}

/// Whether a valid listener of `winner` that conflicts with `listener` may be served: the Gateway may allow the object, and no
/// other one takes precedence over it.
fn may_be_served(listener: &ListenerFacts, winner: &ListenersFacts, cx: &Context<'_>) -> bool {
    let is_allowed = || match winner.parent.as_ref().map(|gateway| cx.cluster.listeners(gateway)) {
        Some(Lookup::Found(gateway)) => allows_set(gateway, winner, cx.cluster) != Some(false),
        Some(Lookup::Absent) => false,
        Some(Lookup::Unknown) | None => true,
    };
    let is_rival = |theirs: &&ListenerFacts| theirs.error.is_none() && conflict(listener, theirs).is_some();
    let mut rivals = winner.listeners.iter().filter(is_rival);
    winner.error.is_none()
        && is_allowed()
        && rivals.any(|theirs| listener_conflict::winners(theirs, winner, cx.cluster).next().is_none())
}
