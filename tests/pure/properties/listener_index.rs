//! Compares the index of listeners with a search of all Gateways and ListenerSets.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_core::cluster::gateway_facts::ListenersFacts;
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState};
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use portcullis_core::routing::listener_conflict::{ListenerConflict, conflict, winners};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

const EVENTS: usize = 3_000;
const NAMESPACES: [&str; 4] = ["infra", "web", "bank", "arms"];
const GATEWAYS: [&str; 2] = ["edge", "inner"];
const PROTOCOLS: [&str; 7] = ["HTTP", "HTTPS", "TLS", "TCP", "UDP", "HBONE", "example.com/quic"];
const HOSTS: [&str; 4] = ["", "a.example", "*.example", "A.example."];

fn listeners(rng: &mut Rng) -> Value {
    let one = |number: usize, rng: &mut Rng| {
        let port = (!rng.one_in(9)).then(|| 80 + rng.below(2));
        json!({"name": format!("l{number}"), "port": port, "protocol": rng.pick(&PROTOCOLS), "hostname": rng.pick(&HOSTS)})
    };
    (0..rng.below(4)).map(|number| one(number, rng)).collect()
}

/// A Gateway, or a ListenerSet of one.
fn object(rng: &mut Rng) -> ListenersFacts {
    let listeners = listeners(rng);
    let (kind, json) = if rng.one_in(5) {
        let metadata = json!({"namespace": "infra", "name": rng.pick(&GATEWAYS)});
        (Kind::Gateway, json!({"metadata": metadata, "spec": {"gatewayClassName": "public", "listeners": listeners}}))
    } else {
        let created = (!rng.one_in(5)).then(|| format!("2026-11-0{}T00:00:00Z", 1 + rng.below(3)));
        let name = rng.pick(&["a", "b", "c"]);
        let metadata = json!({"namespace": rng.pick(&NAMESPACES), "name": name, "creationTimestamp": created});
        let parent = json!({"namespace": "infra", "name": rng.pick(&GATEWAYS)});
        (Kind::ListenerSet, json!({"metadata": metadata, "spec": {"parentRef": parent, "listeners": listeners}}))
    };
    match Facts::of(&decode(kind, &json.to_string()).expect("an object with listeners")) {
        Facts::Listeners(facts) => facts,
        other => panic!("{other:?}"),
    }
}

/// The objects that `listener` of `own` loses to: of each namespace the one that takes precedence, for each reason and
/// protocol.
fn searched(all: &BTreeMap<ObjectRef, ListenersFacts>, own: &ListenersFacts, listener: usize) -> BTreeSet<String> {
    let rivals = all.values().filter(|other| {
        other.gateway() == own.gateway() && other.object_ref != own.object_ref && other.precedence(own).is_lt()
    });
    let mut first: BTreeMap<String, &ListenersFacts> = BTreeMap::new();
    for other in rivals {
        for theirs in &other.listeners {
            let Some(conflict) = conflict(&own.listeners[listener], theirs) else { continue };
            let key = format!("{conflict:?} {} {}", theirs.protocol, other.object_ref.namespace);
            let winner = first.entry(key).or_insert(other);
            if other.precedence(winner).is_lt() {
                *winner = other;
            }
        }
    }
    first.into_iter().map(|(key, winner)| format!("{key} {}", winner.object_ref)).collect()
}

#[test]
fn index_of_listeners_answers_like_a_search() {
    let mut rng = Rng::new(33);
    let (mut cluster, mut all) = (Cluster::with(SyncState::Complete), BTreeMap::new());
    let mut found = [0, 0];
    for _ in 0..EVENTS {
        let stored: Vec<ObjectRef> = all.keys().cloned().collect();
        if !stored.is_empty() && rng.one_in(3) {
            let gone = stored[rng.below(stored.len())].clone();
            all.remove(&gone);
            cluster.apply(Event::Delete(gone));
        } else {
            let facts = object(&mut rng);
            all.insert(facts.object_ref.clone(), facts.clone());
            cluster.apply(Event::Apply(Facts::Listeners(facts)));
        }
        let own = object(&mut rng);
        let overlay = Overlay::new(&cluster, &own.object_ref);
        for (index, listener) in own.listeners.iter().enumerate() {
            let indexed: BTreeSet<String> = winners(listener, &own, &overlay)
                .map(|(conflict, protocol, winner)| {
                    found[usize::from(conflict == ListenerConflict::Protocol)] += 1;
                    format!("{conflict:?} {protocol} {} {}", winner.object_ref.namespace, winner.object_ref)
                })
                .collect();
            assert_eq!(indexed, searched(&all, &own, index), "{own:?}");
        }
        let others =
            all.values().filter(|other| other.gateway() == own.gateway() && other.object_ref != own.object_ref);
        assert_eq!(overlay.listener_count(own.gateway()), others.map(|other| other.listeners.len()).sum::<usize>());
    }
    assert!(found.iter().all(|found| *found > 300), "{found:?}");
}
