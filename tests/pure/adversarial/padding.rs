//! Objects that claim nothing, or only hosts of the tenant, do not hide that a host belongs to another namespace, whatever else is
//! stored: ACME solvers, default Gateways, and routes without hostnames or that no listener accepts.

use portcullis_core::config::Config;
use portcullis_core::kinds::Kind;
use serde_json::{Value, json};

use super::subject::Subject;
use super::world::{self, World};
use super::{ingress, taker};
use crate::holds::lookups::{MAX_CLAIMS, most_lookups};

const FIRST: &str = "hostOwnership: {unlisted: FirstNamespace}\n";
/// Default Gateways are in the experimental channel only.
const EXPERIMENTAL: &str = "gatewayBundle: {version: 1.6, channel: experimental}\n";

const OWN: &str = "own.example.org";
const TAKEN: &str = "shop.example.com";

type Stored = Vec<(Kind, Value)>;

fn config(text: &str) -> Config {
    let text = portcullis_testing::config::text(text);
    Config::parse(&text).expect("the configuration is sound")
}

/// The verdict on the creation of `reviewed`, or on the update of `old`.
fn verdict(config_text: &str, stored: &Stored, reviewed: &Value, old: Option<&Value>) -> (bool, String) {
    let world = World { name: "", stored: stored.clone(), kind: Kind::Ingress, reviewed: reviewed.clone() };
    let mut subject = Subject::with(&world, config(config_text));
    if let Some(old) = old {
        subject.update(old);
    }
    subject.verdict()
}

fn is_denied((is_allowed, checks): &(bool, String), check: &str) -> bool {
    !is_allowed && checks.contains(&format!("{check}=Deny"))
}

/// An Ingress of the tenant with this many rules for its own host, and one for the host of another namespace at the end or at the start.
fn rules(own: usize, is_last: bool) -> Value {
    let paths = json!([world::ingress_path("/", "Prefix")]);
    let rule = |host: &str| json!({"host": host, "http": {"paths": paths}});
    let mut rules = vec![rule(OWN); own];
    rules.insert(if is_last { own } else { 0 }, rule(TAKEN));
    world::ingress(world::TENANT, "x", "nginx", json!(rules))
}

/// The Ingress of the other namespace.
fn shop() -> (Kind, Value) {
    (Kind::Ingress, ingress(world::OTHER, "cart", "nginx", Some(TAKEN), &["/cart"]))
}

fn without_taken(ingress: &Value) -> Value {
    let mut ingress = ingress.clone();
    ingress["spec"]["rules"].as_array_mut().expect("rules").retain(|rule| rule["host"] != TAKEN);
    ingress
}

/// Solvers of challenges for the host of the tenant, which its issuer has created in another namespace.
fn solvers(namespace: &str) -> Stored {
    let solver = |number: usize| {
        let path = format!("/.well-known/acme-challenge/{number}");
        let mut ingress = ingress(namespace, &format!("solver-{number}"), "nginx", Some(OWN), &[&path]);
        ingress["metadata"]["labels"] = json!({"acme.cert-manager.io/http01-solver": "true"});
        (Kind::Ingress, ingress)
    };
    (0..250).map(solver).collect()
}

/// Solvers hold no host, so the own host stays free, and the one of another namespace is found behind any number of them.
#[test]
fn solvers_neither_hold_a_host_nor_hide_who_does() {
    for namespace in [world::TENANT, "a-team2"] {
        let mut stored = solvers(namespace);
        for is_last in [true, false] {
            let reviewed = rules(210, is_last);
            let own = without_taken(&reviewed);
            assert!(verdict(FIRST, &stored, &own, None).0, "{namespace}: a solver holds no host");
            assert!(verdict(FIRST, &stored, &reviewed, None).0, "{namespace}: nobody holds the other host yet");
            stored.push(shop());
            for old in [None, Some(&own)] {
                let found = verdict(FIRST, &stored, &reviewed, old);
                assert!(is_denied(&found, "host/not-owned"), "{namespace}, update {}: {found:?}", old.is_some());
            }
            assert!(verdict(FIRST, &stored, &own, None).0, "{namespace}: the own host stays free");
            stored.pop();
        }
    }
}

