//! `listener/removed-in-use`

use std::collections::{BTreeMap, BTreeSet};

use crate::checks::{Actions, Check, Context, Run, When};
use crate::cluster::gateway_facts::ParentFacts;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, KindSet, Listener, Listeners, Object, ObjectRef};

pub static CHECK: Check = Check {
    id: "listener/removed-in-use",
    needs: &[Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute, Kind::TcpRoute, Kind::UdpRoute],
    page: include_str!("removed_in_use.md"),
    when: When::Update,
    run: Run::Listeners(check),
    ..Check::reference(Actions::WARN)
};

fn check(listeners: &Listeners<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(old) = cx.old.and_then(Object::listeners) else { return };
    // Most updates keep each listener, and the routes are not looked at.
    fn key<'l>(listener: &'l Listener<'_>) -> (&'l str, Option<i64>) {
        (&*listener.name, listener.port)
    }
    let kept: BTreeSet<_> = listeners.all.iter().map(key).collect();
    if old.all.iter().map(key).all(|listener| kept.contains(&listener)) {
        return;
    }
    // The sections and ports that name no listener any more, each with the first route that has it and the number of the others.
    let mut lost = BTreeMap::<(Option<&str>, Option<i64>), (&ObjectRef, usize)>::new();
    for route in KindSet::ROUTES.iter().flat_map(|kind| cx.cluster.routes_of(cx.this, kind)) {
        for parent in route.parents.iter().filter(|parent| parent.target == *cx.this) {
            if names_a_listener(parent, &old) && !names_a_listener(parent, listeners) {
                let by = lost.entry((parent.section.as_deref(), parent.port));
                by.and_modify(|(_, more)| *more += 1).or_insert((&route.object_ref, 0));
            }
        }
    }
    for ((section, port), (first, more)) in lost {
        let named = match (section, port) {
            (Some(section), None) => format!("listener `{section}`"),
            (Some(section), Some(port)) => format!("listener `{section}` with port {port}"),
            (None, Some(port)) => format!("port {port}"),
            // Another check reports an object without listeners.
            (None, None) => continue,
        };
        let at = At::field("spec.listeners");
        let finding = match more {
            0 => {
                let template = "{other} names {}, which this update removes: move it first";
                found.forbidden(at, &named, template)
            }
            more => {
                let template = "{other} and {} more name {}, which this update removes: move them first";
                found.forbidden(at, &named, template).args([&more.to_string(), &named])
            }
        };
        finding.other(first).only_warns();
    }
}

/// Whether a listener has the section and the port of `parent`.
fn names_a_listener(parent: &ParentFacts, listeners: &Listeners<'_, '_>) -> bool {
    listeners.all.iter().any(|listener| {
        parent.section.as_deref().is_none_or(|section| *section == *listener.name)
            && parent.port.is_none_or(|port| listener.port == Some(port))
    })
}
