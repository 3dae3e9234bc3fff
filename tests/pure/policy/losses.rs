//! A moment after a write, it is known which requests the object loses since then.

use std::sync::Arc;

use portcullis_core::cluster::{Cluster, Event, Facts, SharedCluster, SyncState};
use portcullis_core::kinds::{Kind, decode};
use portcullis_core::review::{Loss, Rechecked, Reviewer, WriteNotShown};
use portcullis_testing::config::plan;
use portcullis_testing::pages::today;
use serde_json::{Value, json};

fn object(kind: &str, namespace: &str, name: &str, created: u32, spec: Value) -> Value {
    let created = format!("2026-01-{created:02}T00:00:00Z");
    let metadata = json!({"namespace": namespace, "name": name, "creationTimestamp": created});
    json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec})
}

fn gateway() -> Value {
    let listeners =
        json!([{"name": "web", "port": 80, "protocol": "HTTP", "allowedRoutes": {"namespaces": {"from": "All"}}}]);
    let spec =
        json!({"gatewayClassName": "own", "listeners": listeners, "allowedListeners": {"namespaces": {"from": "All"}}});
    object("Gateway", "infra", "gw", 1, spec)
}

/// A route for shop.example.com with these matches.
fn route(namespace: &str, name: &str, created: u32, matches: Value) -> Value {
    let spec = json!({"parentRefs": [{"name": "gw", "namespace": "infra"}], "hostnames": ["shop.example.com"], "rules": [{"matches": matches}]});
    object("HTTPRoute", namespace, name, created, spec)
}

fn path(value: &str) -> Value {
    json!({"path": {"type": "PathPrefix", "value": value}})
}

fn kind(object: &Value) -> Kind {
    Kind::ALL.into_iter().find(|kind| object["kind"] == kind.api().kind).expect("a kind that is checked")
}

/// What is found after a write beside these objects.
fn recheck(config: &str, stored: &[Value], old: Option<&Value>, new: &Value) -> Result<Rechecked, WriteNotShown> {
    let mut cluster = Cluster::with(SyncState::Complete);
    for object in stored.iter().chain([&gateway()]) {
        let json = object.to_string();
        cluster.apply(Event::Apply(Facts::of(&decode(kind(object), &json).expect("an object"))));
    }
    let request = json!({
        "uid": "1", "kind": {"group": "gateway.networking.k8s.io", "version": "v1", "kind": new["kind"]},
        "operation": if old.is_some() { "UPDATE" } else { "CREATE" }, "object": new, "oldObject": old,
        "namespace": new["metadata"]["namespace"], "name": new["metadata"]["name"],
    });
    let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
    let reviewer = Reviewer::new(plan(config), Arc::new(SharedCluster::new(cluster)));
    reviewer.recheck(review.to_string().as_bytes(), today())
}

/// The losses since a write beside these objects: the loser, the other object, the note.
fn losses(config: &str, others: &[Value], old: Option<&Value>, new: &Value) -> Vec<String> {
    let stored: Vec<Value> = others.iter().chain([new]).cloned().collect();
    let found = recheck(config, &stored, old, new).expect("the view shows the object");
    let taker = |loss: &Loss| loss.taker.as_ref().map(ToString::to_string).unwrap_or_default();
    found.loss.iter().map(|loss| format!("{} < {}: {}", loss.object_ref, taker(loss), loss.note)).collect()
}

#[test]
fn a_younger_route_loses_what_an_older_one_matches() {
    let (older, younger) = (
        route("web", "a", 2, json!([path("/cart"), path("/pay")])),
        route("web", "b", 3, json!([path("/cart"), path("/new")])),
    );
    let lost = "path /cart on shop.example.com is already matched by HTTPRoute web/a, which takes precedence [host/route-conflict]";
    assert_eq!(
        losses("", std::slice::from_ref(&older), None, &younger),
        [format!("HTTPRoute web/b < HTTPRoute web/a: 1 of 2 matches loses requests: {lost}")]
    );
    let alone = route("web", "b", 3, json!([path("/cart")]));
    assert_eq!(
        losses("", std::slice::from_ref(&older), Some(&route("web", "b", 3, json!([path("/other")]))), &alone),
        [format!("HTTPRoute web/b < HTTPRoute web/a: loses requests: {lost}")]
    );
    assert_eq!(losses("", std::slice::from_ref(&older), Some(&younger), &younger), [""; 0], "nothing begins");
    assert_eq!(losses("", &[younger], None, &older), [""; 0], "the other one was created a moment later");
}

/// Of what is equal but for the age, the younger object loses; an older one that takes from it is not reported.
#[test]
fn an_older_route_loses_nothing() {
    let (before, after) =
        (route("web", "a", 2, json!([path("/pay")])), route("web", "a", 2, json!([path("/pay"), path("/cart")])));
    let younger = route("web", "b", 3, json!([path("/cart")]));
    assert_eq!(losses("", &[younger], Some(&before), &after), [""; 0]);
}

#[test]
fn a_loss_from_before_an_update_is_not_reported() {
    let older = route("web", "a", 2, json!([path("/cart"), path("/pay")]));
    let both = route("web", "b", 3, json!([path("/cart"), path("/pay")]));
    assert_eq!(
        losses("", std::slice::from_ref(&older), Some(&both), &route("web", "b", 3, json!([path("/pay")]))),
        [""; 0]
    );
    let other = route("web", "c", 1, json!([path("/pay")]));
    assert_eq!(losses("", &[older, other], Some(&both), &both), [""; 0]);
}

#[test]
fn the_other_object_is_named_where_names_may_be_shown() {
    let (older, younger) =
        (route("team-b", "a", 2, json!([path("/cart")])), route("web", "b", 3, json!([path("/cart")])));
    let loss = |config: &str| losses(config, std::slice::from_ref(&older), None, &younger);
    assert!(loss("")[0].contains(
        "< HTTPRoute team-b/a: loses requests: path /cart on shop.example.com is already matched by HTTPRoute team-b/a"
    ));
    let hidden = &loss("revealOtherNamespaces: false\n")[0];
    assert!(hidden.contains("< : loses requests: ") && !hidden.contains("team-b"), "{hidden}");
}

/// The API server refuses to create an object that exists, so such a review says nothing about the stored object.
#[test]
fn the_creation_of_an_object_that_exists_is_not_seen() {
    let stored = route("web", "a", 1, json!([path("/cart")]));
    let again = route("web", "a", 4, json!([path("/cart")]));
    assert!(recheck("", &[route("web", "b", 3, json!([path("/cart")])), stored], None, &again).is_err());
}

/// A hostname of its own takes precedence over the age of a route that has the host from the listener.
#[test]
fn a_route_that_names_the_host_does_not_lose() {
    let mut unnamed = route("web", "a", 2, json!([path("/cart")]));
    unnamed["spec"].as_object_mut().expect("a map").remove("hostnames");
    unnamed["spec"]["parentRefs"] = json!([{"name": "shop", "namespace": "infra"}]);
    let mut named = route("web", "b", 3, json!([path("/cart")]));
    named["spec"]["parentRefs"] = unnamed["spec"]["parentRefs"].clone();
    let mut gateway = gateway();
    gateway["metadata"]["name"] = "shop".into();
    gateway["spec"]["listeners"][0]["hostname"] = "shop.example.com".into();
    assert_eq!(losses("", &[unnamed.clone(), gateway.clone()], None, &named), [""; 0]);
    assert_eq!(losses("", &[named, gateway], None, &unnamed).len(), 1);
}
