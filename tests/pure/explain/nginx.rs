//! Compares what explain says of ingress-nginx with an oracle that reads the objects' JSON, makes the servers and the ordered locations of
//! the controller, and matches expressions by trying every way.

use portcullis_core::compare::{HostResult, Overall, Pairing};
use portcullis_core::explain::{Explanation, Reply, Request};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::slow_expression::Expression;
use super::worlds::{Objects, request};
use crate::compare::{changed, of_files, of_host, services};

const SEEDS: std::ops::Range<u64> = 0..600;
const REQUESTS: usize = 8;
const HOSTS: [&str; 3] = ["a.com", "*.a.com", "b.a.com"];
const PATHS: [&str; 8] = ["/", "/a", "/a/", "/a/b", "/ab", "/A", "/b", "/a.b"];
const EXPRESSIONS: [&str; 8] =
    ["/a(/|$)(.*)", "/[ab]+", "/a/?(.*)", "/.*", "/(a|b)/[0-9]+", "/a.*c", r"/b\d*", "/(.*)"];

/// Some Ingresses of ingress-nginx with expressions, rewrites and redirects.
fn world(rng: &mut Rng) -> Vec<Value> {
    let mut all = vec![json!({"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass",
        "metadata": {"name": "nginx"}, "spec": {"controller": "k8s.io/ingress-nginx"}})];
    all.extend((0..1 + rng.below(3)).map(|number| ingress(rng, number)));
    all.extend(services());
    all
}

fn ingress(rng: &mut Rng, number: usize) -> Value {
    let mut annotations = json!({});
    let mut annotate = |name: &str, value: &str| {
        annotations[format!("nginx.ingress.kubernetes.io/{name}")] = value.into();
    };
    let is_regex = rng.one_in(3);
    if is_regex {
        annotate("use-regex", "true");
    }
    match rng.below(8) {
        0 | 1 => annotate("rewrite-target", rng.pick(&["/$2", "/$1", "/b", "/", "/x/$1"])),
        2 => annotate("app-root", "/b"),
        3 => annotate("ssl-redirect", "false"),
        4 => annotate("force-ssl-redirect", "true"),
        5 => annotate("permanent-redirect", "https://x.org/y"),
        _ => {}
    }
    let path = |rng: &mut Rng| {
        let text = if is_regex { rng.pick(&EXPRESSIONS) } else { rng.pick(&PATHS) };
        let kind = if is_regex { "ImplementationSpecific" } else { rng.pick(&["Prefix", "Exact"]) };
        json!({"path": text, "pathType": kind,
            "backend": {"service": {"name": rng.pick(&["s", "t"]), "port": {"number": 80}}}})
    };
    let paths: Vec<Value> = (0..1 + rng.below(3)).map(|_| path(rng)).collect();
    let host = rng.pick(&HOSTS);
    let mut ingress = json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"namespace": "web", "name": format!("n{number}"), "annotations": annotations,
            "creationTimestamp": format!("2026-01-0{}T00:00:00Z", 1 + rng.below(3))},
        "spec": {"ingressClassName": "nginx", "rules": [{"host": host, "http": {"paths": paths}}]}});
    if rng.one_in(2) {
        ingress["spec"]["tls"] = json!([{"hosts": [host], "secretName": "tls"}]);
    }
    ingress
}

/// A location of a server. Without a service, it answers 404.
#[derive(Clone)]
struct Location<'w> {
    path: String,
    is_exact: bool,
    ingress: &'w Value,
    service: Option<&'w str>,
}

impl Location<'_> {
    fn annotation(&self, name: &str) -> &str {
        self.ingress["metadata"]["annotations"][format!("nginx.ingress.kubernetes.io/{name}")]
            .as_str()
            .unwrap_or_default()
    }

    /// The target of a rewrite.
    fn target(&self) -> Option<&str> {
        Some(self.annotation("rewrite-target")).filter(|target| !target.is_empty() && *target != self.path)
    }

    fn is_regex(&self) -> bool {
        self.annotation("use-regex") == "true" || self.target().is_some()
    }
}

