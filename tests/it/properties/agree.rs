//! What the gate says of an IngressRoute and what its status says are one: what may come in is not invalid, and what is wrong by itself
//! is refused under the name that the status has for it.

use std::collections::BTreeMap;

use portcullis_core::checks::{Operation, Plan, Write};
use portcullis_core::cluster::delegation_facts::DelegationFacts;
use portcullis_core::cluster::{Cluster, Event, Facts, Knowledge, Overlay};
use portcullis_core::finding::Action;
use portcullis_core::kinds::{IngressRoute, Kind, Object, decode};
use portcullis_core::routing::delegation::{State, verdict_if};
use portcullis_core::validation::{Effect, ingress_route};
use serde_json::{Map, Value, json};

use super::dice::{Dice, plan};
use crate::pages::{manifests, today};

const GRAPHS: u64 = 3_000;
const CONFIGURATIONS: [&str; 4] = [
    "profile: baseline\n",
    "profile: baseline\nrootNamespaces: {IngressRoute: [a, b]}\n",
    "profile: baseline\nextensions: [tcpproxy, certdelegation]\n",
    "profile: baseline\nrootNamespaces: {IngressRoute: [a, b]}\nextensions: [tcpproxy, certdelegation]\n",
];

/// What comes and goes without anybody who delegates: all of it is there.
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

/// One of `good`, but now and then one of `bad`.
fn mostly(dice: &mut Dice, good: &[Value], bad: &[Value]) -> Value {
    let of = if dice.one_in(25) { bad } else { good };
    of[dice.below(of.len())].clone()
}

fn service(dice: &mut Dice) -> Value {
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
    if dice.one_in(20) {
        let (field, value) = odd[dice.below(odd.len())].clone();
        service[field] = value;
    }
    service
}

fn delegate(dice: &mut Dice) -> Value {
    let name = mostly(dice, &["x", "y", "z"].map(Value::from), &["", "X", "x/y"].map(Value::from));
    let namespace = mostly(dice, &["a", "b", "c", ""].map(Value::from), &["A".into(), "a.b".into()]);
    json!({"name": name, "namespace": namespace})
}

fn route(dice: &mut Dice) -> Value {
    let good = ["/", "/a", "/a/", "/a/b", "/ab", "/a/b/c"].map(Value::from);
    let mut route = json!({"match": mostly(dice, &good, &["", "a", "/a b", "/\u{7}"].map(Value::from))});
    let (serves, delegates) =
        mostly(dice, &[json!([true, false]), json!([false, true])], &[json!([true, true]), json!([false, false])])
            .as_array()
            .map_or((true, false), |both| (both[0] == true, both[1] == true));
    if serves {
        route["services"] = (0..=dice.below(2)).map(|_| service(dice)).collect();
        route["prefixRewrite"] = mostly(dice, &["".into(), "/x".into()], &["x".into()]);
        if dice.one_in(30) {
            route["service"] = service(dice);
        }
    }
    if delegates {
        route["delegate"] = delegate(dice);
    }
    route
}

fn tls(dice: &mut Dice) -> Value {
    let version = mostly(dice, &["".into(), "1.2".into()], &["9.9".into(), json!(1.0)]);
    let secret = mostly(dice, &["cert".into(), "c/cert".into()], &["".into(), "C/cert".into()]);
    let mut tls = json!({"minimumProtocolVersion": version, "secretName": secret});
    if dice.one_in(6) {
        tls = mostly(dice, &[json!({"passthrough": true})], &[json!({"passthrough": true, "secretName": "cert"})]);
    }
    tls
}

