//! Within a region, all requests have the same answer.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_core::explain::{PathClass, Regions, Scope, Snapshot};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::worlds::{Objects, request, who};
use super::{delegations, ingresses, proxies, routes};

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
        all.iter_mut().for_each(retain_exact_conditions);
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

/// Removes conditions other than exact ones, since regions cannot enumerate those.
fn retain_exact_conditions(object: &mut Value) {
    let is_exact = |condition: &Value| {
        let tests = [&condition["header"], &condition["queryParameter"]];
        tests.into_iter().all(|test| test.is_null() || !test["exact"].is_null())
    };
    for list in ["includes", "routes"] {
        for part in object["spec"][list].as_array_mut().into_iter().flatten() {
            if let Some(conditions) = part["conditions"].as_array_mut() {
                conditions.retain(is_exact);
            }
        }
    }
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
fn outcome(world: &Snapshot<'_>, request: &portcullis_core::explain::Request) -> (Option<String>, Vec<String>) {
    let answer = world.ask(request, &Scope::default());
    (who(&answer), answer.answering.iter().map(|plane| plane.name.clone()).collect())
}

#[test]
fn a_region_is_answered_as_its_representative() {
    let (mut known, mut most) = (0, 0);
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let values = world(&mut rng);
        let requests: Vec<String> = (0..REQUESTS).map(|_| words(&mut rng)).collect();
        Objects::of_values(&values).with(|world| {
            let regions = Regions::new(&[world], &Scope::default());
            assert!(regions.is_exact(), "seed {seed}: no expression is in {values:#?}");
            let mut answers = BTreeMap::new();
            for region in regions.iter() {
                let own = &region.representative;
                assert_eq!(regions.of(own).representative, *own, "seed {seed}: it lies in its own region");
                answers.insert(format!("{own:?}"), outcome(world, own));
            }
            for words in &requests {
                let request = request(words).0;
                let region = regions.of(&request);
                let expected = answers.get(&format!("{:?}", region.representative));
                let expected = expected.unwrap_or_else(|| panic!("seed {seed}: {words} in no region: {region:?}"));
                assert_eq!(outcome(world, &request), *expected, "seed {seed}: {words} and {region:?} in {values:#?}");
                known += usize::from(expected.0.is_some());
            }
            most = most.max(answers.len());
        });
    }
    assert!(known > 500 && most > 300, "{known} were answered, the most regions were {most}");
}

#[test]
fn regions_distinguish_two_sets_of_objects() {
    let route = |path: &str, header: &str| {
        json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
            "metadata": {"namespace": "infra", "name": "r"},
            "spec": {"parentRefs": [{"name": "g"}], "hostnames": ["a.com"], "rules": [
                {"matches": [{"path": {"value": path}, "headers": [{"name": "h", "value": header}]}]},
                {"matches": [{"path": {"value": "/a"}}]}]}})
    };
    let gateway = json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
        "metadata": {"namespace": "infra", "name": "g"},
        "spec": {"listeners": [{"name": "l", "port": 80, "protocol": "HTTP"}]}});
    let differences = |one: Value, other: Value| -> BTreeSet<String> {
        let sets = [one, other].map(|route| Objects::of_values(&[gateway.clone(), route]));
        sets[0].with(|one| {
            sets[1].with(|other| {
                let regions = Regions::new(&[one, other], &Scope::default());
                let differs = regions
                    .iter()
                    .filter(|region| outcome(one, &region.representative) != outcome(other, &region.representative));
                differs.map(|region| region.representative.path).collect()
            })
        })
    };
    assert_eq!(differences(route("/a/", "1"), route("/a", "1")), BTreeSet::new());
    assert_eq!(differences(route("/a", "1"), route("/a", "2")), ["/a", "/a/x"].map(str::to_owned).into());
    assert_eq!(differences(route("/a/b", "1"), route("/a/c", "1")).len(), 4);
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
        let regions = Regions::new(&[world], &Scope::default());
        assert!(!regions.is_exact(), "an expression cannot be counted out");
        let answers: BTreeSet<Option<String>> =
            regions.iter().map(|region| outcome(world, &region.representative).0).collect();
        // 2 paths (one host, one method), 3 combinations of port and protocol, and 5 combinations of conditions, since
        // the second and the third condition can both be met.
        assert_eq!((regions.iter().count(), answers.len()), (2 * 3 * 5, 4));
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
        let regions = Regions::new(&[world], &Scope::default());
        assert!(regions.is_exact());
        let of = |path: &str| {
            let region = regions.of(&request(&format!("http://a.com{path}")).0);
            assert_eq!(
                outcome(world, &region.representative),
                outcome(world, &request(&format!("http://a.com{path}")).0)
            );
            (region.path, outcome(world, &region.representative).0.map(|who| who[who.len() - 2..].to_owned()))
        };
        let route = |number: usize| Some(format!("{number}]"));
        assert_eq!(of("/blogger"), (PathClass::Begins("/blog".to_owned()), route(0)));
        assert_eq!(of("/blogger/x"), (PathClass::Begins("/blog".to_owned()), route(0)));
        assert_eq!(of("/blog/y"), (PathClass::Below("/blog".to_owned()), route(0)));
        assert_eq!(of("/blog/xy"), (PathClass::Begins("/blog/x".to_owned()), route(1)));
        assert_eq!(of("/blo"), (PathClass::Other, None));
    });
}

/// Negated and partial conditions cannot be enumerated exactly, but each of them has an example.
#[test]
fn regions_with_expressions_are_not_exact() {
    let conditions = [
        json!({"header": {"name": "h", "notexact": "1", "treatMissingAsEmpty": true}}),
        json!({"header": {"name": "h", "contains": "y"}}),
        json!({"header": {"name": "h", "notpresent": true}}),
        json!({"queryParameter": {"name": "q", "suffix": "Z", "ignoreCase": true}}),
    ];
    for condition in conditions {
        let proxy = json!({"apiVersion": "projectcontour.io/v1", "kind": "HTTPProxy",
            "metadata": {"namespace": "web", "name": "p"}, "spec": {"virtualhost": {"fqdn": "a.com"}, "routes": [
                {"conditions": [{"prefix": "/a"}, condition], "services": [{"name": "s", "port": 80}]}]}});
        Objects::of_values(&[proxy]).with(|world| {
            let regions = Regions::new(&[world], &Scope::default());
            assert!(!regions.is_exact(), "{condition}");
            assert!(regions.iter().any(|region| outcome(world, &region.representative).0.is_some()), "{condition}");
        });
    }
}
