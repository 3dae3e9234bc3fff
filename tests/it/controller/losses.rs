//! A route that loses requests to another one gets an Event.

use std::time::Duration;

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
