//! `listener-set/listener-conflict`

use crate::checks::host::{Rival, rival_by_ownership};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::ListenersFacts;
use crate::finding::Findings;
use crate::kinds::{Kind, ListenerSet, walk};
use crate::matching::Host;
use crate::routing::listener_conflict::{self, ListenerConflict};

pub static CHECK: Check = Check {
    id: "listener-set/listener-conflict",
    needs: &[Kind::Gateway, Kind::ListenerSet],
    page: include_str!("listener_conflict.md"),
    run: Run::ListenerSet(check),
    ..Check::conflict(Actions::ACROSS)
};

fn check(set: &ListenerSet<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let own = ListenersFacts::of_set(set);
    let Some(parent) = own.parent.as_ref().filter(|parent| parent.kind == Kind::Gateway) else { return };
    let gateway = match cx.cluster.listeners(parent) {
        Lookup::Found(gateway) => Some(gateway),
        Lookup::Absent | Lookup::Unknown => None,
    };
    let sets = cx.cluster.sets_of(parent).filter(|other| listener_conflict::precedes(other, &own));
    let winners = gateway.into_iter().chain(sets);
    let listeners = set.listeners();
    for ((at, _), (listener, loss)) in
        walk::listener::listeners(&listeners).zip(listener_conflict::listener_conflicts(&own, winners))
    {
        let Some((conflict, theirs, winner)) = loss else { continue };
        let Some(rival) = rival_by_ownership(&listener.host, &winner.object_ref, cx) else { continue };
        let (field, message) = match conflict {
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
        finding.args([&port, &*theirs.protocol]).other(&winner.object_ref);
        if rival == Rival::Squatter {
            finding.only_warns();
        }
    }
}
