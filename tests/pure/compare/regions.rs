//! The regions contain a request for each answer that a set of objects gives.

use std::collections::BTreeSet;

use portcullis_core::compare::Regions;
use portcullis_core::explain::{Request, Scope, Snapshot};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::{EVERY, of_host};
use crate::explain::worlds::{Objects, request, who};
use crate::explain::{delegations, ingresses, proxies, routes};

const SEEDS: std::ops::Range<u64> = 0..60;
const REQUESTS: usize = 60;

/// A cluster with objects of all kinds.
fn world(rng: &mut Rng) -> Vec<Value> {
    let mut world = ingresses::world(rng);
    world.truncate(2);
    if rng.one_in(2) {
        world.extend(delegations::world(rng));
    }
    if rng.one_in(2) {
        let mut all = proxies::world(rng);
        all.truncate(3);
        world.extend(all);
    }
    let mut gateways = routes::world(rng);
    gateways.truncate(3);
    if rng.one_in(2) {
        gateways.push(grpc_route(rng));
    }
    world.extend(gateways);
    world
}

/// A request of any kind, without `--sni` and `--class`, so that the server name is the host. Its path has no repeated slashes,
/// which some proxies merge.
fn words(rng: &mut Rng) -> String {
    let words = match rng.below(4) {
        0 => ingresses::url(rng),
        1 => delegations::words(rng),
        2 => proxies::words(rng),
        _ => routes::words(rng),
    };
    let (scheme, rest) = words.split_once("://").expect("a URL");
    let words = format!("{scheme}://{}", rest.replace("///", "/").replace("//", "/"));
    let mut all = words.split(' ');
    let mut kept = Vec::new();
    while let Some(word) = all.next() {
        match word {
            "--sni" | "--class" => drop(all.next()),
            word => kept.push(word),
        }
    }
    kept.join(" ")
}

fn grpc_route(rng: &mut Rng) -> Value {
    let matched = |rng: &mut Rng| {
        let mut method = json!({});
        if !rng.one_in(3) {
            method["service"] = rng.pick(&["a", "b"]).into();
        }
        if !rng.one_in(3) {
            method["method"] = rng.pick(&["a", "b"]).into();
        }
        json!({"method": method})
    };
    let matches: Vec<Value> = (0..1 + rng.below(3)).map(|_| matched(rng)).collect();
    json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "GRPCRoute",
        "metadata": {"namespace": "infra", "name": "grpc"},
        "spec": {"parentRefs": [{"name": "g0"}], "hostnames": [rng.pick(&["a.com", "*.a.com"])],
            "rules": [{"matches": matches, "backendRefs": [{"name": "s", "port": 80}]}]}})
}

/// The relevant parts of an answer: the winner, and the data planes that answer.
fn outcome(world: &Snapshot<'_>, request: &Request) -> (Option<String>, Vec<String>) {
    let answer = world.ask(request, &Scope::default());
    (who(&answer), answer.answering.iter().map(|plane| plane.name.clone()).collect())
}

/// Every port that the worlds name, and another one.
const ENDPOINTS: [(bool, u16); 6] = [(false, 80), (true, 80), (false, 443), (true, 443), (false, 8080), (true, 8080)];

/// All examples for one host.
fn examples(regions: &Regions<'_, '_>, host: &str) -> Vec<Request> {
    regions.of_host(host).expect("regions").into_iter().flat_map(|region| region.examples).collect()
}

#[test]
fn each_answer_is_that_of_an_example() {
    let mut known = 0;
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let values = world(&mut rng);
        let requests: Vec<String> = (0..REQUESTS).map(|_| words(&mut rng)).collect();
        Objects::of_values(&values).with(|world| {
            let regions = Regions::new(&[(world, &EVERY)], &ENDPOINTS);
            let hosts = regions.hosts();
            for words in &requests {
                let request = request(words).0;
                if !ENDPOINTS.contains(&(request.is_secure, request.port)) {
                    continue;
                }
                let (_, host) = of_host(&hosts, |(class, _)| class, &request.host);
                let expected = outcome(world, &request);
                let mut alike = examples(&regions, host)
                    .into_iter()
                    .filter(|example| (example.is_secure, example.port) == (request.is_secure, request.port));
                let is_answered = alike.any(|example| outcome(world, &example) == expected);
                assert!(is_answered, "seed {seed}: {words}: {expected:?} in {values:#?}");
                known += usize::from(expected.0.is_some());
            }
        });
    }
    assert!(known > 500, "{known} were answered");
}

