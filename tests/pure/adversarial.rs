//! One tenant has stored as much as the limits of the CRDs allow. A review of one more object takes bounded time, and
//! conflicts are still denied.

#[path = "../../benches/adversarial/subject.rs"]
mod subject;
#[allow(dead_code, reason = "the benches use the rest of it")]
#[path = "../../benches/adversarial/world.rs"]
mod world;

use std::time::{Duration, Instant};

use portcullis_core::config::{API_VERSION, Config, KIND};
use portcullis_core::kinds::Kind;
use portcullis_testing::each;
use serde_json::json;

use subject::Subject;
use world::World;

/// The time limit for a review in a debug build on a busy machine. A review whose work multiplies with the stored
/// objects takes a minute.
const SOON: Duration = Duration::from_secs(10);

#[test]
fn bounded() {
    each(world::all(), |world| world.name.to_string(), is_bounded);
}

fn is_bounded(world: &World) {
    let subject = Subject::new(world);
    let since = Instant::now();
    let first = subject.validate();
    assert!(since.elapsed() < SOON, "{}: {:?}", world.name, since.elapsed());
    // A second replica has the same objects, but other hash seeds, and must give the same response.
    assert_eq!(String::from_utf8(first), String::from_utf8(Subject::new(world).validate()));
}

fn restricted() -> Config {
    let text = format!("apiVersion: {API_VERSION}\nkind: {KIND}\nprofile: restricted\n");
    Config::parse(&text).expect("the configuration is sound")
}

/// A route of another team was attached to the same listeners before. The many objects of the tenant do not hide the
/// conflict.
#[test]
fn route_conflict_in_large_cluster_is_denied() {
    let mut world = world::routes_on_listener_sets();
    let victim = world::http_route(world::OTHER, "victim", world::sets(1));
    world.stored.push((Kind::HttpRoute, victim));
    let (is_allowed, checks) = Subject::with(&world, restricted()).verdict();
    assert!(!is_allowed && checks.contains("host/route-conflict=Deny"), "{checks}");
    assert!(!checks.contains("object/too-complex"), "{checks}");
}

/// A world in which 400 routes in `namespace` have the hosts and the parents of the reviewed route, but refer to a
/// listener that does not accept them.
fn crowd(namespace: &str) -> World {
    let mut world = world::routes_on_listener_sets();
    world.stored.retain(|(kind, _)| *kind == Kind::ListenerSet);
    let refuse = json!({"namespaces": {"from": "Selector", "selector": {"matchLabels": {"a": "b"}}}});
    for (_, set) in &mut world.stored {
        let listeners = set["spec"]["listeners"].as_array_mut().expect("listeners");
        // Only the first listener of each set accepts routes. The stored routes refer to the second one.
        listeners.iter_mut().skip(1).for_each(|listener| listener["allowedRoutes"] = refuse.clone());
    }
    for number in 0..400 {
        let mut route = world::http_route(namespace, &format!("r{number}"), world::sets(32));
        for parent in route["spec"]["parentRefs"].as_array_mut().expect("parents") {
            parent["sectionName"] = json!("l1");
        }
        world.stored.push((Kind::HttpRoute, route));
    }
    world
}

#[test]
fn own_namespace_exhausting_the_budget_is_denied() {
    let (is_allowed, checks) = Subject::new(&crowd(world::TENANT)).verdict();
    assert!(!is_allowed && checks.contains("object/too-complex=Deny"), "{checks}");
}

#[test]
fn other_namespaces_exhausting_the_budget_only_warns() {
    let (is_allowed, checks) = Subject::new(&crowd("aaa")).verdict();
    assert!(is_allowed && checks.contains("object/too-complex=Warn"), "{checks}");
}

#[test]
fn preexisting_complexity_only_warns() {
    let mut subject = Subject::new(&crowd(world::TENANT));
    let review = subject.review.replacen(r#""operation":"CREATE""#, r#""operation":"UPDATE""#, 1);
    let object = &review[review.find(r#""object":"#).expect("an object") + r#""object":"#.len()..review.len() - 2];
    let changed = object.replacen("h15.b.example.org", "h16.b.example.org", 1);
    subject.review = review.replace(object, &format!(r#"{changed},"oldObject":{object}"#));
    let (is_allowed, checks) = subject.verdict();
    assert!(is_allowed && checks.contains("object/too-complex=Warn"), "{checks}");
}
