//! Hosts across kinds: what the indexes find of conflicts, clashes and strangers against plain lists that are searched pair by pair.

mod plain;
mod scan;

use std::collections::BTreeSet;

use portcullis_core::cluster::gateway_facts::GatewayRouteFacts;
use portcullis_core::cluster::{Cluster, Event, Facts, Knowledge, Overlay};
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use portcullis_core::matching::Host;
use portcullis_core::routing::{Hosts, conflict, kind_clash};
use serde_json::json;

use self::plain::{GOOD, HOSTS, NAMES, NAMESPACES, Place, ROUTES};
use self::scan::Scan;
use super::dice::Dice;

const EVENTS: usize = 100_000;
const BETWEEN_QUESTIONS: usize = 15;

pub fn across_kinds_the_index_answers_as_a_scan_does() {
    let mut dice = Dice::new(0);
    let (mut cluster, mut scan) = (Cluster::with(Knowledge::Complete), Scan::default());
    for name in NAMESPACES {
        let label = if GOOD.contains(&name) { "yes" } else { "no" };
        let namespace = json!({"metadata": {"name": name, "labels": {"good": label}}}).to_string();
        cluster.apply(Event::Put(Facts::of(&decode(Kind::Namespace, &namespace).expect("a Namespace"))));
    }
    let mut found = [0; 6];
    for event in 1..=EVENTS {
        cluster.apply(scan.change(&mut dice));
        if event % BETWEEN_QUESTIONS == 0 {
            let place = (dice.pick(&ROUTES[..2]), dice.pick(&NAMESPACES), dice.pick(&NAMES));
            let host = dice.pick(&HOSTS);
            let counts = ask(&cluster, &scan, place, host, event);
            found.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
        }
    }
    assert!(found.iter().all(|count| *count > 100), "the dice ask too little: {found:?}");
}

/// Asks about one route, listeners of its name and one host; how many of each were found.
fn ask(cluster: &Cluster, scan: &Scan, place: Place, host: &str, event: usize) -> [usize; 6] {
    let this = ObjectRef::new(place.0, place.1, place.2);
    let overlay = Overlay::new(cluster, &this);
    let after = || format!("after {event}: {place:?} {host}");

    let parsed = Host::parse(host);
    let mut strangers = overlay.strangers_with_host(&parsed, place.1).map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(strangers, scan.strangers(host, place.1), "{}", after());
    let mut ingresses: Vec<_> = overlay.ingresses_with_host(&parsed).map(|facts| facts.place.to_string()).collect();
    ingresses.sort();
    assert_eq!(ingresses, scan.ingresses(host), "{}", after());

    let twice = ask_names(cluster, scan, (Kind::TlsRoute, place.1, place.2), event);
    let mut counts = [0, 0, 0, strangers.drain(..).count(), ingresses.len(), twice];
    let claims = |place: Place| {
        let plain = scan.0.get(&place)?;
        let json = plain.json(place);
        let object = decode(place.0, &json).expect("an object");
        let claims = Hosts::Of(&object).claims(&overlay);
        let claims: BTreeSet<_> = claims.iter().map(|claim| claim.host.to_string()).collect();
        assert_eq!(claims, scan.claims(place), "{}", after());
        Some(claims.len())
    };
    let _ = claims((Kind::ListenerSet, place.1, "a"));
    let _ = claims((Kind::TlsRoute, place.1, place.2));
    let _ = claims((Kind::IngressRoute, place.1, place.2));
    let _ = claims((Kind::HttpProxy, place.1, place.2));
    let Some(claimed) = claims(place) else { return counts };

    let json = scan.0[&place].json(place);
    let object = decode(place.0, &json).expect("a route");
    let route = object.route().expect("a route");
    let facts = GatewayRouteFacts::of(&route);
    let keys: Vec<_> = portcullis_core::matching::request::asked(&route).into_iter().map(|asked| asked.at).collect();
    let conflicts = conflict::of_matches(&route, &facts, &overlay, |_, _| false);
    let conflicts: BTreeSet<_> = conflicts
        .into_iter()
        .map(|conflict| {
            let position = keys.iter().position(|at| *at == conflict.asked.at).expect("a match of the route");
            (position, conflict.host.to_string(), conflict.other.place.to_string())
        })
        .collect();
    assert_eq!(conflicts, scan.conflicts(place), "{}", after());

    let clashes = kind_clash::of_kinds(&facts, &overlay, |_, _| false);
    let clash = |clash: &kind_clash::KindClash<'_>| {
        (clash.host.to_string(), clash.listener.name.to_string(), clash.other.place.to_string(), clash.is_taken)
    };
    let (clashes, expected) = (clashes.iter().map(clash).collect::<BTreeSet<_>>(), scan.clashes(place));
    assert!(clashes.is_subset(&expected), "{}: {clashes:?} {expected:?}", after());
    let hosts = |of: &BTreeSet<(String, String, String, bool)>| {
        of.iter().map(|(host, ..)| host.clone()).collect::<BTreeSet<_>>()
    };
    assert_eq!(hosts(&clashes), hosts(&expected), "{}", after());
    counts[..3].copy_from_slice(&[conflicts.len(), clashes.len(), claimed]);
    counts
}

/// Asks about one TLSRoute; how many of its hosts another takes too.
fn ask_names(cluster: &Cluster, scan: &Scan, place: Place, event: usize) -> usize {
    let Some(plain) = scan.0.get(&place) else { return 0 };
    let this = ObjectRef::new(place.0, place.1, place.2);
    let json = plain.json(place);
    let object = decode(place.0, &json).expect("an object");
    let facts = GatewayRouteFacts::of(&object.route().expect("a route"));
    let overlay = Overlay::new(cluster, &this);
    let clashes = conflict::of_names(&facts, &overlay, |_, _| false);
    let named = clashes.iter().map(|clash| (clash.host.to_string(), clash.other.place.to_string()));
    let named: BTreeSet<_> = named.collect();
    assert_eq!(named, scan.named_twice(place), "after {event}: {place:?}");
    named.len()
}