/// The Ingresses that name a host, in the order in which the controller reads them.
fn naming<'w>(world: &'w [Value], host: &str) -> Vec<&'w Value> {
    let is_named = |object: &&Value| object["kind"] == "Ingress" && object["spec"]["rules"][0]["host"] == host;
    let mut all: Vec<&Value> = world.iter().filter(is_named).collect();
    let text = |object: &Value, field: &str| {
        object["metadata"][field].as_str().expect("the generated objects have it").to_owned()
    };
    all.sort_by(|one, other| {
        let by_age = text(one, "creationTimestamp").cmp(&text(other, "creationTimestamp"));
        by_age.then_with(|| text(other, "name").cmp(&text(one, "name")))
    });
    all
}

/// The locations of a host in their order; `None` without the host.
fn locations<'w>(world: &'w [Value], host: &str) -> Option<Vec<Location<'w>>> {
    let own = naming(world, host);
    let mut all = vec![Location { path: "/".to_owned(), is_exact: false, ingress: own.first()?, service: None }];
    for ingress in own {
        for path in ingress["spec"]["rules"][0]["http"]["paths"].as_array().into_iter().flatten() {
            let (text, is_exact) =
                (path["path"].as_str().expect("the generated objects have it"), path["pathType"] == "Exact");
            let new = Location {
                path: text.to_owned(),
                is_exact,
                ingress,
                service: path["backend"]["service"]["name"].as_str(),
            };
            match all.iter_mut().find(|location| location.path == text) {
                Some(same) if same.is_exact == is_exact && same.service.is_none() => *same = new,
                Some(same) if same.is_exact == is_exact => {}
                _ => all.push(new),
            }
        }
    }
    all.sort_by(|one, other| (other.path.len(), &other.path).cmp(&(one.path.len(), &one.path)));
    let mut split = Vec::new();
    for location in &all {
        if location.path == "/" || location.is_exact || location.is_regex() {
            split.push(location.clone());
            continue;
        }
        let path = format!("{}/", location.path.trim_end_matches('/'));
        split.push(Location { path, ..location.clone() });
        if !all.iter().any(|other| other.is_exact && other.path == location.path) {
            split.push(Location { is_exact: true, ..location.clone() });
        }
    }
    Some(split)
}

/// What the controller answers: the Service and the path that it gets, a redirect, or nothing.
fn answer(world: &[Value], request: &Request) -> String {
    let parent = request.host.split_once('.').map(|(_, parent)| format!("*.{parent}")).unwrap_or_default();
    let found = locations(world, &request.host).or_else(|| locations(world, &parent));
    let Some(locations) = found else { return "nothing".to_owned() };
    let scheme = if request.is_secure { "https" } else { "http" };
    let root = locations.iter().find(|location| !location.annotation("app-root").is_empty());
    if let Some(location) = root.filter(|_| request.path == "/") {
        return format!("302 {scheme}://{}{}", request.host, location.annotation("app-root"));
    }
    let is_regex = locations.iter().any(Location::is_regex);
    let chosen = if is_regex {
        locations.iter().find(|location| Expression::new(&location.path).at_beginning(&request.path).is_some())
    } else {
        let same = || locations.iter().filter(|location| location.path == request.path);
        let slashed = || locations.iter().find(|location| location.path == format!("{}/", request.path));
        if let (None, Some(location)) = (same().next(), slashed()) {
            return format!("301 {scheme}://{}{}", request.host, location.path);
        }
        let prefixes =
            locations.iter().filter(|location| !location.is_exact && request.path.starts_with(&location.path));
        same().max_by_key(|location| location.is_exact).or(prefixes.max_by_key(|location| location.path.len()))
    };
    let Some(location) = chosen else { return "nothing".to_owned() };
    let redirect = location.annotation("permanent-redirect");
    if !redirect.is_empty() {
        return format!("301 {redirect}");
    }
    let has_certificate = [&request.host, &parent]
        .iter()
        .any(|host| naming(world, host).iter().any(|ingress| ingress["spec"]["tls"].is_array()));
    let may_redirect = location.annotation("ssl-redirect") != "false" && has_certificate;
    if !request.is_secure && (may_redirect || location.annotation("force-ssl-redirect") == "true") {
        return format!("308 https://{}{}", request.host, request.path.strip_suffix('/').unwrap_or(&request.path));
    }
    let Some(service) = location.service else { return "nothing".to_owned() };
    let sent = match location.target() {
        Some(target) => {
            let groups = Expression::new(&location.path).at_beginning(&request.path).expect("it is selected");
            let mut path = target.to_owned();
            for number in (1..10).rev() {
                path = path.replace(&format!("${number}"), groups.get(number).map_or("", String::as_str));
            }
            path
        }
        None => request.path.clone(),
    };
    format!("{service} {sent}")
}

