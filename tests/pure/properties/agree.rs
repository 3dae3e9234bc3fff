//! Admission and the status of an IngressRoute agree: an admitted object is not invalid, and an object that is invalid
//! by itself is denied with the reason in its status.

use std::collections::BTreeMap;

use portcullis_core::checks::{Operation, Plan, Write};
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState};
use portcullis_core::finding::Action;
use portcullis_core::kinds::{IngressRoute, Kind, Object, decode};
use portcullis_core::routing::delegation::{DelegationState, GraphState};
use portcullis_core::validation::{Effect, ingress_route};
use portcullis_testing::config::plan;
use portcullis_testing::pages::{manifests, today};
use portcullis_testing::rng::Rng;
use serde_json::{Map, Value, json};

const GRAPHS: u64 = 3_000;
const CONFIGURATIONS: [&str; 4] = [
    "profile: baseline\n",
    "profile: baseline\nrootNamespaces: {IngressRoute: [a, b]}\n",
    "profile: baseline\nextensions: [tcpproxy, certdelegation]\n",
    "profile: baseline\nrootNamespaces: {IngressRoute: [a, b]}\nextensions: [tcpproxy, certdelegation]\n",
];

/// The other objects. All Services and certificates that a route may need exist.
const REST: &str = r#"
apiVersion: contour.heptio.com/v1beta1
kind: TLSCertificateDelegation
metadata: {namespace: c, name: lent}
spec: {delegations: [{secretName: cert, targetNamespaces: ["*"]}]}
---
apiVersion: v1
kind: Service
metadata: {namespace: a, name: web}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {namespace: b, name: web}
spec: {type: ExternalName, externalName: web.example.com}
---
apiVersion: v1
kind: Service
metadata: {namespace: c, name: web}
spec: {ports: [{port: 80}]}
"#;

/// One of `good`, but in one of 25 cases one of `bad`.
fn mostly(rng: &mut Rng, good: &[Value], bad: &[Value]) -> Value {
    let of = if rng.one_in(25) { bad } else { good };
    of[rng.below(of.len())].clone()
}

fn service(rng: &mut Rng) -> Value {
    let mut service = json!({"name": "web", "port": 80});
    let odd = [
        ("name", json!("")),
        ("name", json!("Web")),
        ("port", json!(0)),
        ("port", json!(70_000)),
        ("port", Value::Null),
        ("weight", json!(-1)),
        ("weight", json!(4_294_967_296_u64)),
        ("strategy", json!("Maglev")),
        ("healthCheck", json!({"path": "x"})),
        ("healthCheck", json!({"path": "/", "host": "a b"})),
        ("healthCheck", json!({"path": "/", "timeoutSeconds": -1})),
    ];
    if rng.one_in(20) {
        let (field, value) = odd[rng.below(odd.len())].clone();
        service[field] = value;
    }
    service
}

fn delegate(rng: &mut Rng) -> Value {
    let name = mostly(rng, &["x", "y", "z"].map(Value::from), &["", "X", "x/y"].map(Value::from));
    let namespace = mostly(rng, &["a", "b", "c", ""].map(Value::from), &["A".into(), "a.b".into()]);
    json!({"name": name, "namespace": namespace})
}

fn route(rng: &mut Rng) -> Value {
    let good = ["/", "/a", "/a/", "/a/b", "/ab", "/a/b/c"].map(Value::from);
    let mut route = json!({"match": mostly(rng, &good, &["", "a", "/a b", "/\u{7}"].map(Value::from))});
    let (serves, delegates) =
        mostly(rng, &[json!([true, false]), json!([false, true])], &[json!([true, true]), json!([false, false])])
            .as_array()
            .map_or((true, false), |both| (both[0] == true, both[1] == true));
    if serves {
        route["services"] = (0..=rng.below(2)).map(|_| service(rng)).collect();
        route["prefixRewrite"] = mostly(rng, &["".into(), "/x".into()], &["x".into()]);
        if rng.one_in(30) {
            route["service"] = service(rng);
        }
    }
    if delegates {
        route["delegate"] = delegate(rng);
    }
    route
}

fn tls(rng: &mut Rng) -> Value {
    let version = mostly(rng, &["".into(), "1.2".into()], &["9.9".into(), json!(1.0)]);
    let secret = mostly(rng, &["cert".into(), "c/cert".into()], &["".into(), "C/cert".into()]);
    let mut tls = json!({"minimumProtocolVersion": version, "secretName": secret});
    if rng.one_in(6) {
        tls = mostly(rng, &[json!({"passthrough": true})], &[json!({"passthrough": true, "secretName": "cert"})]);
    }
    tls
}

