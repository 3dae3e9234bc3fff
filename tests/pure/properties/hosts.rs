//! Hosts across kinds: compares conflicts, clashes and claims of other namespaces in the indexes with a pairwise search
//! in plain lists.

mod plain;
mod scan;

use std::collections::BTreeSet;

use portcullis_core::cluster::gateway_facts::GatewayRouteFacts;
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState};
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use portcullis_core::matching::{Depth, Host};
use portcullis_core::routing::conflict::{self, RouteMatches};
use portcullis_core::routing::presence::Presence;
use portcullis_core::routing::{Hosts, kind_lookup};
use portcullis_testing::rng::Rng;
use serde_json::json;

use self::plain::{GOOD, HOSTS, NAMES, NAMESPACES, Place, ROUTES};
use self::scan::Scan;

const EVENTS: usize = 100_000;
const BETWEEN_QUESTIONS: usize = 15;

#[test]
fn across_kinds_the_index_answers_as_a_scan_does() {
    let mut rng = Rng::new(0);
    let (mut cluster, mut scan) = (Cluster::with(SyncState::Complete), Scan::default());
    for name in NAMESPACES {
        let label = if GOOD.contains(&name) { "yes" } else { "no" };
        let namespace = json!({"metadata": {"name": name, "labels": {"good": label}}}).to_string();
        cluster.apply(Event::Apply(Facts::of(&decode(Kind::Namespace, &namespace).expect("a Namespace"))));
    }
    let mut found = [0; 6];
    for event in 1..=EVENTS {
        cluster.apply(scan.change(&mut rng));
        if event % BETWEEN_QUESTIONS == 0 {
            let object_ref = (rng.pick(&ROUTES[..2]), rng.pick(&NAMESPACES), rng.pick(&NAMES));
            let host = rng.pick(&HOSTS);
            let counts = ask(&cluster, &scan, object_ref, host, event);
            found.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
        }
    }
    assert!(found.iter().all(|count| *count > 100), "the random objects cover too little: {found:?}");
}

/// Compares the answers about one route, listeners with its name, and one host. Returns the number of results of each
/// question.
fn ask(cluster: &Cluster, scan: &Scan, object_ref: Place, host: &str, event: usize) -> [usize; 6] {
    let this = ObjectRef::new(object_ref.0, object_ref.1, object_ref.2);
    let overlay = Overlay::new(cluster, &this);
    let after = || format!("after {event}: {object_ref:?} {host}");

    let parsed = Host::parse(host);
    let mut others =
        overlay.with_host_outside_namespace(&parsed, object_ref.1).map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(others, scan.outside_namespace(host, object_ref.1), "{}", after());
    let mut ingresses: Vec<_> =
        overlay.ingresses_with_host(&parsed).map(|facts| facts.object_ref.to_string()).collect();
    ingresses.sort();
    assert_eq!(ingresses, scan.ingresses(host), "{}", after());

    let twice = ask_names(cluster, scan, (Kind::TlsRoute, object_ref.1, object_ref.2), event);
    let mut counts = [0, 0, 0, others.drain(..).count(), ingresses.len(), twice];
    let claims = |object_ref: Place| {
        let plain = scan.0.get(&object_ref)?;
        let json = plain.json(object_ref);
        let object = decode(object_ref.0, &json).expect("an object");
        let claims = Hosts::OfObject(&object).claims(&overlay);
        let claims: BTreeSet<_> = claims.iter().map(|claim| claim.host.to_string()).collect();
        assert_eq!(claims, scan.claims(object_ref), "{}", after());
        Some(claims.len())
    };
    let _ = claims((Kind::ListenerSet, object_ref.1, "a"));
    let _ = claims((Kind::TlsRoute, object_ref.1, object_ref.2));
    let _ = claims((Kind::IngressRoute, object_ref.1, object_ref.2));
    let _ = claims((Kind::HttpProxy, object_ref.1, object_ref.2));
    let Some(claimed) = claims(object_ref) else { return counts };

    let json = scan.0[&object_ref].json(object_ref);
    let object = decode(object_ref.0, &json).expect("a route");
    let route = object.route().expect("a route");
    let facts = GatewayRouteFacts::of(&route);
    let keys: Vec<_> =
        portcullis_core::matching::request::canonical_matches(&route).into_iter().map(|matched| matched.at).collect();
    let presence = Presence::of(&facts, &overlay);
    let matches = RouteMatches::of(&route, &presence, &overlay);
    let conflicts = matches.map(|matches| matches.conflicts(&matches.claims(), |_, _| true));
    let conflicts: BTreeSet<_> = conflicts
        .into_iter()
        .flatten()
        .map(|conflict| {
            let position = keys.iter().position(|at| *at == conflict.matched.at).expect("a match of the route");
            (position, conflict.host.to_string(), conflict.other.object_ref.to_string())
        })
        .collect();
    assert_eq!(conflicts, scan.conflicts(object_ref), "{}", after());

    // What depends on more routes than are looked up is marked as uncertain. No clash is missing.
    let clashes = kind_lookup::of_kinds(&facts, &overlay, |_, _| true);
    let clash = |clash: &kind_lookup::KindClash<'_>| {
        (
            clash.host.to_string(),
            clash.listener.name.to_string(),
            clash.other.object_ref.to_string(),
            clash.accepts_this,
        )
    };
    let certain: BTreeSet<_> = clashes.iter().filter(|clash| !clash.is_uncertain).map(clash).collect();
    let expected = scan.clashes(object_ref);
    let shared: BTreeSet<_> = expected.iter().map(|(_, clash)| clash.clone()).collect();
    assert!(certain.is_subset(&shared), "{}: {certain:?} {expected:?}", after());
    let is_within = |host: &str| {
        let own = Host::parse(if host == "*" { "" } else { host });
        clashes.iter().any(|clash| own.covers(&clash.host, Depth::AnyLabels))
    };
    let is_found = expected.iter().all(|(host, _)| is_within(host));
    assert!(is_found, "{}: {clashes:?}", after());
    counts[..3].copy_from_slice(&[conflicts.len(), certain.len(), claimed]);
    counts
}

/// Compares the answers about one TLSRoute. Returns how many of its hosts another TLSRoute has, too.
fn ask_names(cluster: &Cluster, scan: &Scan, object_ref: Place, event: usize) -> usize {
    let Some(plain) = scan.0.get(&object_ref) else { return 0 };
    let this = ObjectRef::new(object_ref.0, object_ref.1, object_ref.2);
    let json = plain.json(object_ref);
    let object = decode(object_ref.0, &json).expect("an object");
    let facts = GatewayRouteFacts::of(&object.route().expect("a route"));
    let overlay = Overlay::new(cluster, &this);
    let clashes = conflict::of_names(&facts, &overlay, |_, _| true);
    let named = clashes.iter().map(|clash| (clash.host.to_string(), clash.other.object_ref.to_string()));
    let named: BTreeSet<_> = named.collect();
    assert_eq!(named, scan.named_twice(object_ref), "after {event}: {object_ref:?}");
    named.len()
}
