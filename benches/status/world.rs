//! Gateways of the own class, and HTTPRoutes that refer to them, with the status that each of them should have.

use jiff::Timestamp;
use portcullis_core::cluster::{Cluster, Event, Facts, Ownership, SyncState};
use portcullis_core::config::Config;
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use portcullis_core::routing::delegation::GraphState;
use portcullis_core::status::{StatusState, merge};
use serde_json::{Value, json};

/// The number of Gateways.
pub const GATEWAYS: usize = 200;
/// The number of namespaces of routes.
const NAMESPACES: usize = 100;
/// How many routes refer to a Service of the namespace `shared`.
const SHARED: usize = 100;
/// A prime number, so that consecutive edits affect distant routes.
const STRIDE: usize = 7_919;
/// The name of the own controller in the lists of statuses.
const CONTROLLER: &str = portcullis_core::config::CONTROLLER_NAME;

/// Objects with their status.
pub struct World {
    /// The view of the objects.
    pub cluster: Cluster,
    state: StatusState,
    config: Config,
    ownership: Ownership,
    delegations: GraphState,
    routes: usize,
    turn: usize,
}

/// A change that is about to be applied.
pub struct Change {
    object_ref: ObjectRef,
    facts: Facts,
    json: Option<Box<str>>,
}

impl World {
    /// `routes` HTTPRoutes, and what they refer to. Everything is evaluated.
    pub fn new(routes: usize) -> Self {
        let mut cluster = Cluster::with(SyncState::Complete);
        cluster.track_changes();
        let (state, config, delegations) = (StatusState::default(), Config::default(), GraphState::default());
        let mut world = Self { cluster, state, config, ownership: Ownership::default(), delegations, routes, turn: 0 };
        for (kind, value) in fixed().chain((0..routes).map(|number| (Kind::HttpRoute, route(number, true)))) {
            let change = change(kind, &value);
            world.apply(change);
        }
        world.note();
        assert!(world.evaluate() >= routes + GATEWAYS, "each Gateway and each route is evaluated");
        world
    }

    /// A route that begins or ceases to match a listener of its Gateway, so that the Gateway counts it or not.
    pub fn route_change(&mut self) -> Change {
        let (number, is_back) = ((self.turn * STRIDE) % self.routes, (self.turn / self.routes) % 2 == 1);
        self.turn += 1;
        change(Kind::HttpRoute, &route(number, is_back))
    }

    /// A Gateway, of which one listener changes its hostname.
    pub fn gateway_change(&mut self) -> Change {
        let (number, is_back) = (self.turn % GATEWAYS, (self.turn / GATEWAYS) % 2 == 1);
        self.turn += 1;
        change(Kind::Gateway, &gateway(number, is_back))
    }

    /// The ReferenceGrant for the shared Service, which begins or ceases to allow the namespace of one route.
    pub fn grant_change(&mut self) -> Change {
        let is_back = self.turn % 2 == 1;
        self.turn += 1;
        change(Kind::ReferenceGrant, &grant(if is_back { NAMESPACES } else { NAMESPACES - 1 }))
    }

    /// Applies a change and evaluates what it affects. Returns the number of evaluated objects.
    pub fn take_in(&mut self, change: Change) -> usize {
        self.apply(change);
        self.note();
        self.evaluate()
    }

    fn apply(&mut self, change: Change) {
        self.cluster.apply(Event::Apply(change.facts));
        if let Some(json) = change.json {
            self.state.put(change.object_ref, json);
        }
    }

    fn note(&mut self) {
        self.state.note(&self.cluster.take_changes());
    }

    fn evaluate(&mut self) -> usize {
        let mut count = 0;
        while self.state.evaluate_next(&self.cluster, (&self.config, &self.ownership), &self.delegations).is_some() {
            count += 1;
        }
        count
    }

    /// The objects that have a status, with that status, as an API server stores them.
    pub fn stored(&self, now: Timestamp) -> Vec<(ObjectRef, Box<str>)> {
        let mut fresh = self.fresh();
        let mut all = Vec::new();
        while let Some(evaluated) =
            fresh.evaluate_next(&self.cluster, (&self.config, &self.ownership), &self.delegations)
        {
            let mut object: Value =
                serde_json::from_str(self.state.json(&evaluated.object_ref).unwrap_or_default()).expect("JSON");
            let desired = evaluated.desired.expect("each object is of the own class");
            object["status"] = merge::merge(&desired, &Value::Null, now).expect("nothing is stored yet").status;
            all.push(((*evaluated.object_ref).clone(), object.to_string().into()));
        }
        all
    }