fn ingress_route(rng: &mut Rng) -> Value {
    let mut spec = Map::new();
    if rng.one_in(3) {
        let long = format!("{}.example", "x".repeat(64));
        let bad = ["", " ", "*.example", "one_example", &long].map(Value::from);
        let fqdn = mostly(rng, &["one.example", "two.example", "TWO.example", "three.example"].map(Value::from), &bad);
        let mut host = json!({"fqdn": fqdn});
        if rng.one_in(3) {
            host["tls"] = tls(rng);
        }
        spec.insert("virtualhost".to_owned(), host);
    }
    let routes: Vec<Value> = (0..rng.below(4)).map(|_| route(rng)).collect();
    spec.insert("routes".to_owned(), routes.into());
    if rng.one_in(6) {
        let good = [json!({"services": [service(rng)]}), json!({"delegate": delegate(rng)})];
        let bad = [json!({}), json!({"services": [service(rng)], "delegate": delegate(rng)})];
        spec.insert("tcpproxy".to_owned(), mostly(rng, &good, &bad));
    }
    if rng.one_in(30) {
        spec.insert("strategy".to_owned(), "Fastest".into());
        spec.insert("healthCheck".to_owned(), json!({"path": "healthz"}));
    }
    let class = if rng.one_in(10) { "other" } else { "contour" };
    json!({
        "apiVersion": "contour.heptio.com/v1beta1", "kind": "IngressRoute", "spec": spec,
        "metadata": {
            "namespace": rng.pick(&["a", "b", "c"]), "name": rng.pick(&["x", "y", "z"]),
            "annotations": {"kubernetes.io/ingress.class": class},
        },
    })
}

/// The ids of the checks of the family that deny the creation of `object`.
fn denied_by(plan: &Plan, object: &Object<'_>, cluster: &Cluster) -> Vec<&'static str> {
    let this = object.object_ref();
    let write = Write { operation: Operation::Create, this: &this, user: None, now: today() };
    let judgement = plan.check(object, || None, &Overlay::new(cluster, &this), &write);
    let denied = judgement.findings.iter().filter(|evaluated| evaluated.action == Action::Deny);
    denied.map(|evaluated| evaluated.finding.check).filter(|id| id.starts_with("ingress-route/")).collect()
}

/// Calls `hold` with a random graph, in which invalid objects may be stored, and a new object; under each
/// configuration.
fn each(mut hold: impl FnMut(u64, &Plan, &IngressRoute<'_>, &Object<'_>, Cluster)) {
    let (plans, rest) = (CONFIGURATIONS.map(plan), manifests(REST));
    for (seed, plan) in (0..GRAPHS).flat_map(|seed| plans.iter().map(move |plan| (seed, plan))) {
        let mut rng = Rng::new(seed);
        let mut cluster = Cluster::with(SyncState::Complete);
        for manifest in &rest {
            cluster.apply(Event::Apply(Facts::of(&manifest.object().expect("a manifest of ours"))));
        }
        for _ in 0..rng.below(9) {
            let stored = ingress_route(&mut rng).to_string();
            let stored = decode(Kind::IngressRoute, &stored).expect("it has the shape of one");
            cluster.apply(Event::Apply(Facts::of(&stored)));
        }
        let json = ingress_route(&mut rng).to_string();
        let object = decode(Kind::IngressRoute, &json).expect("it has the shape of one");
        let Object::IngressRoute(route) = &object else { panic!("{json} is an IngressRoute") };
        cluster.apply(Event::Delete(object.object_ref()));
        hold(seed, plan, route, &object, cluster);
    }
}

#[test]
fn admitted_ingress_route_is_not_invalid() {
    let mut states = BTreeMap::new();
    each(|seed, plan, _, object, mut cluster| {
        let (denied, this) = (denied_by(plan, object, &cluster), object.object_ref());
        cluster.apply(Event::Apply(Facts::of(object)));
        let mut graph = GraphState::default();
        graph.reconcile(cluster.take_dirty(), &cluster, plan.config());
        let verdict = graph.get(&this).expect("each object has a status");
        assert!(
            verdict.state != DelegationState::Invalid || !denied.is_empty(),
            "graph {seed}: {this} comes in and is invalid: {:?} {object:#?}",
            verdict.why
        );
        *states.entry((verdict.state.name(), denied.is_empty())).or_insert(0) += 1;
    });
    let count_of =
        |state| states.iter().filter(move |((own, _), _)| *own == state).map(|(_, count)| *count).sum::<u32>();
    assert!(["valid", "invalid", "orphaned"].into_iter().all(|state| count_of(state) > 500), "{states:?} prove little");
}

#[test]
fn invalid_ingress_route_is_denied_by_the_same_check() {
    let mut rules = BTreeMap::new();
    each(|seed, plan, route, object, cluster| {
        let denied = denied_by(plan, object, &cluster);
        let invalidates = |id: &&&str| {
            let rule = ingress_route::RULES.iter().find(|rule| rule.id == **id);
            rule.is_some_and(|rule| rule.effect == Effect::Invalidates)
        };
        let first = ingress_route::first_error(route).map(|error| error.check);
        let denying: Vec<&&str> = denied.iter().filter(invalidates).collect();
        assert_eq!(first.is_some(), !denying.is_empty(), "graph {seed}: {first:?} but {denied:?}: {object:#?}");
        let Some(first) = first else { return };
        assert!(denying.contains(&&first), "graph {seed}: {first} is refused only by {denied:?}: {object:#?}");
        *rules.entry(first).or_insert(0) += 1;
    });
    assert!(rules.len() >= 20, "{rules:?} prove little");
}