/// What explain says, in the form of the oracle.
fn said(answer: &Explanation) -> String {
    match answer.winner.as_ref().map(|(_, winner)| &winner.outcome.reply) {
        None => "nothing".to_owned(),
        Some(Reply::Redirect { code, location }) => format!("{code} {location}"),
        Some(Reply::Response { code: Some(404), .. }) => "nothing".to_owned(),
        Some(Reply::Forward(forward)) if forward.is_answered() => {
            format!("{} {}", forward.backends[0].name, forward.request.path)
        }
        Some(Reply::Forward(_)) => "nothing".to_owned(),
        Some(other) => format!("{other:?}"),
    }
}

fn url(rng: &mut Rng) -> String {
    let host = rng.pick(&["a.com", "b.a.com", "c.a.com", "d.c.a.com", "x.org"]);
    let elements = ["a", "b", "ab", "c", "A", "7", "b7", "aXc", "a.b"];
    let mut path: String = (0..rng.below(4)).map(|_| format!("/{}", rng.pick(&elements))).collect();
    if path.is_empty() || rng.one_in(4) {
        path.push('/');
    }
    format!("{}://{host}{path}", rng.pick(&["http", "https"]))
}

#[test]
fn ingress_nginx_answers_as_the_oracle_says() {
    let (mut services, mut redirects, mut nothing) = (0, 0, 0);
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let world = world(&mut rng);
        let objects = Objects::of_values(&world);
        for _ in 0..REQUESTS {
            let url = url(&mut rng);
            let (expected, found) = (answer(&world, &request(&url).0), said(&objects.ask(&url)));
            assert_eq!(found, expected, "seed {seed}: {url} in {world:#?}");
            match &*found {
                "nothing" => nothing += 1,
                text if text.starts_with(['s', 't']) => services += 1,
                _ => redirects += 1,
            }
        }
    }
    assert!(services > 400 && redirects > 500 && nothing > 500, "{services} {redirects} {nothing}");
}

/// What is reported to be the same is the same, and each answer that differs is reported, for an evaluator that knows no regions.
#[test]
fn changes_of_ingress_nginx_are_found() {
    let (mut same, mut different) = (0, 0);
    for seed in SEEDS.start..SEEDS.end / 4 {
        let mut rng = Rng::new(seed);
        let before = world(&mut rng);
        let after = changed(&before, &mut rng);
        if after.iter().all(|object| object["kind"] != "IngressClass") {
            continue;
        }
        let requests: Vec<Request> = (0..8 * REQUESTS).map(|_| request(&url(&mut rng)).0).collect();
        of_files(&before, &after, Pairing::ByName, |results: &[HostResult]| {
            for request in &requests {
                let (was, is) = (answer(&before, request), answer(&after, request));
                let result = of_host(results, |result| &result.host, &request.host);
                let is_same = result.overall() == Overall::Same;
                let leads_nowhere = |world: &[Value], text: &str| {
                    let (sni, port) = (Some(request.host.clone()), 443);
                    let followed = || answer(world, &Request { is_secure: true, port, sni, ..request.clone() });
                    text == "nothing" || text.contains(&format!(" https://{}", request.host)) && followed() == "nothing"
                };
                let is_nothing = leads_nowhere(&before, &was) && leads_nowhere(&after, &is);
                let has_services =
                    [&before, &after].iter().all(|world| services().all(|service| world.contains(&service)));
                if was == is || is_nothing || !has_services {
                    same += usize::from(is_same);
                    continue;
                }
                assert!(!is_same, "seed {seed}: {}: {was}, then {is}\n{before:#?}\n{after:#?}", request.url());
                different += 1;
            }
        });
    }
    assert!(same > 1000 && different > 100, "{same} {different}");
}