/// The number of regions depends on which rules match, and not on which of their headers are sent.
#[test]
fn many_headers_make_few_regions() {
    let entries: Vec<Value> = (0..16).map(|number| json!({"name": format!("n{number:02}"), "value": "1"})).collect();
    let gateway = json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
        "metadata": {"namespace": "infra", "name": "g"},
        "spec": {"listeners": [{"name": "l", "port": 80, "protocol": "HTTP"}]}});
    let route = json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
        "metadata": {"namespace": "infra", "name": "r"},
        "spec": {"parentRefs": [{"name": "g"}], "rules": [
            {"matches": [{"headers": entries, "queryParams": entries}]},
            {"matches": [{"headers": [{"name": "n00", "value": "2"}]}, {"headers": [{"type": "RegularExpression", "name": "n01", "value": "[3-4]"}]}]}]}});
    Objects::of_values(&[gateway, route]).with(|world| {
        let requests = examples(&Regions::new(&[(world, &EVERY)], &[(false, 80)]), "x");
        let answers: BTreeSet<Option<String>> = requests.iter().map(|request| outcome(world, request).0).collect();
        // Each condition alone, and the first with each other, as far as no value excludes it.
        assert!(requests.len() < 100 && answers.len() == 4, "{} requests, {answers:?}", requests.len());
    });
}

/// `/blog` matches `/blogger`, as in the proxy, and the regions distinguish paths between `/blog` and `/blog/`.
#[test]
fn a_prefix_goes_on_inside_of_an_element() {
    let route = json!({"apiVersion": "contour.heptio.com/v1beta1", "kind": "IngressRoute",
        "metadata": {"namespace": "web", "name": "r"}, "spec": {"virtualhost": {"fqdn": "a.com"}, "routes": [
            {"match": "/blog", "services": [{"name": "s", "port": 80}]},
            {"match": "/blog/x", "services": [{"name": "s", "port": 80}]}]}});
    let service = json!({"apiVersion": "v1", "kind": "Service",
        "metadata": {"namespace": "web", "name": "s"}, "spec": {"ports": [{"port": 80}]}});
    Objects::of_values(&[route, service]).with(|world| {
        let paths: BTreeSet<String> = examples(&Regions::new(&[(world, &EVERY)], &[(false, 80)]), "a.com")
            .into_iter()
            .map(|request| request.path)
            .collect();
        assert!(
            ["/blog", "/blogq", "/blog/q", "/blog/x", "/blog/xq"].iter().all(|path| paths.contains(*path)),
            "{paths:?}"
        );
    });
}

/// Negated and partial conditions are told apart, each with an example.
#[test]
fn each_condition_has_an_example() {
    let conditions = [
        json!({"header": {"name": "h", "notexact": "1", "treatMissingAsEmpty": true}}),
        json!({"header": {"name": "h", "contains": "y"}}),
        json!({"header": {"name": "h", "notpresent": true}}),
        json!({"header": {"name": "h", "regex": "[0-9]+z"}}),
        json!({"queryParameter": {"name": "q", "suffix": "Z", "ignoreCase": true}}),
    ];
    for condition in conditions {
        let proxy = json!({"apiVersion": "projectcontour.io/v1", "kind": "HTTPProxy",
            "metadata": {"namespace": "web", "name": "p"}, "spec": {"virtualhost": {"fqdn": "a.com"}, "routes": [
                {"conditions": [{"prefix": "/a"}, condition], "services": [{"name": "s", "port": 80}]}]}});
        Objects::of_values(&[proxy]).with(|world| {
            let requests = examples(&Regions::new(&[(world, &EVERY)], &[(false, 80)]), "a.com");
            let below = requests.iter().filter(|request| request.path.starts_with("/a/"));
            let answers: BTreeSet<bool> = below.map(|request| outcome(world, request).0.is_some()).collect();
            assert_eq!(answers.len(), 2, "{condition}: {requests:?}");
        });
    }
}

/// Of a header that may have one of several values, each value that another rule does not allow has an example.
#[test]
fn values_of_a_header_of_kong_are_told_apart() {
    let ingress = |name: &str, values: &str| {
        json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
            "metadata": {"namespace": "web", "name": name, "annotations": {"konghq.com/headers.x-team": values}},
            "spec": {"ingressClassName": "kong", "rules": [{"host": "a.com", "http": {"paths": [
                {"path": "/", "pathType": "Prefix", "backend": {"service": {"name": name, "port": {"number": 80}}}}]}}]}})
    };
    Objects::of_values(&[ingress("a", "blue,green"), ingress("b", "green,red")]).with(|world| {
        let requests = examples(&Regions::new(&[(world, &EVERY)], &[(false, 80)]), "a.com");
        let sent = requests.iter().flat_map(|request| &request.headers);
        let values: BTreeSet<String> = sent.map(|(_, value)| value.to_lowercase()).collect();
        assert!(["blue", "green", "red"].iter().all(|value| values.contains(*value)), "{values:?}");
    });
}
