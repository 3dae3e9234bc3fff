//! `route/hostname-not-served`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::ParentFacts;
use crate::finding::Findings;
use crate::kinds::{Kind, Route, walk};
use crate::matching::Host;
use crate::names;
use crate::routing::attachment::{NotAllowedReason, RouteSubject, stopped_at};

pub static CHECK: Check = Check {
    id: "route/hostname-not-served",
    needs: &[Kind::Gateway, Kind::ListenerSet, Kind::Namespace],
    page: include_str!("hostname_not_served.md"),
    run: Run::Route(check),
    ..Check::reference(Actions::ACROSS)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // Other checks report malformed hosts and IP addresses.
    let hosts = route.hostnames().iter().map(|host| Host::parse(host));
    let hosts: Vec<_> = hosts.filter(|host| host.is_well_formed() && !names::is_ip(host.parts().1)).collect();
    if hosts.is_empty() {
        return;
    }
    let applicant = RouteSubject { kind: route.kind(), namespace: cx.namespace(), hosts: &hosts };
    for (at, parent) in walk::route::parent_refs(route) {
        let Some(facts) = ParentFacts::of(parent, cx.namespace()) else { continue };
        let Some(stopped) = stopped_at(NotAllowedReason::Hostname, &applicant, &facts, cx.cluster) else { continue };
        let own = hosts.iter().map(Host::to_string).collect::<Vec<_>>().join(", ");
        found
            .invalid(at, &own, "{other} has no listener for {} ({})")
            .redactable(&stopped.listed(|listener| format!("{}: {}", listener.name, listener.host)), "other hosts")
            .other(&facts.target);
    }
}
