//! Which object answers a request depends on creation times only where a finding says so: a cluster that is rebuilt from
//! manifests creates its objects in another order.

use std::collections::BTreeSet;

use portcullis_core::checks::Plan;
use portcullis_core::compare::Regions;
use portcullis_core::explain::{Request, Scope, Snapshot};
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::review::stored;
use portcullis_testing::config::plan;
use portcullis_testing::pages::{cluster, manifests, today};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use crate::compare::EVERY;
use crate::explain::worlds::Objects;
use crate::explain::{ingresses, routes};

const SEEDS: std::ops::Range<u64> = 0..160;
/// Those of the listeners.
const ENDPOINTS: [(bool, u16); 3] = [(false, 80), (false, 8080), (true, 443)];
const GROUP: &str = "gateway.networking.k8s.io/v1";

/// Objects of one API, of which at most four compete.
fn world(rng: &mut Rng) -> Vec<Value> {
    if rng.one_in(3) {
        let mut world = ingresses::world(rng);
        let ingresses = world.iter_mut().filter(|object| object["kind"] == "Ingress");
        for ingress in ingresses.filter(|ingress| ingress["spec"]["ingressClassName"].is_null()) {
            ingress["spec"]["ingressClassName"] = "one".into();
        }
        return world;
    }
    let mut world = routes::world(rng);
    world.iter_mut().filter(|object| object["kind"] == "HTTPRoute").for_each(|route| simplify(route, rng));
    for gateway in world.iter_mut().filter(|object| object["kind"] == "Gateway") {
        gateway["spec"]["allowedListeners"]["namespaces"]["from"] = "All".into();
    }
    if rng.one_in(2) {
        let number = world.iter().filter(|object| object["kind"] == "HTTPRoute").count();
        world.truncate(world.len() - number.saturating_sub(2));
        world.extend(
            (0..2).map(|number| if rng.one_in(2) { listener_set(rng, number) } else { other_route(rng, number) }),
        );
    }
    world
}

/// Leaves less variety, so that more routes match the same requests.
fn simplify(route: &mut Value, rng: &mut Rng) {
    let simple = |rng: &mut Rng| {
        let mut matched = json!({"path": {"value": rng.pick(&["/", "/a"])}});
        match rng.below(4) {
            0 => matched["headers"] = json!([{"name": rng.pick(&["h", "k"]), "value": "1"}]),
            1 => matched["queryParams"] = json!([{"name": rng.pick(&["h", "k"]), "value": "1"}]),
            _ => {}
        }
        matched
    };
    let rule = |rng: &mut Rng| json!({"matches": [simple(rng)], "backendRefs": [{"name": "s", "port": 80}]});
    route["spec"]["rules"] = (0..1 + rng.below(2)).map(|_| rule(rng)).collect();
    route["spec"]["parentRefs"] = json!([{"namespace": "infra", "name": "g0"}]);
    if route["spec"].get("hostnames").is_some() {
        route["spec"]["hostnames"] = json!([rng.pick(&["a.com", "a.com", "*.a.com"])]);
    }
}

fn listener_set(rng: &mut Rng, number: usize) -> Value {
    let mut listener = json!({"name": "l0", "port": 80, "protocol": "HTTP"});
    listener["hostname"] = rng.pick(&["a.com", "*.a.com"]).into();
    listener["allowedRoutes"]["namespaces"]["from"] = "All".into();
    json!({"apiVersion": GROUP, "kind": "ListenerSet",
        "metadata": {"namespace": rng.pick(&["web", "api"]), "name": format!("s{number}")},
        "spec": {"parentRef": {"namespace": "infra", "name": "g0"}, "listeners": [listener]}})
}

/// A GRPCRoute, or an HTTPRoute of a ListenerSet.
fn other_route(rng: &mut Rng, number: usize) -> Value {
    let host = rng.pick(&["a.com", "*.a.com"]);
    let metadata = json!({"namespace": rng.pick(&["web", "api"]), "name": format!("o{number}")});
    let (kind, rules) = match rng.one_in(2) {
        true => (
            "GRPCRoute",
            json!([{"matches": [{"method": {"service": "a"}}], "backendRefs": [{"name": "s", "port": 80}]}]),
        ),
        false => ("HTTPRoute", json!([{"backendRefs": [{"name": "s", "port": 80}]}])),
    };
    let parent = match rng.one_in(2) {
        true => json!({"namespace": "infra", "name": "g0"}),
        false => {
            json!({"namespace": rng.pick(&["web", "api"]), "name": rng.pick(&["s0", "s1"]), "kind": "ListenerSet", "group": "gateway.networking.k8s.io"})
        }
    };
    json!({"apiVersion": GROUP, "kind": kind, "metadata": metadata,
        "spec": {"parentRefs": [parent], "hostnames": [host], "rules": rules}})
}

/// Whether the age of an object may decide.
fn competes(object: &Value) -> bool {
    !matches!(object["kind"].as_str(), Some("Gateway" | "IngressClass"))
}

/// All orders of the numbers below `count`.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else { return vec![Vec::new()] };
    let with_last = |order: Vec<usize>| {
        (0..count).map(move |position| {
            let mut order = order.clone();
            order.insert(position, last);
            order
        })
    };
    orders(last).into_iter().flat_map(with_last).collect()
}

