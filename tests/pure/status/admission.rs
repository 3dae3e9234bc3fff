//! Admission and status agree about routes: what Portcullis admits without a finding is accepted and resolves, and what the
//! status rejects because of the route's own content, Portcullis denies.

use std::collections::BTreeMap;

use portcullis_core::checks::{Operation, Outcome, Plan, Write, registry};
use portcullis_core::cluster::gateway_facts::{GatewayRouteFacts, ListenersFacts, ParentFacts};
use portcullis_core::cluster::{Cluster, Event, Facts, Lookup, Overlay, SyncState};
use portcullis_core::config::Theme;
use portcullis_core::finding::Action;
use portcullis_core::kinds::protocol::is_supported;
use portcullis_core::kinds::{Kind, KindSet, Object, ObjectRef, decode};
use portcullis_core::status::of_all;
use portcullis_testing::config::plan;
use portcullis_testing::page::examples;
use portcullis_testing::pages::{manifests, today};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::world;

const WORLDS: u64 = 4_000;
/// Where the channel of the CRDs is not known, the status does not reject what only one of them has.
const CONFIGURATION: &str = "profile: restricted\ngatewayBundle: {version: '1.7', channel: standard}\n";

/// Every implementation serves what these checks deny, so docs/status/route.md says that it is accepted.
const SERVED: [&str; 2] = ["rule/header-matched-twice", "route/parent-named-twice"];

/// A class of this controller.
fn class(name: &str) -> Event {
    let class =
        json!({"metadata": {"name": name}, "spec": {"controllerName": "portcullis.dev/controller"}}).to_string();
    Event::Apply(world::facts(Kind::GatewayClass, &class))
}

/// What Portcullis and the status say about one route.
struct Comparison {
    outcome: Outcome,
    entries: Vec<Value>,
}

impl Comparison {
    /// Reviews the route in the cluster, and computes its status as if it were stored.
    fn of(plan: &Plan, object: &Object<'_>, json: &str, mut cluster: Cluster) -> Self {
        let this = object.object_ref();
        cluster.apply(Event::Delete(this.clone()));
        let write = Write { operation: Operation::Create, this: &this, user: None, now: today() };
        let outcome = plan.check(object, || None, &Overlay::new(&cluster, &this), &write);
        cluster.apply(Event::Apply(Facts::of(object)));
        let all = of_all([(this, json.into())], &mut cluster, plan.graph_rules(today()));
        let status = all.into_values().next().expect("a route always has a status").to_json();
        let entries = status["parents"].as_array().cloned().unwrap_or_default();
        Self { outcome, entries }
    }

    fn conditions(&self, name: &'static str) -> impl Iterator<Item = &Value> {
        let all = self.entries.iter().filter_map(|entry| entry["conditions"].as_array()).flatten();
        all.filter(move |condition| condition["type"] == name)
    }

    /// Whether the status rejects the route or some of its rules because of its own content.
    fn is_rejected_by_content(&self) -> bool {
        let is_of_content = |condition: &&Value| {
            condition["status"] == "False"
                && ["UnsupportedValue", "IncompatibleFilters"]
                    .contains(&condition["reason"].as_str().unwrap_or_default())
        };
        self.conditions("Accepted").any(|own| is_of_content(&own))
            || self.conditions("PartiallyInvalid").next().is_some()
    }

    /// The addresses at which Portcullis denies the route because of its own content, with the exception of what is served nevertheless.
    fn denied_by_content(&self) -> Vec<String> {
        let denied = self.outcome.findings.iter().filter(|evaluated| {
            let check = registry::find(evaluated.finding.check).expect("a registered check");
            let is_of_content =
                check.theme == Theme::Shape && check.needs.is_empty() && !check.id.starts_with("object/");
            is_of_content && !SERVED.contains(&check.id) && evaluated.action == Action::Deny
        });
        denied.map(|evaluated| evaluated.finding.at.to_string()).collect()
    }