fn ingress_route(dice: &mut Dice) -> Value {
    let mut spec = Map::new();
    if dice.one_in(3) {
        let long = format!("{}.example", "x".repeat(64));
        let bad = ["", " ", "*.example", "one_example", &long].map(Value::from);
        let fqdn = mostly(dice, &["one.example", "two.example", "TWO.example", "three.example"].map(Value::from), &bad);
        let mut host = json!({"fqdn": fqdn});
        if dice.one_in(3) {
            host["tls"] = tls(dice);
        }
        spec.insert("virtualhost".to_owned(), host);
    }
    let routes: Vec<Value> = (0..dice.below(4)).map(|_| route(dice)).collect();
    spec.insert("routes".to_owned(), routes.into());
    if dice.one_in(6) {
        let good = [json!({"services": [service(dice)]}), json!({"delegate": delegate(dice)})];
        let bad = [json!({}), json!({"services": [service(dice)], "delegate": delegate(dice)})];
        spec.insert("tcpproxy".to_owned(), mostly(dice, &good, &bad));
    }
    if dice.one_in(30) {
        spec.insert("strategy".to_owned(), "Fastest".into());
        spec.insert("healthCheck".to_owned(), json!({"path": "healthz"}));
    }
    let class = if dice.one_in(10) { "other" } else { "contour" };
    json!({
        "apiVersion": "contour.heptio.com/v1beta1", "kind": "IngressRoute", "spec": spec,
        "metadata": {
            "namespace": dice.pick(&["a", "b", "c"]), "name": dice.pick(&["x", "y", "z"]),
            "annotations": {"kubernetes.io/ingress.class": class},
        },
    })
}

/// The ids of the checks of the family that refuse `object` as a new one.
fn denied_by(plan: &Plan, object: &Object<'_>, cluster: &Overlay<'_>) -> Vec<&'static str> {
    let write = Write { operation: Operation::Create, this: cluster.this(), user: None, now: today() };
    let judgement = plan.check(object, || None, cluster, &write);
    let denied = judgement.findings.iter().filter(|judged| judged.action == Action::Deny);
    denied.map(|judged| judged.finding.check).filter(|id| id.starts_with("ingressroute/")).collect()
}

/// A random graph in which anything may be stored, and an object that is to come into it.
fn each(mut hold: impl FnMut(u64, &Plan, &IngressRoute<'_>, &Object<'_>, &Overlay<'_>)) {
    let (plans, rest) = (CONFIGURATIONS.map(plan), manifests(REST));
    for seed in 0..GRAPHS {
        let mut dice = Dice::new(seed);
        let mut cluster = Cluster::with(Knowledge::Complete);
        for manifest in &rest {
            cluster.apply(Event::Put(Facts::of(&manifest.object().expect("a manifest of ours"))));
        }
        for _ in 0..dice.below(9) {
            let stored = ingress_route(&mut dice).to_string();
            let stored = decode(Kind::IngressRoute, &stored).expect("it has the shape of one");
            cluster.apply(Event::Put(Facts::of(&stored)));
        }
        let json = ingress_route(&mut dice).to_string();
        let object = decode(Kind::IngressRoute, &json).expect("it has the shape of one");
        let Object::IngressRoute(route) = &object else { panic!("{json} is an IngressRoute") };
        let place = object.place();
        cluster.apply(Event::Gone(place.clone()));
        plans.iter().for_each(|plan| hold(seed, plan, route, &object, &Overlay::new(&cluster, &place)));
    }
}

pub fn what_may_come_in_is_not_invalid() {
    let mut states = BTreeMap::new();
    each(|seed, plan, route, object, cluster| {
        let denied = denied_by(plan, object, cluster);
        let facts = DelegationFacts::of_ingress_route(route);
        let verdicts = verdict_if(cluster, Some(&facts), plan.config());
        let verdict = &verdicts[cluster.this()];
        assert!(
            verdict.state != State::Invalid || !denied.is_empty(),
            "graph {seed}: {} comes in and is invalid: {:?} {object:#?}",
            cluster.this(),
            verdict.why
        );
        *states.entry((verdict.state.name(), denied.is_empty())).or_insert(0) += 1;
    });
    let told = |state| states.iter().filter(move |((own, _), _)| *own == state).map(|(_, count)| *count).sum::<u32>();
    assert!(["valid", "invalid", "orphaned"].into_iter().all(|state| told(state) > 500), "{states:?} prove little");
}

pub fn what_is_wrong_by_itself_is_refused_by_name() {
    let mut rules = BTreeMap::new();
    each(|seed, plan, route, object, cluster| {
        let denied = denied_by(plan, object, cluster);
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
