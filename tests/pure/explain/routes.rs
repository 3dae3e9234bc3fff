//! Compares random Gateways, HTTPRoutes and requests with an oracle that reads the objects' JSON and tries one match
//! after the other.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use portcullis_core::explain::Request;
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::worlds::{Objects, request, who};

const SEEDS: std::ops::Range<u64> = 0..1500;
const REQUESTS: usize = 6;
const GROUP: &str = "gateway.networking.k8s.io/v1";
const HOSTS: [&str; 7] = ["a.com", "*.a.com", "b.a.com", "*.com", "*.b.a.com", "c.b.a.com", "x.org"];
const PATHS: [&str; 8] = ["/", "/a", "/a/", "/a/b", "/ab", "/a/b/c", "/A", "/a//b"];

/// One or two Gateways and some HTTPRoutes.
pub fn world(rng: &mut Rng) -> Vec<Value> {
    let mut objects: Vec<Value> = (0..1 + rng.below(2)).map(|number| gateway(rng, number)).collect();
    objects.extend((0..1 + rng.below(4)).map(|number| route(rng, number)));
    objects
}

fn gateway(rng: &mut Rng, number: usize) -> Value {
    let mut listeners: Vec<Value> = Vec::new();
    for index in 0..1 + rng.below(4) {
        let (port, protocol) = rng.pick(&[(80, "HTTP"), (80, "HTTP"), (8080, "HTTP"), (443, "HTTPS")]);
        let mut listener = json!({"name": format!("l{index}"), "port": port, "protocol": protocol});
        if protocol == "HTTPS" {
            listener["tls"] = json!({"options": {"example.com/certificate": "a"}});
        }
        if rng.one_in(2) {
            listener["hostname"] = rng.pick(&HOSTS).into();
        }
        listener["allowedRoutes"]["namespaces"]["from"] = rng.pick(&["All", "All", "All", "Same"]).into();
        listeners.push(listener);
    }
    let metadata = json!({"namespace": "infra", "name": format!("g{number}")});
    json!({"apiVersion": GROUP, "kind": "Gateway", "metadata": metadata,
        "spec": {"gatewayClassName": "c", "listeners": listeners}})
}

fn route(rng: &mut Rng, number: usize) -> Value {
    let value = |rng: &mut Rng| json!({"name": rng.pick(&["h", "H", "k"]), "value": rng.pick(&["1", "2"])});
    let matched = |rng: &mut Rng| {
        let mut matched = json!({});
        if !rng.one_in(5) {
            matched["path"] = json!({"value": rng.pick(&PATHS)});
            if rng.one_in(2) {
                matched["path"]["type"] = rng.pick(&["Exact", "PathPrefix", "Odd"]).into();
            }
        }
        if rng.one_in(4) {
            matched["method"] = rng.pick(&["GET", "POST"]).into();
        }
        if rng.one_in(3) {
            matched["headers"] = (0..1 + rng.below(2)).map(|_| value(rng)).collect();
        }
        if rng.one_in(4) {
            matched["queryParams"] = (0..1 + rng.below(2)).map(|_| value(rng)).collect();
        }
        matched
    };
    let rules: Vec<Value> = (0..1 + rng.below(3))
        .map(|_| {
            let mut rule = json!({"backendRefs": [{"name": "s", "port": 80}]});
            if !rng.one_in(5) {
                rule["matches"] = (0..1 + rng.below(3)).map(|_| matched(rng)).collect();
            }
            rule
        })
        .collect();
    let parent =
        |name: &str, section: Option<&str>| json!({"namespace": "infra", "name": name, "sectionName": section});
    let section = |rng: &mut Rng| rng.one_in(3).then(|| rng.pick(&["l0", "l1", "l2"]));
    let parents = match rng.below(4) {
        0 => vec![parent("g0", section(rng)), parent("g1", section(rng))],
        1 => vec![parent("g0", Some("l0")), parent("g0", Some(rng.pick(&["l1", "l2"])))],
        _ => vec![parent(rng.pick(&["g0", "g0", "g1"]), section(rng))],
    };
    let metadata = json!({"namespace": rng.pick(&["infra", "web", "web-2"]), "name": format!("r{number}")});
    let mut route = json!({"apiVersion": GROUP, "kind": "HTTPRoute", "metadata": metadata,
        "spec": {"parentRefs": parents, "rules": rules}});
    if !rng.one_in(3) {
        let hosts: BTreeSet<&str> = (0..1 + rng.below(3)).map(|_| rng.pick(&HOSTS)).collect();
        route["spec"]["hostnames"] = hosts.into_iter().collect();
    }
    if !rng.one_in(3) {
        let day = rng.pick(&["01", "02"]);
        route["metadata"]["creationTimestamp"] = format!("2026-01-{day}T00:00:00Z").into();
    }
    route
}