/// Neither do they hide a conflict over a path.
#[test]
fn solvers_do_not_hide_a_conflict() {
    for namespace in [world::TENANT, "a-team2"] {
        let mut stored = solvers(namespace);
        stored.push(shop());
        for is_last in [true, false] {
            let reviewed = taker(2_000, "nginx", is_last);
            let old = without_taken(&reviewed);
            for old in [None, Some(&old)] {
                let found = verdict("", &stored, &reviewed, old);
                assert!(is_denied(&found, "host/path-conflict"), "{namespace}, update {}: {found:?}", old.is_some());
            }
            assert!(verdict("", &stored, &old, None).0);
        }
    }
}

/// The tenant has stored much for its own host, and updates an Ingress: what the update adds is denied, what was there before is not.
#[test]
fn update_may_not_add_a_host_of_another_namespace() {
    let own =
        |number: usize| (Kind::Ingress, ingress(world::TENANT, &format!("own-{number}"), "nginx", Some(OWN), &["/"]));
    let mut stored: Stored = (0..300).map(own).collect();
    stored.push(shop());
    // Paths conflict within the namespace, which is not what this is about.
    let config = &format!("{FIRST}checks: {{host/path-conflict: Off}}\n");
    for is_last in [true, false] {
        let reviewed = rules(180, is_last);
        let old = without_taken(&reviewed);
        let found = verdict(config, &stored, &reviewed, Some(&old));
        assert!(is_denied(&found, "host/not-owned"), "{found:?}");
        assert!(verdict(config, &stored, &old, Some(&reviewed)).0, "the update gives the host back");
        let mut labeled = reviewed.clone();
        labeled["metadata"]["labels"] = json!({"team": "b"});
        assert!(verdict(config, &stored, &labeled, Some(&reviewed)).0, "the update adds nothing");
    }
}

/// Gateways of `namespace` with 64 listeners each for `host`, on different ports.
fn gateways(namespace: &str, count: usize, host: &str, spec: &Value) -> Stored {
    let listener = |number: usize| {
        json!({
            "name": format!("l{number}"), "port": 1_000 + number, "protocol": "HTTP", "hostname": host,
            "allowedRoutes": {"namespaces": {"from": "All"}},
        })
    };
    let mut spec = spec.clone();
    spec["gatewayClassName"] = json!("public");
    spec["listeners"] = (0..64).map(listener).collect();
    let gateway =
        |number: usize| (Kind::Gateway, world::object(Kind::Gateway, namespace, &format!("g{number}"), spec.clone()));
    (0..count).map(gateway).collect()
}

/// HTTPRoutes without hostnames, which have the hosts of their listeners.
fn hostless_routes(namespace: &str, count: usize, spec: &Value) -> Stored {
    let mut spec = spec.clone();
    spec["rules"] = json!([{"backendRefs": [{"name": "s", "port": 80}]}]);
    let route = |number: usize| {
        (Kind::HttpRoute, world::object(Kind::HttpRoute, namespace, &format!("r{number}"), spec.clone()))
    };
    (0..count).map(route).collect()
}

/// Who holds a host is found among routes without hostnames. The number of look-ups grows neither with the repetitions of a host nor with
/// the routes, only with the listeners that have the host.
fn host_is_found(config_text: &str, pad: &Stored, holder: &Stored) {
    let (reviewed, mut stored) = (rules(50, true), pad.clone());
    let class = json!({"controllerName": "example.com/gateway"});
    stored.push((Kind::GatewayClass, world::object(Kind::GatewayClass, "", "public", class)));
    let own = without_taken(&reviewed);
    let found = verdict(config_text, &stored, &reviewed, None);
    assert!(found.0, "nobody else holds a host: {found:?}");
    stored.extend(holder.iter().cloned());
    for is_last in [true, false] {
        for old in [None, Some(&own)] {
            let found = verdict(config_text, &stored, &rules(50, is_last), old);
            assert!(is_denied(&found, "host/not-owned"), "update {}: {found:?}", old.is_some());
        }
    }
    assert!(verdict(config_text, &stored, &own, None).0, "the own host stays the own one");
    let lookups = |own: usize, stored: &Stored| {
        let world = World { name: "", stored: stored.clone(), kind: Kind::Ingress, reviewed: rules(own, true) };
        most_lookups(&world, config_text)["host/not-owned"]
    };
    let many = lookups(50, &stored);
    assert!(many <= lookups(1, &stored) + 49, "the holder of a repeated host is looked up again");
    let mut routes = 0;
    stored.retain(|(kind, _)| *kind != Kind::HttpRoute || std::mem::replace(&mut routes, 1) == 0);
    let alone = lookups(50, &stored);
    assert!(many <= alone, "{many} look-ups with all routes, and {alone} with one");
    let listeners = 64 * stored.iter().filter(|(kind, _)| *kind == Kind::Gateway).count();
    assert!(many <= MAX_CLAIMS + OF_A_LISTENER * listeners, "{many} look-ups with {listeners} listeners");
}