/// The objects, created in this order.
fn created(world: &[Value], order: &[usize]) -> Vec<Value> {
    let mut world = world.to_vec();
    world.iter_mut().for_each(|object| object["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z".into());
    for (object, position) in world.iter_mut().filter(|object| competes(object)).zip(order) {
        object["metadata"]["creationTimestamp"] = format!("2026-02-0{}T00:00:00Z", position + 1).into();
    }
    world
}

/// The object that answers a request in each data plane.
type Answers = [Option<ObjectRef>; 4];

fn answers(snapshot: &Snapshot<'_>, request: &Request) -> Answers {
    let gateway = |name| Scope { gateway: Some(ObjectRef::new(Kind::Gateway, "infra", name)), class: None };
    let class = |name: &str| Scope { class: Some(name.to_owned()), gateway: None };
    [gateway("g0"), gateway("g1"), class("one"), class("two")]
        .map(|scope| snapshot.ask(request, &scope).winner.map(|(_, winner)| winner.object))
}

/// What the findings about some objects say.
struct Reported {
    /// The pairs of objects in conflict, each in both orders.
    pairs: BTreeSet<(ObjectRef, ObjectRef)>,
    /// The objects that are not served where they conflict with another one, so that any further object may answer instead.
    rejected: BTreeSet<ObjectRef>,
}

fn reported(plan: &Plan, world: &[Value]) -> Reported {
    let text: Vec<String> = world.iter().map(Value::to_string).collect();
    let all = manifests(&text.join("\n---\n"));
    let cluster = cluster(&all);
    let cluster = cluster.read();
    let (mut pairs, mut rejected) = (BTreeSet::new(), BTreeSet::new());
    for manifest in &all {
        let this = &manifest.object_ref;
        let outcome = stored::check(plan, &cluster, this, &manifest.json, today());
        for finding in outcome.findings.into_iter().map(|evaluated| evaluated.finding) {
            let Some(other) = finding.other else { continue };
            if matches!(finding.check, "host/http-grpc-clash" | "listener-set/listener-conflict") {
                rejected.extend([this.clone(), other.clone()]);
            }
            pairs.extend([(this.clone(), other.clone()), (other, this.clone())]);
        }
    }
    Reported { pairs, rejected }
}

/// The object, and the ListenerSets to which it refers.
fn with_parents(object: &ObjectRef, world: &[Value]) -> Vec<ObjectRef> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let is_it = |other: &&Value| {
        let metadata = &other["metadata"];
        (text(&metadata["namespace"]), text(&metadata["name"]))
            == (object.namespace.to_string(), object.name.to_string())
            && other["kind"] == object.kind.api().kind
    };
    let parents =
        world.iter().filter(is_it).flat_map(|found| found["spec"]["parentRefs"].as_array().into_iter().flatten());
    let sets = parents.filter(|parent| parent["kind"] == "ListenerSet");
    let sets =
        sets.map(|parent| ObjectRef::new(Kind::ListenerSet, &text(&parent["namespace"]), &text(&parent["name"])));
    sets.chain([object.clone()]).collect()
}

#[test]
fn conflicts_decided_by_age_are_reported() {
    let plan = plan("profile: baseline");
    let (mut decided, mut silent) = (0, 0);
    let mut wrong = Vec::new();
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let world = world(&mut rng);
        let count = world.iter().filter(|object| competes(object)).count();
        let requests = Objects::of_values(&world).with(|snapshot| {
            let regions = Regions::new(&[(snapshot, &EVERY)], &ENDPOINTS);
            let all = regions.hosts().into_iter().flat_map(|(_, host)| regions.of_host(&host).expect("regions"));
            all.flat_map(|region| region.examples.into_iter().take(1)).collect::<Vec<Request>>()
        });
        let orders = orders(count);
        let answers: Vec<Vec<Answers>> = orders
            .iter()
            .map(|order| {
                Objects::of_values(&created(&world, order))
                    .with(|snapshot| requests.iter().map(|request| answers(snapshot, request)).collect())
            })
            .collect();
        let differs = |request: &usize| answers.iter().any(|own| own[*request] != answers[0][*request]);
        let differing: Vec<usize> = (0..requests.len()).filter(differs).collect();
        if differing.is_empty() {
            silent += 1;
            continue;
        }
        decided += 1;
        let reported = reported(&plan, &created(&world, &orders[0]));
        let is_rejected =
            |object: &ObjectRef| with_parents(object, &world).iter().any(|part| reported.rejected.contains(part));
        for request in differing {
            for other in &answers[1..] {
                let (now, then) = (&answers[0][request], &other[request]);
                for (one, other) in now.iter().zip(then).filter(|(one, other)| one != other) {
                    let pair = one.clone().zip(other.clone());
                    let is_pair = pair.is_some_and(|pair| reported.pairs.contains(&pair));
                    if !is_pair && !one.iter().chain(other).any(is_rejected) {
                        wrong.push(format!("seed {seed}: {one:?} or {other:?} answers {:?}", requests[request]));
                    }
                }
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{} of {decided} worlds:\n{}", wrong.len(), wrong.join("\n"));
    assert!(decided > 20 && silent > 40, "age decides in {decided} worlds, and not in {silent}");
}