    /// Checks that both agree, and counts what was compared.
    fn assert_agrees(&self, context: &str, counts: &mut BTreeMap<&'static str, usize>) {
        let findings: Vec<_> = self.outcome.findings.iter().map(|evaluated| &evaluated.finding).collect();
        let is_true = |condition: &Value| condition["status"] == "True";
        let mut count = |name| *counts.entry(name).or_default() += 1;
        if findings.is_empty() && !self.entries.is_empty() {
            // Portcullis never reports what is not known, and the status says `Unknown` there.
            let is_not_rejected = |own: &Value| is_true(own) || own["reason"] == "Pending";
            let accepted = self.conditions("Accepted").all(is_not_rejected);
            assert!(accepted, "admitted without a finding, not accepted: {context}\n{:#?}", self.entries);
            // Portcullis admits references to kinds that other implementations support.
            let resolved =
                self.conditions("ResolvedRefs").all(|own| is_not_rejected(own) || own["reason"] == "InvalidKind");
            assert!(resolved, "admitted without a finding, not resolved: {context}\n{:#?}", self.entries);
            count(if self.conditions("Accepted").all(is_true) { "admitted" } else { "not known" });
        }
        let denied = self.denied_by_content();
        if self.is_rejected_by_content() {
            assert!(!denied.is_empty(), "rejected, but {findings:#?}: {context}\n{:#?}", self.entries);
            count("rejected");
        }
        // A fault of a reference to a parent affects only the entry of that parent.
        let is_of_route = |at: &String| !at.starts_with("spec.parentRefs");
        if denied.iter().any(is_of_route) && self.conditions("Accepted").any(is_true) {
            let partial = self.conditions("PartiallyInvalid").next().is_some();
            assert!(partial, "accepted, but {findings:#?}: {context}\n{:#?}", self.entries);
            count("partial");
        }
    }
}

/// A Gateway that accepts the route of these facts by `parent`.
fn permissive(route: &GatewayRouteFacts, parent: &ParentFacts) -> Event {
    let protocol = match route.object_ref.kind {
        Kind::TlsRoute => "TLS",
        Kind::TcpRoute => "TCP",
        Kind::UdpRoute => "UDP",
        _ => "HTTP",
    };
    let listener = json!({
        "name": parent.section.as_deref().unwrap_or("any"), "port": parent.port.unwrap_or(80), "protocol": protocol,
        "allowedRoutes": {"namespaces": {"from": "All"}}, "tls": {"mode": "Passthrough"},
    });
    let gateway = json!({
        "metadata": {"namespace": parent.target.namespace, "name": parent.target.name},
        "spec": {
            "gatewayClassName": "own", "listeners": [listener], "allowedListeners": {"namespaces": {"from": "All"}},
        },
    });
    Event::Apply(world::facts(Kind::Gateway, &gateway.to_string()))
}

/// Adds the Gateways and Services to which a route refers and that do not exist.
fn add_references(cluster: &mut Cluster, route: &GatewayRouteFacts) {
    let overlay = Overlay::new(cluster, &route.object_ref);
    let is_absent = |parent: &&ParentFacts| matches!(overlay.listeners(&parent.target), Lookup::Absent);
    let parents = route.parents.iter().filter(|parent| parent.target.kind == Kind::Gateway).filter(is_absent);
    let mut added: Vec<Event> = parents.map(|parent| permissive(route, parent)).collect();
    for service in route.service_refs() {
        if matches!(overlay.service(&service.namespace, &service.name), Lookup::Absent) {
            // A Service that lists no ports may have any port.
            let service = json!({"metadata": {"namespace": service.namespace, "name": service.name}});
            added.push(Event::Apply(world::facts(Kind::Service, &service.to_string())));
        }
    }
    added.push(class("own"));
    added.into_iter().for_each(|event| cluster.apply(event));
}

/// Whether only another implementation knows which routes a listener accepts, so that Portcullis says nothing.
fn has_custom_protocol(listeners: &ListenersFacts) -> bool {
    listeners.listeners.iter().any(|listener| !is_supported(&listener.protocol))
}