/// A route of each of three kinds may refer to a listener with or without its name and its port.
const OF_A_LISTENER: usize = 3 * 2 * 4;

#[test]
fn default_gateways_do_not_hide_who_holds_a_host() {
    let (all, uses) = (json!({"defaultScope": "All"}), json!({"useDefaultGateways": "All"}));
    let config = &format!("{FIRST}{EXPERIMENTAL}");
    let pad: Stored =
        gateways(world::TENANT, 10, OWN, &all).into_iter().chain(hostless_routes(world::TENANT, 100, &uses)).collect();
    host_is_found(config, &pad, &vec![shop()]);
    // The other namespace has the host by a route without hostnames, at a Gateway of the platform.
    let pad = gateways(world::TENANT, 10, OWN, &all);
    let mut holder = gateways("infra", 1, TAKEN, &all);
    holder.extend(hostless_routes(world::OTHER, 1, &json!({"parentRefs": [{"name": "g0", "namespace": "infra"}]})));
    host_is_found(config, &pad, &holder);
    holder.pop();
    // A route that uses every default Gateway would also get the host of the tenant from those of the tenant.
    holder.extend(hostless_routes(world::OTHER, 1, &uses));
    host_is_found(config, &Stored::new(), &holder);
}

/// 232 small objects: 32 Gateways of 64 listeners, and 200 routes, each at all of them.
#[test]
fn routes_without_hostnames_do_not_hide_who_holds_a_host() {
    let parents: Value = (0..32).map(|number| json!({"name": format!("g{number}")})).collect();
    let routes = hostless_routes(world::TENANT, 200, &json!({"parentRefs": parents}));
    let pad: Stored = gateways(world::TENANT, 32, OWN, &json!({})).into_iter().chain(routes).collect();
    host_is_found(FIRST, &pad, &vec![shop()]);
}

/// Where an annotation may serve every host, a route of another namespace is found behind those of a third one that no listener accepts.
#[test]
fn routes_that_no_listener_accepts_do_not_hide_another_one() {
    let config = &format!("{FIRST}checks: {{'*': Off, host/not-owned: Deny}}\n");
    let rules = json!([{"host": OWN, "http": {"paths": [world::ingress_path("/", "Prefix")]}}]);
    let mut reviewed = world::ingress(world::TENANT, "x", "traefik", rules);
    reviewed["metadata"]["annotations"] =
        json!({"traefik.ingress.kubernetes.io/router.rule": "PathPrefix(`/`) || PathPrefix"});
    let class = json!({"controllerName": "traefik.io/gateway-controller"});
    let mut stored = gateways("infra", 1, "*.example.com", &json!({}));
    stored.push((Kind::GatewayClass, world::object(Kind::GatewayClass, "", "public", class)));
    let route = |namespace: &str, name: &str, host: &str| {
        let parents = json!([{"name": "g0", "namespace": "infra"}]);
        let matches = json!([{"path": {"type": "PathPrefix", "value": "/"}}]);
        (Kind::HttpRoute, world::http_route_of(namespace, name, parents, json!([host]), matches))
    };
    stored.extend((0..200).map(|number| route("a-team", &format!("r{number}"), "shop.example.net")));
    let found = verdict(config, &stored, &reviewed, None);
    assert!(found.0, "no listener accepts the routes: {found:?}");
    stored.push(route(world::OTHER, "shop", TAKEN));
    let found = verdict(config, &stored, &reviewed, None);
    assert!(is_denied(&found, "host/not-owned"), "{found:?}");
}
