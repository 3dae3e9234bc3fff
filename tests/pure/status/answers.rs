//! `explain` and the statuses agree in random worlds: the route that answers a request is accepted, by a parent of which an
//! accepted listener received the request, and the rule that answers is not dropped.

use std::collections::BTreeMap;

use portcullis_core::cluster::{Cluster, Event, Facts, SyncState};
use portcullis_core::config::Config;
use portcullis_core::explain::{Request, Scope, Snapshot, Stored, Winner};
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use portcullis_core::status::{KINDS, of_all};
use portcullis_testing::config::plan;
use portcullis_testing::pages::today;
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::world;

const WORLDS: u64 = 2_000;
const HOSTS: [&str; 5] = ["a.com", "b.a.com", "c.b.a.com", "b.com", "other.example"];
const PORTS: [u16; 2] = [80, 81];

/// Objects of which many refer to each other. All classes are of this controller.
fn objects(rng: &mut Rng) -> BTreeMap<ObjectRef, String> {
    let mut objects = BTreeMap::new();
    for name in ["own", "other"] {
        let class = json!({"metadata": {"name": name}, "spec": {"controllerName": "portcullis.dev/controller"}});
        objects.insert(ObjectRef::new(Kind::GatewayClass, "", name), class.to_string());
    }
    for name in ["a", "b"] {
        let namespace = json!({"metadata": {"name": name, "labels": {"team": rng.pick(&["x", "y"])}}});
        objects.insert(ObjectRef::new(Kind::Namespace, "", name), namespace.to_string());
    }
    let kinds = [
        Kind::Gateway,
        Kind::Gateway,
        Kind::ListenerSet,
        Kind::ListenerSet,
        Kind::HttpRoute,
        Kind::HttpRoute,
        Kind::GrpcRoute,
        Kind::TcpRoute,
    ];
    for _ in 0..12 {
        let kind = rng.pick(&kinds);
        let object_ref = world::object_ref(rng, kind);
        let mut object = world::object(rng, &object_ref);
        if kind == Kind::Gateway {
            object["spec"]["allowedListeners"] = json!({"namespaces": {"from": "All"}});
        }
        objects.insert(object_ref, object.to_string());
    }
    objects
}

/// The statuses of all objects that get one.
fn statuses(objects: &BTreeMap<ObjectRef, String>, cluster: &mut Cluster) -> BTreeMap<ObjectRef, Value> {
    let plan = plan("");
    let subjects = objects.iter().filter(|(object_ref, _)| KINDS.contains(object_ref.kind));
    let subjects = subjects.map(|(object_ref, json)| (object_ref.clone(), json.as_str().into()));
    let all = of_all(subjects, cluster, plan.graph_rules(today()));
    all.into_iter().map(|(object_ref, status)| ((*object_ref).clone(), status.to_json())).collect()
}

/// Whether the condition of `type` is true.
fn has(conditions: &Value, name: &str) -> bool {
    conditions.as_array().into_iter().flatten().any(|own| own["type"] == name && own["status"] == "True")
}

/// What contradicts the answer in the statuses.
fn contradictions(winner: &Winner, statuses: &BTreeMap<ObjectRef, Value>) -> Vec<String> {
    let mut found = Vec::new();
    let route = &statuses[&winner.object];
    let listener = winner.chain.iter().find(|link| {
        matches!(link.object.kind, Kind::Gateway | Kind::ListenerSet)
            && link.field.to_string().starts_with("spec.listeners[")
    });
    let listener = listener.expect("the chain leads through a listener");
    let index: usize =
        listener.field.to_string().trim_matches(|letter: char| !letter.is_ascii_digit()).parse().expect("an index");
    let holder = &statuses[&listener.object];
    if !has(&holder["listeners"][index]["conditions"], "Accepted") {
        found.push(format!("listener {index} of {} is not accepted: {}", listener.object, holder["listeners"][index]));
    }
    if !has(&holder["conditions"], "Accepted") {
        found.push(format!("{} is not accepted: {}", listener.object, holder["conditions"]));
    }
    let is_parent = |reference: &Value| {
        let kind = reference["kind"].as_str().unwrap_or("Gateway");
        let namespace = reference["namespace"].as_str().unwrap_or(&winner.object.namespace);
        kind == listener.object.kind.api().kind
            && namespace == listener.object.namespace
            && reference["name"] == *listener.object.name
    };
    let entries = route["parents"].as_array().into_iter().flatten();
    let mut accepted =
        entries.filter(|entry| is_parent(&entry["parentRef"]) && has(&entry["conditions"], "Accepted")).peekable();
    if accepted.peek().is_none() {
        found.push(format!("{} is not accepted: {route}", winner.object));
    }
    let rule = winner.field.to_string();
    let rule = rule.split_inclusive(']').next().unwrap_or_default();
    let drops = |entry: &Value| {
        let conditions = entry["conditions"].as_array().into_iter().flatten();
        conditions
            .filter(|own| own["type"] == "PartiallyInvalid")
            .any(|own| own["message"].as_str().is_some_and(|message| message.contains(rule)))
    };
    if accepted.any(drops) {
        found.push(format!("{rule} of {} is dropped: {route}", winner.object));
    }
    found
}

#[test]
fn route_that_answers_is_accepted_in_its_status() {
    let (config, mut answered, mut through_sets) = (Config::default(), 0, 0);
    for seed in 0..WORLDS {
        let objects = objects(&mut Rng::new(seed));
        let mut cluster = Cluster::with(SyncState::Complete);
        let decoded = |(object_ref, json): (&ObjectRef, &'_ String)| Stored {
            object_ref: object_ref.clone(),
            object: decode(object_ref.kind, Box::leak(json.clone().into_boxed_str()))
                .expect("a random object can be read"),
        };
        let stored: Vec<Stored<'_>> = objects.iter().map(decoded).collect();
        stored.iter().for_each(|stored| cluster.apply(Event::Apply(Facts::of(&stored.object))));
        let statuses = statuses(&objects, &mut cluster);
        let snapshot = Snapshot::new(&stored, &cluster, &config);
        for (host, port) in HOSTS.into_iter().flat_map(|host| PORTS.map(|port| (host, port))) {
            let request = Request::parse("GET", &format!("http://{host}/"), &[], None, Some(port)).expect("a request");
            for gateway in objects.keys().filter(|object_ref| object_ref.kind == Kind::Gateway) {
                let scope = Scope { gateway: Some(gateway.clone()), ..Scope::default() };
                let Some((_, winner)) = &snapshot.ask(&request, &scope).winner else { continue };
                let found = contradictions(winner, &statuses);
                assert!(
                    found.is_empty(),
                    "world {seed}, {host}:{port} is answered by {}, but {found:#?}\n{objects:#?}",
                    winner.object
                );
                answered += 1;
                through_sets += usize::from(winner.chain.iter().any(|link| link.object.kind == Kind::ListenerSet));
            }
        }
    }
    assert!(
        answered > 2_000 && through_sets > 100,
        "{answered} answers, {through_sets} through ListenerSets prove little"
    );
}
