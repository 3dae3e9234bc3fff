//! One tenant has stored as much as the limits of the CRDs allow. A review of one more object takes bounded time, and
//! conflicts are still denied.

mod padding;
mod size;
#[path = "../../benches/adversarial/subject.rs"]
mod subject;
#[allow(dead_code, reason = "the benches use the rest of it")]
#[path = "../../benches/adversarial/world.rs"]
pub mod world;

use std::time::Duration;

use portcullis_core::config::{API_VERSION, Config, KIND};
use portcullis_core::kinds::Kind;
use portcullis_testing::each;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use subject::{Subject, review};
use world::World;

/// The maximum CPU time of a review in a debug build. A review whose work multiplies with the stored objects takes a
/// minute.
const MOST_CPU_TIME: Duration = Duration::from_secs(10);

#[test]
fn bounded() {
    each(world::all(), |world| world.name.to_string(), is_bounded);
}

fn is_bounded(world: &World) {
    let stored = world.facts();
    // A second replica has the same objects, but other hash seeds, and must give the same response.
    let replicas = [stored.clone(), stored].map(|stored| Subject::over(stored, world, Config::default()));
    let before = cpu_time();
    let first = replicas[0].validate();
    let used = cpu_time() - before;
    assert!(used < MOST_CPU_TIME, "{}: {used:?}", world.name);
    assert_eq!(String::from_utf8(first), String::from_utf8(replicas[1].validate()));
}

/// The CPU time that this thread has used.
fn cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).expect("it is positive")
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
}

