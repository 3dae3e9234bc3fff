//! `unlisted: FirstNamespace` and the graph of IngressRoutes: after each change of any object, the incremental verdicts
//! equal those from scratch, and a root is refused if and only if an audit would deny its host.

use std::collections::BTreeMap;

use portcullis_core::checks::{Operation, Plan, Write};
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState};
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use portcullis_core::routing::delegation::verdict::{InvalidReason, RootRefusal};
use portcullis_core::routing::delegation::{GraphState, GraphStatus};
use portcullis_testing::config::plan;
use portcullis_testing::pages::today;
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

const SEEDS: u64 = 1_000;
const EDITS: usize = 8;
const CONFIG: &str = "checks: {'*': Off, host/not-owned: Deny}\nhostOwnership: {unlisted: FirstNamespace}\n";
const HOSTS: [&str; 2] = ["shop.example.com", "cart.example.com"];
const NAMESPACES: [&str; 2] = ["web", "team"];

/// The objects, by reference.
type Objects = BTreeMap<ObjectRef, String>;

fn random(rng: &mut Rng) -> (ObjectRef, String) {
    let (namespace, host) = (rng.pick(&NAMESPACES), rng.pick(&HOSTS));
    let (kind, namespace, name, spec) = match rng.below(12) {
        0 => (Kind::Ingress, namespace, "shop", ingress(rng, host)),
        1 | 2 => (Kind::HttpRoute, namespace, "shop", route(rng, host)),
        3 => (Kind::HttpProxy, namespace, "shop", json!({"spec": {"virtualhost": {"fqdn": host}}})),
        4 => (Kind::Gateway, "infra", "edge", gateway(rng, host)),
        5 => (Kind::ListenerSet, "infra", "more", listener_set(rng, host)),
        6 | 7 => (Kind::Namespace, "", namespace, json!({"metadata": {"labels": {"open": rng.pick(&["yes", "no"])}}})),
        8 => (
            Kind::IngressClass,
            "",
            "public",
            json!({"spec": {"controller": rng.pick(&["k8s.io/ingress-nginx", "a.b/c"])}}),
        ),
        _ => (Kind::IngressRoute, namespace, rng.pick(&["one", "other"]), ingress_route(rng, host)),
    };
    let mut object = spec;
    let metadata = object["metadata"].as_object_mut().map(std::mem::take).unwrap_or_default();
    object["metadata"] = json!({"namespace": namespace, "name": name});
    if rng.one_in(2) {
        object["metadata"]["creationTimestamp"] = json!(format!("2026-01-0{}T00:00:00Z", 1 + rng.below(5)));
    }
    metadata.into_iter().for_each(|(key, value)| object["metadata"][key] = value);
    (ObjectRef::new(kind, namespace, name), object.to_string())
}