    /// A state of the same objects in which nothing is evaluated yet.
    fn fresh(&self) -> StatusState {
        let objects = fixed().chain((0..self.routes).map(|number| (Kind::HttpRoute, route(number, true))));
        let mut fresh = StatusState::default();
        for change in objects.map(|(kind, value)| change(kind, &value)) {
            change.json.into_iter().for_each(|json| fresh.put(change.object_ref.clone(), json));
        }
        fresh
    }

    /// Evaluates `stored` from nothing and compares each status with the stored one. Returns the number of differences.
    pub fn differences(&self, stored: Vec<(ObjectRef, Box<str>)>, now: Timestamp) -> usize {
        let mut state = StatusState::default();
        stored.into_iter().for_each(|(object_ref, json)| state.put(object_ref, json));
        let mut count = 0;
        while let Some(evaluated) =
            state.evaluate_next(&self.cluster, (&self.config, &self.ownership), &self.delegations)
        {
            let stored: Value =
                serde_json::from_str(state.json(&evaluated.object_ref).unwrap_or_default()).expect("JSON");
            let merged = evaluated.desired.and_then(|desired| merge::merge(&desired, &stored["status"], now));
            count +=
                usize::from(merged.is_some_and(|merged| merge::patch(&stored["status"], &merged.status).is_some()));
        }
        count
    }
}

/// Everything but the routes.
fn fixed() -> impl Iterator<Item = (Kind, Value)> {
    let class = json!({"metadata": {"name": "portcullis"}, "spec": {"controllerName": CONTROLLER}});
    let namespaces = (0..NAMESPACES).map(|number| json!({"metadata": {"name": format!("team-{number}")}}));
    let service = |namespace: &str| json!({"metadata": {"namespace": namespace, "name": "web"}, "spec": {"ports": [{"port": 80}]}});
    let services = (0..NAMESPACES).map(move |number| service(&format!("team-{number}"))).chain([service("shared")]);
    [(Kind::GatewayClass, class), (Kind::ReferenceGrant, grant(NAMESPACES))]
        .into_iter()
        .chain(namespaces.map(|namespace| (Kind::Namespace, namespace)))
        .chain(services.map(|service| (Kind::Service, service)))
        .chain((0..GATEWAYS).map(|number| (Kind::Gateway, gateway(number, true))))
}

fn gateway(number: usize, is_usual: bool) -> Value {
    let admin = if is_usual { "admin" } else { "other" };
    let listener = |name: &str, port: u16, hostname: String| {
        json!({
            "name": name, "port": port, "protocol": "HTTP", "hostname": hostname,
            "allowedRoutes": {"namespaces": {"from": "All"}},
        })
    };
    json!({
        "metadata": {"namespace": "edge", "name": format!("edge-{number}"), "generation": 1},
        "spec": {"gatewayClassName": "portcullis", "listeners": [
            listener("apps", 80, format!("*.apps-{number}.example.com")),
            listener("admin", 8080, format!("{admin}.example.com")),
        ]},
    })
}

fn route(number: usize, is_served: bool) -> Value {
    let (gateway, namespace) = (number % GATEWAYS, number % NAMESPACES);
    let domain = if is_served { format!("apps-{gateway}") } else { "elsewhere".to_owned() };
    let own = json!({"name": "web", "port": 80});
    let shared = json!({"namespace": "shared", "name": "web", "port": 80});
    let other = if number < SHARED { &shared } else { &own };
    json!({
        "metadata": {
            "namespace": format!("team-{namespace}"), "name": format!("route-{number}"), "generation": 1,
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": {
            "parentRefs": [{"namespace": "edge", "name": format!("edge-{gateway}")}],
            "hostnames": [format!("shop-{number}.{domain}.example.com")],
            "rules": [
                {"matches": [{"path": {"type": "PathPrefix", "value": "/"}}], "backendRefs": [own]},
                {"matches": [{"path": {"type": "PathPrefix", "value": "/cart"}}], "backendRefs": [other]},
            ],
        },
    })
}

fn grant(namespaces: usize) -> Value {
    let from = |number: usize| json!({"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": format!("team-{number}")});
    json!({
        "metadata": {"namespace": "shared", "name": "web"},
        "spec": {"from": (0..namespaces).map(from).collect::<Value>(), "to": [{"group": "", "kind": "Service"}]},
    })
}

fn change(kind: Kind, value: &Value) -> Change {
    let json = value.to_string();
    let facts = Facts::of(&decode(kind, &json).expect("an object of its kind"));
    let has_status = portcullis_core::status::KINDS.contains(kind);
    Change { object_ref: facts.object_ref(), facts, json: has_status.then(|| json.into()) }
}