/// A request in the form of command line arguments.
pub fn words(rng: &mut Rng) -> String {
    let host = rng.pick(&["a.com", "b.a.com", "c.b.a.com", "q.a.com", "q.b.a.com", "com", "q.com", "x.org", "y.x.org"]);
    let path: String = (0..rng.below(4)).map(|_| format!("/{}", rng.pick(&["", "a", "b", "c", "ab", "A"]))).collect();
    let mut words =
        format!("{} {}://{host}{path}", rng.pick(&["GET", "POST", "PUT"]), rng.pick(&["http", "http", "https"]));
    if rng.one_in(3) {
        words += rng.pick(&["?h=1", "?h=2&k=1", "?k=2&k=1", "?H=1&h=1"]);
    }
    for (header, many) in [("h", 2), ("k", 3)] {
        if rng.one_in(many) {
            words += &format!(" --header {header}={}", rng.pick(&["1", "2", "3"]));
        }
    }
    if rng.one_in(5) {
        words += " --port 8080";
    }
    words
}

/// How specifically a host matches a name: 0 for no host, the length for a wildcard, and more for an exact host. `None`
/// if it does not match.
fn host_rank(host: Option<&str>, name: &str) -> Option<usize> {
    match host {
        None => Some(0),
        Some(wild) if wild.starts_with('*') => {
            (name.len() >= wild.len() && name.ends_with(&wild[1..])).then_some(wild.len())
        }
        Some(precise) => (precise == name).then_some(1000),
    }
}

/// Whether two hosts have a name in common.
fn have_common(one: &str, other: &str) -> bool {
    let under = |name: &str, wild: &str| wild.strip_prefix('*').is_some_and(|suffix| name.ends_with(suffix));
    let probe = |host: &str| host.replace('*', "probe");
    one == other || under(&probe(one), other) || under(&probe(other), one)
}

/// Whether another listener has the same port and hostname, so that neither is used.
fn conflicted(listener: &Value, all: &[Value]) -> bool {
    let same = |other: &&Value| {
        other["name"] != listener["name"]
            && other["port"] == listener["port"]
            && other["hostname"] == listener["hostname"]
    };
    all.iter().any(|other| same(&other))
}

/// The effective conditions: if a name is repeated, only the first entry counts.
fn wanted(list: &Value, fold: bool) -> Vec<(String, String)> {
    let mut wanted: Vec<(String, String)> = Vec::new();
    for entry in list.as_array().into_iter().flatten() {
        let name = entry["name"].as_str().unwrap_or_default();
        let name = if fold { name.to_lowercase() } else { name.to_owned() };
        if !wanted.iter().any(|(known, _)| *known == name) {
            wanted.push((name, entry["value"].as_str().unwrap_or_default().to_owned()));
        }
    }
    wanted
}

fn sends(sent: &[(String, String)], wanted: &[(String, String)]) -> bool {
    let has = |(name, value): &(String, String)| {
        sent.iter().find(|(own, _)| own == name).is_some_and(|(_, own)| own == value)
    };
    wanted.iter().all(has)
}

/// Whether a rule is served: no match has an unknown path type, an empty path element, or a query parameter twice.
fn is_valid(rule: &Value) -> bool {
    let is_distinct = |list: &Value| {
        let names: Vec<_> = list.as_array().into_iter().flatten().map(|entry| entry["name"].as_str()).collect();
        names.iter().collect::<BTreeSet<_>>().len() == names.len()
    };
    rule["matches"].as_array().into_iter().flatten().all(|matched| {
        matched["path"]["type"] != "Odd"
            && !matched["path"]["value"].as_str().unwrap_or_default().contains("//")
            && is_distinct(&matched["queryParams"])
    })
}

/// The precedence of a match, lowest first; `None` if it does not match the request.
fn match_rank(matched: &Value, request: &Request) -> Option<impl Ord + use<>> {
    let path = matched["path"]["value"].as_str().unwrap_or("/");
    let (exact, length) = match matched["path"]["type"].as_str().unwrap_or("PathPrefix") {
        "Exact" if path == request.path => (true, 0),
        "PathPrefix" => {
            let trimmed = path.trim_end_matches('/');
            let rest = request.path.strip_prefix(trimmed)?;
            if !rest.is_empty() && !rest.starts_with('/') {
                return None;
            }
            (false, trimmed.len())
        }
        _ => return None,
    };
    let method = matched["method"].as_str();
    let (headers, query) = (wanted(&matched["headers"], true), wanted(&matched["queryParams"], false));
    let matches = method.is_none_or(|method| method == request.method)
        && sends(&request.headers, &headers)
        && sends(&request.query, &query);
    matches.then_some((!exact, Reverse(length), method.is_none(), Reverse(headers.len()), Reverse(query.len())))
}