/// The rule that takes requests is the last of many, and is compared with the rules of a thousand hosts.
#[test]
fn wildcard_that_takes_requests_with_its_last_rule_is_denied() {
    for (last, expected) in [("cart", "host/wildcard-takes-host=Deny"), ("nowhere", "host/wildcard-takes-host=Warn")] {
        let (is_allowed, checks) = Subject::new(&world::wildcard(world::wildcard_paths(last))).verdict();
        assert!(checks.contains(expected) && is_allowed == expected.ends_with("Warn"), "{last}: {checks}");
    }
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

/// However many routes have the same hosts and matches, the conflict with the one that a listener accepts is found.
#[test]
fn crowd_of_routes_does_not_hide_a_conflict() {
    let text = format!(
        "apiVersion: {API_VERSION}\nkind: {KIND}\nprofile: restricted\nchecks: {{object/namespace-too-large: Off}}\n"
    );
    let restricted = || Config::parse(&text).expect("the configuration is sound");
    for namespace in [world::TENANT, "aaa"] {
        let subject = Subject::with(&crowd(namespace), restricted());
        let (is_allowed, checks) = subject.verdict();
        assert!(is_allowed && !checks.contains("host/route-conflict"), "{checks}");
        subject.store(Kind::HttpRoute, &world::http_route(world::OTHER, "victim", world::sets(1)));
        let (is_allowed, checks) = subject.verdict();
        assert!(!is_allowed && checks.contains("host/route-conflict=Deny"), "{checks}");
    }
}

/// Worlds whose stored objects do not conflict with the reviewed one, each with an object that does, and the check that
/// denies.
fn hidden() -> Vec<(World, (Kind, Value), &'static str)> {
    let elsewhere = |mut world: World| {
        let routes = world.stored.iter_mut().filter(|(kind, _)| !matches!(kind, Kind::ListenerSet | Kind::Gateway));
        for parent in routes.flat_map(|(_, route)| route["spec"]["parentRefs"].as_array_mut().expect("parents")) {
            parent["sectionName"] = json!("nowhere");
        }
        world
    };
    let of_other = |kind: Kind, world: &World| {
        let mut spec = world.reviewed["spec"].clone();
        spec["parentRefs"] = json!([{"kind": "ListenerSet", "namespace": world::TENANT, "name": "set-1"}]);
        (kind, world::object(kind, world::OTHER, "victim", spec))
    };
    let tcp = world::tcp_routes();
    let tls = elsewhere(world::tls_routes());
    let grpc = elsewhere(world::http_beside_grpc());
    let policies = world::policies();
    let (tcp_victim, tls_victim) = (of_other(Kind::TcpRoute, &tcp), of_other(Kind::TlsRoute, &tls));
    let mut grpc_victim = of_other(Kind::GrpcRoute, &grpc);
    grpc_victim.1["spec"]["rules"] = json!([{}]);
    let policy = world::object(Kind::BackendTlsPolicy, world::TENANT, "victim", policies.reviewed["spec"].clone());
    vec![
        (tcp, tcp_victim, "l4-route/listener-shared=Deny"),
        (tls, tls_victim, "host/tls-route-conflict=Deny"),
        (grpc, grpc_victim, "host/http-grpc-clash=Deny"),
        (policies, (Kind::BackendTlsPolicy, policy), "backend-tls-policy/target-conflict=Deny"),
    ]
}

#[test]
fn crowd_of_any_kind_does_not_hide_a_conflict() {
    for (world, (kind, victim), check) in hidden() {
        let subject = Subject::with(&world, restricted());
        let (_, checks) = subject.verdict();
        assert!(!checks.contains(check), "{}: {checks}", world.name);
        subject.store(kind, &victim);
        let (is_allowed, checks) = subject.verdict();
        assert!(!is_allowed && checks.contains(check), "{}: {checks}", world.name);
    }
}

/// A small route of `namespace` with these ListenerSets, hosts and paths.
fn small_route(namespace: &str, name: &str, sets: usize, hosts: &[&str], paths: &[&str]) -> Value {
    let mut parents = world::sets(sets);
    parents.as_array_mut().into_iter().flatten().for_each(|parent| parent["namespace"] = json!(world::TENANT));
    let path = |path: &&str| json!({"path": {"type": "PathPrefix", "value": path}});
    let rules = json!([{"matches": paths.iter().map(path).collect::<Value>()}]);
    world::object(Kind::HttpRoute, namespace, name, json!({"parentRefs": parents, "hostnames": hosts, "rules": rules}))
}

/// An update of a route with a tolerated conflict is judged like a creation for what it adds.
#[test]
fn tolerated_conflict_of_a_route_does_not_grow() {
    let (one, two) = ("one.b.example.org", "two.b.example.org");
    let victim = small_route(world::OTHER, "victim", 2, &[one, two], &["/a", "/b"]);
    let old = small_route(world::TENANT, "x", 1, &[one], &["/a"]);
    let updates = [
        ("nothing", small_route(world::TENANT, "x", 1, &[one], &["/a"]), true),
        ("a match without a conflict", small_route(world::TENANT, "x", 1, &[one], &["/a", "/free"]), true),
        ("a host without a conflict", small_route(world::TENANT, "x", 1, &[one, "free.b.example.org"], &["/a"]), true),
        ("a match", small_route(world::TENANT, "x", 1, &[one], &["/a", "/b"]), false),
        ("a host", small_route(world::TENANT, "x", 1, &[one, two], &["/a"]), false),
        ("a parent", small_route(world::TENANT, "x", 2, &[one], &["/a"]), false),
    ];
    let mut world = world::routes_on_listener_sets();
    world.stored.retain(|(kind, _)| *kind == Kind::ListenerSet);
    world.stored.extend([victim, old.clone()].map(|route| (Kind::HttpRoute, route)));
    let mut subject = Subject::with(&world, restricted());
    for (added, reviewed, is_tolerated) in updates {
        subject.review = review(Kind::HttpRoute, &reviewed);
        let (is_allowed, checks) = subject.verdict();
        assert!(!is_allowed && checks.contains("host/route-conflict=Deny"), "{added}: {checks}");
        subject.update(&old);
        let (is_allowed, checks) = subject.verdict();
        assert_eq!(is_allowed, is_tolerated, "{added}: {checks}");
    }
}

#[test]
fn tolerated_wildcard_takes_nothing_more() {
    let wildcard = |priority: &str, paths: &[&str]| {
        let mut ingress = ingress(world::TENANT, "x", "traefik", Some("*.example.com"), paths);
        ingress["metadata"]["annotations"] = json!({"traefik.ingress.kubernetes.io/router.priority": priority});
        ingress
    };
    let old = wildcard("1000", &["/unused"]);
    let victim = ingress(world::OTHER, "shop", "traefik", Some("a.example.com"), &["/cart", "/"]);
    let mut labeled = old.clone();
    labeled["metadata"]["labels"] = json!({"team": "b"});
    let updates = [
        ("nothing", labeled, true),
        ("a path", wildcard("1000", &["/unused", "/"]), false),
        ("a priority", wildcard("2000", &["/unused"]), false),
    ];
    for (added, reviewed, is_tolerated) in updates {
        let stored = vec![(Kind::Ingress, victim.clone()), (Kind::Ingress, old.clone())];
        let world = World { name: "wildcard", stored, kind: Kind::Ingress, reviewed };
        let mut subject = Subject::new(&world);
        let (is_allowed, checks) = subject.verdict();
        assert!(!is_allowed && checks.contains("host/wildcard-takes-host=Deny"), "{added}: {checks}");
        subject.update(&old);
        let (is_allowed, checks) = subject.verdict();
        assert_eq!(is_allowed, is_tolerated, "{added}: {checks}");
    }
}

/// An exact host that another namespace adds below an older wildcard does not prevent updates of the wildcard.
#[test]
fn older_wildcard_stays_editable() {
    let aged = |mut ingress: Value, day: u8| {
        ingress["metadata"]["creationTimestamp"] = json!(format!("2026-01-0{day}T00:00:00Z"));
        ingress
    };
    let of_tenant =
        |host: &str, paths: &[&str], day: u8| aged(ingress(world::TENANT, "x", "traefik", Some(host), paths), day);
    let (wildcard, later) = ("*.example.com", ingress(world::OTHER, "h", "traefik", Some("h.example.com"), &["/"]));
    let updates = [
        ("a path of an older wildcard", 1, of_tenant(wildcard, &["/orders"], 1), true),
        ("a path of a younger wildcard", 3, of_tenant(wildcard, &["/orders"], 3), false),
        ("the wildcard of an older object", 1, of_tenant("own.example.org", &["/orders"], 1), false),
    ];
    for (added, day, old, is_tolerated) in updates {
        let stored = vec![(Kind::Ingress, aged(later.clone(), 2)), (Kind::Ingress, old.clone())];
        let reviewed = of_tenant(wildcard, &["/orders", "/orders/api"], day);
        let mut subject = Subject::new(&World { name: "wildcard", stored, kind: Kind::Ingress, reviewed });
        subject.update(&old);
        let (is_allowed, checks) = subject.verdict();
        assert!(checks.contains("host/wildcard-takes-host"), "{added}: {checks}");
        assert_eq!(is_allowed, is_tolerated, "{added}: {checks}");
    }
}

/// An Ingress of the tenant with `own` repetitions of a path of its own host and the path of another team, in this order
/// or the other way round.
fn taker(own: usize, class: &str, is_last: bool) -> Value {
    let backend = json!({"service": {"name": "s", "port": {"number": 80}}});
    let path = |path: &str| json!({"path": path, "pathType": "Prefix", "backend": backend});
    let repeated = json!({"host": "own.example.org", "http": {"paths": vec![path("/p"); own]}});
    let taken = json!({"host": "shop.example.com", "http": {"paths": [path("/cart")]}});
    let rules = if is_last { json!([repeated, taken]) } else { json!([taken, repeated]) };
    world::object(Kind::Ingress, world::TENANT, "x", json!({"ingressClassName": class, "rules": rules}))
}

fn ingress(namespace: &str, name: &str, class: &str, host: Option<&str>, paths: &[&str]) -> Value {
    let backend = json!({"service": {"name": "s", "port": {"number": 80}}});
    let paths = paths.iter().map(|path| json!({"path": path, "pathType": "Prefix", "backend": backend}));
    let rules = json!([{"host": host, "http": {"paths": paths.collect::<Value>()}}]);
    world::object(Kind::Ingress, namespace, name, json!({"ingressClassName": class, "rules": rules}))
}

/// Padding in another class, in the same class, in the own namespace and in others, none of which may hide the conflict.
fn padded() -> Vec<(&'static str, Vec<(Kind, Value)>)> {
    let pad = |namespace: &str, class: &str, count: usize, paths: usize| {
        let paths: Vec<&str> = vec!["/p"; paths];
        let object =
            |number: usize| ingress(namespace, &format!("pad-{number}"), class, Some("own.example.org"), &paths);
        (0..count).map(object).map(|object| (Kind::Ingress, object)).collect::<Vec<_>>()
    };
    let hostless = (0..300).map(|number| (Kind::Ingress, ingress(&format!("ns-{number}"), "pad", "gce", None, &["/"])));
    vec![
        ("nothing", Vec::new()),
        ("own repetitions in another class", pad(world::TENANT, "gce", 2, 24)),
        ("own repetitions in the same class", pad(world::TENANT, "nginx", 300, 24)),
        ("repetitions of another namespace", pad("a-team2", "gce", 1, 1_000)),
        ("many objects of another namespace", pad("a-team2", "gce", 1_000, 1)),
        ("hostless Ingresses of others", hostless.collect()),
    ]
}

/// A path of another team is refused in any order of rules, whatever others store, for a creation and for an update of an
/// Ingress that had nothing of the other team.
#[test]
fn path_of_another_team_is_never_taken() {
    each(
        padded(),
        |(name, _)| (*name).to_owned(),
        |(name, pad)| {
            for is_last in [true, false] {
                let mut stored = pad.clone();
                stored.push((
                    Kind::Ingress,
                    ingress(world::OTHER, "cart", "nginx", Some("shop.example.com"), &["/cart"]),
                ));
                let reviewed = taker(2_000, "nginx", is_last);
                let world = World { name: "", stored, kind: Kind::Ingress, reviewed };
                let mut subject = Subject::new(&world);
                let (is_allowed, checks) = subject.verdict();
                assert!(!is_allowed && checks.contains("host/path-conflict=Deny"), "{name}: {checks}");
                let old = ingress(world::TENANT, "x", "nginx", Some("own.example.org"), &["/p"; 2_000]);
                subject.update(&old);
                let (is_allowed, checks) = subject.verdict();
                assert!(!is_allowed && checks.contains("host/path-conflict=Deny"), "{name}: {checks}");
            }
        },
    );
}

/// The same where the first namespace that serves a host owns it.
#[test]
fn host_of_the_first_namespace_is_never_taken() {
    let text = format!("apiVersion: {API_VERSION}\nkind: {KIND}\nhostOwnership: {{unlisted: FirstNamespace}}\n");
    each(
        padded(),
        |(name, _)| (*name).to_owned(),
        |(name, pad)| {
            let config = Config::parse(&text).expect("the configuration is sound");
            let mut stored = pad.clone();
            stored.retain(|(_, object)| object["metadata"]["namespace"] != "a-team2");
            stored.push((Kind::Ingress, ingress(world::OTHER, "cart", "nginx", Some("shop.example.com"), &["/other"])));
            let world = World { name: "", stored, kind: Kind::Ingress, reviewed: taker(2_000, "nginx", true) };
            let (is_allowed, checks) = Subject::with(&world, config).verdict();
            assert!(!is_allowed && checks.contains("host/not-owned=Deny"), "{name}: {checks}");
        },
    );
}
