//! An object that loses requests to another one gets an Event.

use std::time::Duration;

use serde_json::{Value, json};

use super::fixture::Cluster;
use super::objects::{gateway, gateway_class, http_route};
use crate::harness::{Webhooks, until};

/// A look at an admitted write takes place after two seconds.
const LIMIT: Duration = Duration::from_secs(10);

pub fn an_event_says_which_matches_lose_requests() {
    let cluster = Cluster::with_gateway_api();
    let server = cluster.replica("");
    let _registered = cluster.control_plane.register(&server, Webhooks::validating());
    let (older, younger) =
        (http_route("shop", &["gw"], "shop.example.com"), http_route("shop-new", &["gw"], "shop.example.com"));
    for object in [&gateway_class("own"), &gateway("gw", "own"), &older, &younger] {
        cluster.apply(object);
    }
    let event = until(LIMIT, || cluster.events(&younger, "RequestsLost").pop());
    let event = event.unwrap_or_else(|| panic!("no Event: {}", server.log()));
    assert_eq!(event["regarding"]["uid"], cluster.get(&younger)["metadata"]["uid"], "{event}");
    assert_eq!(
        (&event["related"]["kind"], &event["related"]["name"]),
        (&"HTTPRoute".into(), &"shop".into()),
        "{event}"
    );
    let note = "loses requests: path / on shop.example.com is already matched by HTTPRoute web/shop, which takes precedence \
                [host/route-conflict]";
    assert_eq!((&event["type"], &event["note"]), (&"Warning".into(), &note.into()));
    assert!(cluster.events(&older, "RequestsLost").is_empty());
}

/// A ListenerSet of the Gateway `gw` with one listener.
fn listener_set(namespace: &str, name: &str) -> Value {
    let listeners = json!([{"name": "shop", "port": 80, "protocol": "HTTP", "hostname": "set.example.com"}]);
    let spec = json!({"parentRef": {"name": "gw", "namespace": "web"}, "listeners": listeners});
    let metadata = json!({"namespace": namespace, "name": name});
    json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "ListenerSet", "metadata": metadata, "spec": spec})
}

/// Of two objects of one second, the first by name counts as the older one. Each loser is in another namespace, since a namespace gets one
/// Event in a minute.
pub fn an_event_reaches_listeners_and_those_that_another_write_takes_from() {
    let cluster = Cluster::with_gateway_api();
    let server = cluster.replica("");
    let _registered = cluster.control_plane.register(&server, Webhooks::validating());
    let mut gateway = gateway("gw", "own");
    gateway["spec"]["listeners"][0]["allowedRoutes"] = json!({"namespaces": {"from": "All"}});
    gateway["spec"]["allowedListeners"] = json!({"namespaces": {"from": "All"}});
    let mut older = http_route("shop", &["gw"], "shop.example.com");
    older["metadata"]["namespace"] = "team".into();
    older["spec"]["parentRefs"][0]["namespace"] = "web".into();
    let younger = http_route("shop-new", &["gw"], "new.example.com");
    let [first, second] = [("portcullis", "set-old"), ("team", "set-new")].map(|(of, name)| listener_set(of, name));
    for object in [&gateway_class("own"), &gateway, &older, &younger, &first, &second] {
        cluster.apply(object);
    }
    let event_about = |object: &Value| {
        let event = until(LIMIT, || cluster.events(object, "RequestsLost").pop());
        event.unwrap_or_else(|| panic!("no Event about {object}: {}", server.log()))
    };
    let event = event_about(&second);
    assert_eq!(event["related"]["name"], "set-old", "{event}");
    let note = "loses requests: ListenerSet portcullis/set-old already uses this port, protocol and hostname \
                [listener-set/listener-conflict]";
    assert_eq!(event["note"], note);

    older["spec"]["hostnames"] = json!(["shop.example.com", "new.example.com"]);
    cluster.apply(&older);
    let event = event_about(&younger);
    assert_eq!((&event["regarding"]["namespace"], &event["related"]["namespace"]), (&"web".into(), &"team".into()));
    let note = "loses requests: path / on new.example.com is already matched by HTTPRoute team/shop, which takes precedence \
                [host/route-conflict]";
    assert_eq!(event["note"], note);
    assert!([first, older].iter().all(|winner| cluster.events(winner, "RequestsLost").is_empty()));
}
