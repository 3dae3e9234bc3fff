//! A moment after a write, it is known which requests objects lose since then.

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
    let group = if kind == "Ingress" { "networking.k8s.io" } else { "gateway.networking.k8s.io" };
    json!({"apiVersion": format!("{group}/v1"), "kind": kind, "metadata": metadata, "spec": spec})
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
        "uid": "1", "kind": {"group": kind(new).api().group, "version": "v1", "kind": new["kind"]},
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
    found.losses.iter().map(|loss| format!("{} < {}: {}", loss.object_ref, taker(loss), loss.note)).collect()
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
    assert_eq!(losses("", &[younger], None, &older), [""; 0], "the creation of the younger one reports it");
}

/// Of what is equal but for the age, the younger objects lose, also to a write of the older one.
#[test]
fn each_younger_route_loses_what_an_older_one_takes() {
    let (before, after) =
        (route("web", "a", 2, json!([path("/pay")])), route("web", "a", 2, json!([path("/pay"), path("/cart")])));
    let others = [
        route("team-b", "b", 3, json!([path("/cart")])),
        route("team-c", "c", 4, json!([path("/cart"), path("/new"), path("/pay")])),
    ];
    let lost = "path /cart on shop.example.com is already matched by HTTPRoute web/a, which takes precedence [host/route-conflict]";
    let expected = [
        format!("HTTPRoute team-b/b < HTTPRoute web/a: loses requests: {lost}"),
        format!("HTTPRoute team-c/c < HTTPRoute web/a: 1 of 3 matches loses requests: {lost}"),
    ];
    assert_eq!(losses("", &others, Some(&before), &after), expected);
    assert_eq!(losses("", &others, Some(&after), &after), [""; 0], "nothing begins");
    let hidden = losses("revealOtherNamespaces: false\n", &others, Some(&before), &after);
    assert!(hidden.iter().all(|loss| loss.contains("< : ") && !loss.contains("web/a")), "{hidden:?}");
    // A still older route has the match already.
    let oldest = route("web", "z", 1, json!([path("/cart")]));
    let with_oldest = losses("", &[others[0].clone(), oldest], Some(&before), &after);
    assert!(with_oldest.iter().all(|loss| loss.starts_with("HTTPRoute web/a < ")), "{with_oldest:?}");
}

/// A ListenerSet of the Gateway in another namespace, with listeners for these hosts.
fn set(namespace: &str, created: u32, hosts: &[&str]) -> Value {
    let listener =
        |host: &&str| json!({"name": host.replace('.', "-"), "port": 80, "protocol": "HTTP", "hostname": host});
    let listeners: Vec<Value> = hosts.iter().map(listener).collect();
    let spec = json!({"parentRef": {"name": "gw", "namespace": "infra"}, "listeners": listeners});
    object("ListenerSet", namespace, "set", created, spec)
}

#[test]
fn a_listener_loses_to_that_of_an_older_set() {
    let older = set("web", 2, &["a.example.com"]);
    let younger = set("team-b", 3, &["a.example.com", "b.example.com"]);
    let note = "ListenerSet web/set already uses this port, protocol and hostname [listener-set/listener-conflict]";
    assert_eq!(
        losses("", std::slice::from_ref(&older), None, &younger),
        [format!("ListenerSet team-b/set < ListenerSet web/set: 1 of 2 listeners loses requests: {note}")]
    );
    assert_eq!(losses("", std::slice::from_ref(&older), Some(&younger), &younger), [""; 0], "nothing begins");
    let taken = losses("", std::slice::from_ref(&younger), Some(&set("web", 2, &["c.example.com"])), &older);
    let note = "ListenerSet web/set uses port 80 with protocol HTTP and takes precedence [host/listener-takes-host]";
    assert_eq!(taken, [format!("ListenerSet team-b/set < ListenerSet web/set: loses requests: {note}")]);
}

#[test]
fn a_listener_takes_the_host_of_older_routes() {
    let others = [route("team-b", "b", 2, json!([path("/")])), route("team-c", "c", 3, json!([path("/cart")]))];
    let note = "requests for shop.example.com reach a more specific listener of ListenerSet web/set, which does not accept this route \
                [host/listener-takes-host]";
    let expected =
        ["team-b/b", "team-c/c"].map(|name| format!("HTTPRoute {name} < ListenerSet web/set: loses requests: {note}"));
    assert_eq!(losses("", &others, None, &set("web", 4, &["shop.example.com"])), expected);
}

/// An Ingress of this class for paths of shop.example.com.
fn ingress(class: &str, namespace: &str, created: u32, paths: &[&str]) -> Value {
    let backend = json!({"service": {"name": "shop", "port": {"number": 80}}});
    let path = |path: &&str| json!({"path": path, "pathType": "Prefix", "backend": backend});
    let paths: Vec<Value> = paths.iter().map(path).collect();
    let spec = json!({"ingressClassName": class, "rules": [{"host": "shop.example.com", "http": {"paths": paths}}]});
    object("Ingress", namespace, &format!("shop-{created}"), created, spec)
}

/// ingress-nginx serves the older of two Ingresses; which one others serve depends on them.
#[test]
fn a_path_of_ingress_nginx_loses_to_that_of_an_older_ingress() {
    let note =
        "path /cart on shop.example.com is already served by Ingress web/shop-2 (class nginx) [host/path-conflict]";
    let (older, younger) = (ingress("nginx", "web", 2, &["/cart"]), ingress("nginx", "web", 3, &["/cart", "/new"]));
    assert_eq!(
        losses("", std::slice::from_ref(&older), None, &younger),
        [format!("Ingress web/shop-3 < Ingress web/shop-2: 1 of 2 paths loses requests: {note}")]
    );
    let before = ingress("nginx", "web", 2, &["/"]);
    let note = "path /cart on shop.example.com is already served by Ingress web/shop-2 [host/path-conflict]";
    assert_eq!(
        losses("", std::slice::from_ref(&younger), Some(&before), &older),
        [format!("Ingress web/shop-3 < Ingress web/shop-2: loses requests: {note}")]
    );
    let [of_another, younger] = [2, 3].map(|created| ingress("public", "web", created, &["/cart"]));
    assert_eq!(losses("", &[of_another], None, &younger), [""; 0]);
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
    let taken = losses("", &[unnamed.clone(), gateway.clone()], None, &named);
    assert!(matches!(&*taken, [loss] if loss.starts_with("HTTPRoute web/a < HTTPRoute web/b: ")), "{taken:?}");
    assert_eq!(losses("", &[named, gateway], None, &unnamed).len(), 1);
}