fn ingress(rng: &mut Rng, host: &str) -> Value {
    let alias = if rng.one_in(3) { json!({"nginx.ingress.kubernetes.io/server-alias": HOSTS[0]}) } else { json!({}) };
    let paths =
        json!([{"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "web", "port": {"number": 80}}}}]);
    let rules = json!([{"host": host, "http": {"paths": paths}}]);
    json!({"metadata": {"annotations": alias}, "spec": {"ingressClassName": "public", "rules": rules}})
}

fn route(rng: &mut Rng, host: &str) -> Value {
    let parent = match rng.below(3) {
        0 => json!({"name": "edge", "namespace": "infra"}),
        1 => json!({"kind": "ListenerSet", "name": "more", "namespace": "infra"}),
        _ => json!({"name": "edge", "namespace": "infra", "sectionName": "web"}),
    };
    let hostnames = if rng.one_in(3) { json!([host]) } else { json!([]) };
    json!({"spec": {"parentRefs": [parent], "hostnames": hostnames}})
}

fn listeners(rng: &mut Rng, host: &str) -> Value {
    let from = match rng.below(3) {
        0 => json!({"from": "All"}),
        1 => json!({"from": "Same"}),
        _ => json!({"from": "Selector", "selector": {"matchLabels": {"open": "yes"}}}),
    };
    let allowed = json!({"namespaces": from});
    json!([{"name": "web", "port": 80, "protocol": "HTTP", "hostname": host, "allowedRoutes": allowed}])
}

fn gateway(rng: &mut Rng, host: &str) -> Value {
    let sets = json!({"namespaces": {"from": rng.pick(&["All", "None"])}});
    json!({"spec": {"gatewayClassName": "edge", "listeners": listeners(rng, host), "allowedListeners": sets}})
}

fn listener_set(rng: &mut Rng, host: &str) -> Value {
    json!({"spec": {"parentRef": {"name": "edge"}, "listeners": listeners(rng, host)}})
}

fn ingress_route(rng: &mut Rng, host: &str) -> Value {
    let class = if rng.one_in(3) { json!({"kubernetes.io/ingress.class": "other"}) } else { json!({}) };
    let spec =
        json!({"virtualhost": {"fqdn": host}, "routes": [{"match": "/", "services": [{"name": "web", "port": 80}]}]});
    json!({"metadata": {"annotations": class}, "spec": spec})
}

fn services() -> impl Iterator<Item = (ObjectRef, String)> {
    NAMESPACES.into_iter().map(|namespace| {
        let service = json!({"metadata": {"namespace": namespace, "name": "web"}, "spec": {"ports": [{"port": 80}]}});
        (ObjectRef::new(Kind::Service, namespace, "web"), service.to_string())
    })
}

fn apply(kind: Kind, json: &str) -> Event {
    Event::Apply(Facts::of(&decode(kind, json).expect("each variant can be decoded")))
}

/// The verdicts on all IngressRoutes.
fn verdicts(state: &GraphState) -> BTreeMap<ObjectRef, GraphStatus> {
    state.iter().map(|(object_ref, verdict)| (object_ref.clone(), verdict.clone())).collect()
}

fn from_scratch(objects: &Objects, plan: &Plan) -> BTreeMap<ObjectRef, GraphStatus> {
    let (mut cluster, mut state) = (Cluster::with(SyncState::Complete), GraphState::default());
    objects.iter().for_each(|(object_ref, json)| cluster.apply(apply(object_ref.kind, json)));
    state.reconcile(cluster.take_dirty(), &cluster, plan.graph_rules(today()));
    verdicts(&state)
}

/// Whether an audit denies the stored object.
fn is_denied(object_ref: &ObjectRef, json: &str, cluster: &Cluster, plan: &Plan) -> bool {
    let object = decode(object_ref.kind, json).expect("each variant can be decoded");
    let write = Write { operation: Operation::Stored, this: object_ref, user: None, now: today() };
    plan.check(&object, || None, &Overlay::new(cluster, object_ref), &write).denies()
}

#[test]
fn verdicts_follow_the_namespace_that_is_first() {
    let (plan, mut refused, mut accepted) = (plan(CONFIG), 0, 0);
    for seed in 0..SEEDS {
        let mut rng = Rng::new(seed);
        let mut objects: Objects = services().collect();
        (0..12).for_each(|_| objects.extend([random(&mut rng)]));
        let (mut cluster, mut state) = (Cluster::with(SyncState::Complete), GraphState::default());
        objects.iter().for_each(|(object_ref, json)| cluster.apply(apply(object_ref.kind, json)));
        for edit in 0..EDITS {
            state.reconcile(cluster.take_dirty(), &cluster, plan.graph_rules(today()));
            let now = verdicts(&state);
            assert_eq!(now, from_scratch(&objects, &plan), "seed {seed}, edit {edit}: {objects:#?}");
            for (object_ref, verdict) in &now {
                let is_refused = verdict.why.as_deref() == Some(&InvalidReason::Root(RootRefusal::Owner));
                let is_denied = is_denied(object_ref, &objects[object_ref], &cluster, &plan);
                assert_eq!(is_refused, is_denied, "seed {seed}, edit {edit}: {object_ref}: {objects:#?}");
                *(if is_refused { &mut refused } else { &mut accepted }) += 1;
            }
            let (object_ref, json) = random(&mut rng);
            match rng.one_in(4) && objects.remove(&object_ref).is_some() {
                true => cluster.apply(Event::Delete(object_ref)),
                false => {
                    cluster.apply(apply(object_ref.kind, &json));
                    objects.insert(object_ref, json);
                }
            }
        }
    }
    assert!(refused > 2_000 && accepted > 2_000, "{refused} refused and {accepted} accepted roots prove little");
}
