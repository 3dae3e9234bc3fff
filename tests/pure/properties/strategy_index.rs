//! Which objects use another load balancing strategy for a Service: compares the index with a scan of all objects,
//! after many changes.

use std::collections::BTreeMap;

use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState};
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

const EVENTS: usize = 20_000;
const NAMESPACES: [&str; 2] = ["edge", "team"];
const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
const SERVICES: [&str; 2] = ["web", "api"];
const PORTS: [i64; 2] = [80, 443];
/// The first one is the default strategy.
const STRATEGIES: [&str; 3] = ["RoundRobin", "Random", "Cookie"];
const CLASSES: [Option<&str>; 2] = [None, Some("inner")];

/// A Service, its port, and the load balancing strategy.
type Use = (&'static str, i64, &'static str);

/// An object as the oracle stores it.
struct Plain {
    class: Option<&'static str>,
    uses: Vec<Use>,
}

impl Plain {
    fn random(rng: &mut Rng) -> Self {
        let uses = (0..rng.below(4)).map(|_| (rng.pick(&SERVICES), rng.pick(&PORTS), rng.pick(&STRATEGIES)));
        let uses = uses.collect();
        Self { class: rng.pick(&CLASSES), uses }
    }

    fn facts(&self, object_ref: &ObjectRef) -> Facts {
        let service = |(name, port, strategy): &Use| match *strategy == STRATEGIES[0] {
            true => json!({"name": name, "port": port}),
            false => json!({"name": name, "port": port, "strategy": strategy}),
        };
        let services: Value = self.uses.iter().map(service).collect();
        let annotations: Value = self.class.map_or(json!({}), |class| json!({"kubernetes.io/ingress.class": class}));
        let metadata = json!({"namespace": object_ref.namespace, "name": object_ref.name, "annotations": annotations});
        let object = json!({"metadata": metadata, "spec": {"routes": [{"match": "/", "services": services}]}});
        Facts::of(&decode(object_ref.kind, &object.to_string()).expect("it is an IngressRoute"))
    }
}

#[test]
fn strategy_index_equals_a_scan() {
    let mut rng = Rng::new(16);
    let mut cluster = Cluster::with(SyncState::Complete);
    let mut all: BTreeMap<ObjectRef, Plain> = BTreeMap::new();
    let mut found = 0;
    for event in 0..EVENTS {
        let object_ref = ObjectRef::new(Kind::IngressRoute, rng.pick(&NAMESPACES), rng.pick(&NAMES));
        if rng.one_in(4) {
            all.remove(&object_ref);
            cluster.apply(Event::Delete(object_ref));
        } else {
            let plain = Plain::random(&mut rng);
            cluster.apply(Event::Apply(plain.facts(&object_ref)));
            all.insert(object_ref, plain);
        }
        let this = ObjectRef::new(Kind::IngressRoute, rng.pick(&NAMESPACES), rng.pick(&NAMES));
        let (service, port, strategy) = (rng.pick(&SERVICES), rng.pick(&PORTS), rng.pick(&STRATEGIES));
        let class = rng.pick(&CLASSES);
        let view = Overlay::new(&cluster, &this);
        let service_ref = (&*this.namespace, service);
        let reported: Vec<_> = view.users_with_other_strategy(service_ref, port, class, strategy).collect();
        let beside = all.iter().filter(|(object_ref, plain)| {
            **object_ref != this && object_ref.namespace == this.namespace && plain.class == class
        });
        let mut expected: Vec<_> = beside
            .flat_map(|(object_ref, plain)| plain.uses.iter().map(move |used| (used, object_ref)))
            .filter(|((name, own, how), _)| (*name, *own) == (service, port) && *how != strategy)
            .map(|((_, _, how), object_ref)| (*how, object_ref))
            .collect();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(reported, expected, "event {event}");
        found += expected.len();
    }
    assert!(found > EVENTS / 4, "{found} findings prove little");
}