/// The routes on the pages of the checks, without those of examples with a custom protocol. Gateways and Services that do not exist are
/// added, each Gateway gets a class of this controller, and the configuration of the page does not apply.
#[test]
fn admission_and_status_agree_on_the_pages_of_checks() {
    let (plan, mut counts) = (plan(CONFIGURATION), BTreeMap::new());
    for check in registry::all().filter(|check| KindSet::ROUTES.iter().any(|kind| check.run.kinds().contains(kind))) {
        for example in examples(check.page) {
            let documents = manifests(&example.yaml);
            let Some((reviewed, rest)) = documents.split_first() else { continue };
            let Ok(object) = reviewed.object() else { continue };
            if object.route().is_none() {
                continue;
            }
            let facts_of = |manifest: &portcullis::files::Manifest| {
                Facts::of(&manifest.object().expect("an object of a cluster can be read"))
            };
            let others: Vec<Facts> = rest.iter().map(facts_of).collect();
            let listeners =
                || others.iter().filter_map(|facts| if let Facts::Listeners(own) = facts { Some(own) } else { None });
            if listeners().any(has_custom_protocol) {
                continue;
            }
            let mut cluster = Cluster::with(SyncState::Complete);
            listeners().for_each(|own| cluster.apply(class(&own.class)));
            others.into_iter().for_each(|facts| cluster.apply(Event::Apply(facts)));
            if let Facts::GatewayRoute(route) = Facts::of(&object) {
                add_references(&mut cluster, &route);
            }
            let context = format!("{}\n{}", check.id, example.yaml);
            Comparison::of(&plan, &object, &reviewed.json, cluster).assert_agrees(&context, &mut counts);
        }
    }
    let count = |name| counts.get(name).copied().unwrap_or_default();
    assert!(count("admitted") > 50 && count("rejected") > 50, "{counts:?} prove little");
}

/// A random world in which the reviewed route is of `kind`. All classes are of this controller. No protocol is one of an
/// implementation, no ListenerSet is refused by its Gateway, and no Gateway is a default one, since Portcullis reports no
/// fault of a route there.
fn random_world(rng: &mut Rng) -> Cluster {
    let mut cluster = Cluster::with(SyncState::Complete);
    ["own", "other"].into_iter().for_each(|name| cluster.apply(class(name)));
    for name in ["a", "b"] {
        let namespace = json!({"metadata": {"name": name, "labels": {"team": rng.pick(&["x", "y"])}}}).to_string();
        cluster.apply(Event::Apply(world::facts(Kind::Namespace, &namespace)));
    }
    let kinds = world::KINDS.into_iter().filter(|kind| *kind != Kind::GatewayClass);
    let kinds: Vec<Kind> = kinds.collect();
    for _ in 0..8 {
        let kind = rng.pick(&kinds);
        let object_ref = world::object_ref(rng, kind);
        let mut object = world::object(rng, &object_ref);
        if object_ref.kind == Kind::Gateway {
            object["spec"]["allowedListeners"] = json!({"namespaces": {"from": "All"}});
            object["spec"]["defaultScope"] = Value::Null;
        }
        for listener in object["spec"]["listeners"].as_array_mut().into_iter().flatten() {
            if listener["protocol"] == "acme.io/quic" {
                listener["protocol"] = json!("HTTP");
            }
        }
        cluster.apply(Event::Apply(world::facts(object_ref.kind, &object.to_string())));
    }
    cluster
}

#[test]
fn admission_and_status_agree_in_random_worlds() {
    let (plan, mut counts) = (plan(CONFIGURATION), BTreeMap::new());
    for seed in 0..WORLDS {
        let mut rng = Rng::new(seed);
        let mut cluster = random_world(&mut rng);
        let kind = rng.pick(&[Kind::HttpRoute, Kind::HttpRoute, Kind::GrpcRoute, Kind::TcpRoute]);
        let object_ref: ObjectRef = world::object_ref(&mut rng, kind);
        let json = world::object(&mut rng, &object_ref).to_string();
        let object = decode(kind, &json).expect("a random object can be read");
        if let Facts::GatewayRoute(route) = Facts::of(&object) {
            add_references(&mut cluster, &route);
        }
        Comparison::of(&plan, &object, &json, cluster).assert_agrees(&format!("world {seed}: {json}"), &mut counts);
    }
    let count = |name| counts.get(name).copied().unwrap_or_default();
    assert!(count("admitted") > 200 && count("rejected") > 200 && count("partial") > 50, "{counts:?} prove little");
}