/// The winner in one Gateway.
pub fn answer_of(gateway: &Value, world: &[Value], request: &Request) -> Option<String> {
    let listeners = gateway["spec"]["listeners"].as_array().expect("listeners");
    let protocol = if request.is_secure { "HTTPS" } else { "HTTP" };
    let open = listeners.iter().filter(|listener| {
        listener["port"] == request.port && listener["protocol"] == protocol && !conflicted(listener, listeners)
    });
    let ranked = open.filter_map(|listener| Some((host_rank(listener["hostname"].as_str(), &request.host)?, listener)));
    let (_, listener) = ranked.max_by_key(|(rank, _)| *rank)?;
    let mut winner: Option<(_, String)> = None;
    for route in world.iter().filter(|object| object["kind"] == "HTTPRoute") {
        let (metadata, spec) = (&route["metadata"], &route["spec"]);
        let hosts: Vec<&str> = spec["hostnames"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let means = |parent: &Value| {
            parent["name"] == gateway["metadata"]["name"]
                && (parent["sectionName"].is_null() || parent["sectionName"] == listener["name"])
        };
        let is_let_in = listener["allowedRoutes"]["namespaces"]["from"] == "All" || metadata["namespace"] == "infra";
        let overlaps = listener["hostname"]
            .as_str()
            .is_none_or(|own| hosts.is_empty() || hosts.iter().any(|h| have_common(h, own)));
        if !spec["parentRefs"].as_array().expect("parents").iter().any(means) || !is_let_in || !overlaps {
            continue;
        }
        let host = match hosts.is_empty() {
            true => Some(0),
            false => hosts.iter().filter_map(|host| host_rank(Some(host), &request.host)).max(),
        };
        let Some(host) = host else { continue };
        let created = metadata["creationTimestamp"].as_str();
        let text = |field: &str| metadata[field].as_str().unwrap_or_default();
        let object_ref = format!("{}/{}", text("namespace"), text("name"));
        let rules = spec["rules"].as_array().expect("rules").iter().enumerate();
        for (index, rule) in rules.filter(|(_, rule)| is_valid(rule)) {
            let everything = [json!({})];
            let matches = rule["matches"].as_array().map(Vec::as_slice);
            for (position, matched) in matches.unwrap_or(&everything).iter().enumerate() {
                let Some(rank) = match_rank(matched, request) else { continue };
                let key = (
                    Reverse(host),
                    rank,
                    (created.is_none(), created.map(str::to_owned)),
                    object_ref.clone(),
                    index,
                    position,
                );
                if winner.as_ref().is_none_or(|(best, _)| key < *best) {
                    let at = if matches.is_some() { format!(".matches[{position}]") } else { String::new() };
                    winner = Some((key, format!("HTTPRoute {object_ref} spec.rules[{index}]{at}")));
                }
            }
        }
    }
    winner.map(|(_, who)| who)
}

#[test]
fn routes_answer_as_the_oracle_says() {
    let (mut answered, mut unanswered, mut ambiguous) = (0, 0, 0);
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let world = world(&mut rng);
        let objects = Objects::of_values(&world);
        for _ in 0..REQUESTS {
            let words = words(&mut rng);
            let parsed = request(&words).0;
            let of_gateways: Vec<Option<String>> = world
                .iter()
                .filter(|object| object["kind"] == "Gateway")
                .map(|gateway| answer_of(gateway, &world, &parsed))
                .collect();
            for (number, expected) in of_gateways.iter().enumerate() {
                let answer = objects.ask(&format!("{words} --gateway infra/g{number}"));
                assert_eq!(who(&answer), *expected, "seed {seed}: {words} of g{number} in {world:?}");
            }
            let answer = objects.ask(&words);
            assert_eq!(who(&answer), of_gateways.iter().flatten().next().cloned(), "seed {seed}: {words} in {world:?}");
            answered += usize::from(answer.winner.is_some());
            unanswered += usize::from(answer.winner.is_none());
            ambiguous += usize::from(answer.is_ambiguous());
        }
    }
    let seen = [answered, unanswered, ambiguous];
    assert!(seen.iter().all(|count| *count > 50), "each kind of answer is seen often: {seen:?}");
}
