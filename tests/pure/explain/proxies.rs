//! Compares random HTTPProxies and requests with an oracle that reads the objects' JSON and concatenates the conditions
//! along every path.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use portcullis_core::explain::{Request, Scope};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::delegations::{Expected, outcome};
use super::worlds::{Objects, request, who};

const SEEDS: std::ops::Range<u64> = 0..1500;
const REQUESTS: usize = 6;
const GROUP: &str = "projectcontour.io/v1";
const HOSTS: [&str; 4] = ["a.com", "a.com", "*.com", "b.com"];

/// Up to five HTTPProxies, and the Services that most of them use.
pub fn world(rng: &mut Rng) -> Vec<Value> {
    let count = 1 + rng.below(5);
    let mut objects: Vec<Value> = (0..count).map(|number| proxy(rng, number, count)).collect();
    for name in ["s", "t"] {
        objects.push(json!({"apiVersion": "v1", "kind": "Service",
            "metadata": {"namespace": "x", "name": name}, "spec": {"ports": [{"port": 80}]}}));
    }
    objects
}

fn proxy(rng: &mut Rng, number: usize, count: usize) -> Value {
    let later = count - 1 - number;
    let most = if later > 0 { 1 + rng.below(2) } else { rng.below(8) / 7 };
    let includes: Vec<Value> = (0..most)
        .map(|_| {
            let any = rng.below(count + 1);
            let target = if later > 0 && !rng.one_in(8) { number + 1 + rng.below(later) } else { any };
            json!({"name": format!("p{target}"), "conditions": conditions(rng, true)})
        })
        .collect();
    let routes: Vec<Value> = (0..1 + rng.below(3)).map(|_| route(rng)).collect();
    let mut object = json!({"apiVersion": GROUP, "kind": "HTTPProxy",
        "metadata": {"namespace": "x", "name": format!("p{number}")},
        "spec": {"includes": includes, "routes": routes}});
    if number == 0 || rng.one_in(12) {
        object["spec"]["virtualhost"]["fqdn"] = rng.pick(&HOSTS).into();
        if !rng.one_in(3) {
            object["spec"]["virtualhost"]["tls"]["secretName"] =
                rng.pick(&["tls", "tls", "tls", "tls", "tls", "tls", "tls", ""]).into();
        }
        if rng.one_in(8) {
            object["spec"]["tcpproxy"]["services"] = json!([{"name": rng.pick(&["s", "s", "s", "gone"]), "port": 80}]);
        }
    }
    if rng.one_in(16) {
        object["spec"]["ingressClassName"] = rng.pick(&["contour", "other"]).into();
    }
    object
}

fn route(rng: &mut Rng) -> Value {
    let service = |rng: &mut Rng| {
        let mut service = json!({"name": if rng.one_in(8) { "gone" } else { rng.pick(&["s", "t"]) }, "port": 80});
        if rng.one_in(2) {
            service["weight"] = rng.pick(&[0, 1, 3]).into();
        }
        if rng.one_in(10) {
            service["mirror"] = true.into();
        }
        service
    };
    let mut route = json!({"conditions": conditions(rng, false)});
    if rng.one_in(8) {
        route["directResponsePolicy"]["statusCode"] = 200.into();
    }
    if route["directResponsePolicy"].is_null() || rng.one_in(20) {
        let most = if rng.one_in(60) { 0 } else { 1 + rng.below(2) };
        route["services"] = (0..most).map(|_| service(rng)).collect();
    }
    if rng.one_in(3) {
        route["permitInsecure"] = true.into();
    }
    route
}

fn conditions(rng: &mut Rng, is_include: bool) -> Value {
    let mut all: Vec<Value> = Vec::new();
    if !rng.one_in(5) {
        let kind = if rng.one_in(if is_include { 30 } else { 4 }) { "exact" } else { "prefix" };
        let path = if rng.one_in(100) { "odd" } else { rng.pick(&["/", "/", "/a", "/a/", "/b", "/a/b", "/ab"]) };
        all.push(json!({kind: path}));
    }
    if rng.one_in(100) {
        all.push(json!({"prefix": "/b"}));
    }
    while rng.one_in(5) {
        let test = rng.pick(&["exact", "exact", "exact", "notexact", "contains", "present", "notpresent"]);
        let value: Value = if test.ends_with("present") { true.into() } else { rng.pick(&["1", "2"]).into() };
        all.push(json!({"header": {"name": rng.pick(&["h", "H", "k"]), test: value}}));
    }
    if rng.one_in(10) {
        let test = rng.pick(&["exact", "prefix"]);
        all.push(json!({"queryParameter": {"name": rng.pick(&["h", "k"]), test: rng.pick(&["1", "2"])}}));
    }
    all.into()
}

/// A request in the form of command line arguments.
pub fn words(rng: &mut Rng) -> String {
    let host = rng.pick(&["a.com", "a.com", "a.com", "a.com", "b.com", "c.com", "d.c.com"]);
    let path: String = (0..rng.below(4)).map(|_| format!("/{}", rng.pick(&["", "a", "b", "ab", "bb"]))).collect();
    // Envoy merges slashes before it selects a route.
    let path = path.replace("///", "/").replace("//", "/");
    let mut words = format!("{}://{host}{path}", rng.pick(&["http", "https"]));
    if rng.one_in(3) {
        words += rng.pick(&["?h=1", "?h=2&k=1", "?k=12"]);
    }
    if words.starts_with("https") && rng.one_in(6) {
        words += &format!(" --sni {}", rng.pick(&["a.com", "c.com"]));
    }
    for (header, many) in [("h", 2), ("k", 3)] {
        if rng.one_in(many) {
            words += &format!(" --header {header}={}", rng.pick(&["1", "2", "12"]));
        }
    }
    if rng.one_in(8) {
        words += &format!(" --class {}", rng.pick(&["contour", "other"]));
    }
    words
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value[field].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// One route as it is served under a root.
#[derive(Clone)]
struct Served<'v> {
    object: String,
    field: String,
    conditions: Vec<&'v Value>,
    /// The route; `None` for an include that answers with status 502.
    route: Option<&'v Value>,
}

fn class(object: &Value) -> &str {
    object["spec"]["ingressClassName"].as_str().unwrap_or("contour")
}

fn paths<'v>(conditions: &[&'v Value]) -> Vec<(&'static str, &'v str)> {
    let of_one = |condition: &&'v Value| {
        let condition: &'v Value = condition;
        ["prefix", "exact"].into_iter().find_map(|kind| Some((kind, condition[kind].as_str()?)))
    };
    conditions.iter().filter_map(of_one).collect()
}

fn joined(conditions: &[&Value]) -> String {
    let mut path: String = paths(conditions).into_iter().map(|(_, path)| path).collect();
    while path.contains("//") {
        path = path.replace("//", "/");
    }
    if path.is_empty() { "/".to_owned() } else { path }
}

/// Name, operator and value of each header condition.
fn headers(conditions: &[&Value]) -> Vec<(String, String, String)> {
    let tests = ["exact", "notexact", "contains", "present", "notpresent"];
    let of_one = |condition: &&Value| {
        let header = condition.get("header")?;
        let test = tests.into_iter().find(|test| !header[*test].is_null())?;
        let value = header[test].as_str().unwrap_or_default();
        Some((text(header, "/name").to_lowercase(), test.to_owned(), value.to_owned()))
    };
    conditions.iter().filter_map(of_one).collect()
}

fn parameters(conditions: &[&Value]) -> Vec<(String, String, String)> {
    let of_one = |condition: &&Value| {
        let parameter = condition.get("queryParameter")?;
        let test = ["exact", "prefix"].into_iter().find(|test| !parameter[*test].is_null())?;
        Some((text(parameter, "/name").to_owned(), test.to_owned(), text(parameter, &format!("/{test}")).to_owned()))
    };
    conditions.iter().filter_map(of_one).collect()
}

/// Whether the path conditions of one block are valid.
fn have_good_paths(conditions: &[&Value], is_include: bool) -> bool {
    let paths = paths(conditions);
    let is_good = |(kind, path): &(&str, &str)| path.starts_with('/') && !(is_include && *kind == "exact");
    paths.len() < 2 && paths.iter().all(is_good)
}

fn have_good_tests(conditions: &[&Value]) -> bool {
    let headers = headers(conditions);
    let clash = |one: &(String, String, String), other: &(String, String, String)| {
        one.0 == other.0
            && match (one.1.as_str(), other.1.as_str()) {
                ("exact", "exact") => true,
                ("exact", "notexact") | ("notexact", "exact") => one.2 == other.2,
                ("present", "notpresent") | ("notpresent", "present") => true,
                _ => false,
            }
    };
    let parameters = parameters(conditions);
    let is_twice = |one: &(String, String, String), other: &(String, String, String)| {
        one.0 == other.0 && one.1 == "exact" && other.1 == "exact"
    };
    let pairs = |length: usize| (0..length).flat_map(move |one| (0..one).map(move |other| (one, other)));
    !pairs(headers.len()).any(|(one, other)| clash(&headers[one], &headers[other]))
        && !pairs(parameters.len()).any(|(one, other)| is_twice(&parameters[one], &parameters[other]))
}

/// The values by which two sets of conditions differ.
fn identity(conditions: &[&Value]) -> (String, bool, BTreeMap<(String, String, String), usize>) {
    let mut tests = BTreeMap::new();
    let of_query = parameters(conditions).into_iter().map(|(name, test, value)| (format!("?{name}"), test, value));
    for test in headers(conditions).into_iter().chain(of_query) {
        *tests.entry(test).or_insert(0) += 1;
    }
    (joined(conditions), paths(conditions).last().is_some_and(|(kind, _)| *kind == "exact"), tests)
}

struct Oracle<'v> {
    proxies: BTreeMap<&'v str, &'v Value>,
    services: BTreeSet<&'v str>,
}

impl<'v> Oracle<'v> {
    fn new(world: &'v [Value]) -> Self {
        let of_kind = |kind: &'static str| world.iter().filter(move |object| object["kind"] == kind);
        let name = |object: &'v Value| text(object, "/metadata/name");
        Self {
            proxies: of_kind("HTTPProxy").map(|object| (name(object), object)).collect(),
            services: of_kind("Service").filter(|own| own["metadata"]["namespace"] == "x").map(name).collect(),
        }
    }

    /// Whether a root is valid, so that it serves requests.
    fn is_root(&self, object: &Value) -> bool {
        let host = &object["spec"]["virtualhost"];
        let rivals = self
            .proxies
            .values()
            .filter(|other| other["spec"]["virtualhost"]["fqdn"] == host["fqdn"] && class(other) == class(object));
        let tls = &host["tls"];
        let tcp = list(&object["spec"]["tcpproxy"], "services");
        !host.is_null()
            && rivals.count() == 1
            && tls["secretName"] != ""
            && (tcp.is_empty() || !tls.is_null())
            && tcp.iter().all(|service| self.services.contains(text(service, "/name")))
    }

    /// Whether a root has routes or receives connections; without them, a wildcard above its host answers.
    fn serves(&self, object: &'v Value) -> bool {
        let connections = list(&object["spec"]["tcpproxy"], "services");
        !connections.is_empty() || !self.served(text(object, "/metadata/name"), &[], &[]).is_empty()
    }

    /// The routes that an object serves; none if one of its routes is invalid.
    fn served(&self, name: &'v str, under: &[&'v Value], above: &[&str]) -> Vec<Served<'v>> {
        let (object, mut served, mut seen) = (self.proxies[name], Vec::new(), Vec::new());
        let above = [above, &[name]].concat();
        let at = |field: String, conditions: Vec<&'v Value>, route| Served {
            object: name.to_owned(),
            field,
            conditions,
            route,
        };
        for (index, include) in list(&object["spec"], "includes").iter().enumerate() {
            let own: Vec<&Value> = list(include, "conditions").iter().collect();
            if !have_good_paths(&own, true) || !have_good_tests(&own) {
                continue;
            }
            let asks = identity(&own);
            if (asks.0 != "/" || !asks.2.is_empty()) && seen.contains(&asks) {
                continue;
            }
            seen.push(asks);
            let conditions = [under, &own].concat();
            let target = text(include, "/name");
            match self.proxies.get(target) {
                Some(child) if class(child) == class(object) && child["spec"]["virtualhost"].is_null() => {
                    if !above.contains(&target) {
                        served.extend(self.served(target, &conditions, &above));
                    }
                }
                _ if own.is_empty() => {}
                // The conditions that lead to the object are left out.
                _ => served.push(at(format!("spec.includes[{index}]"), own, None)),
            }
        }
        for (index, route) in list(&object["spec"], "routes").iter().enumerate() {
            let own: Vec<&Value> = list(route, "conditions").iter().collect();
            let conditions = [under, &own].concat();
            let does_one = list(route, "services").is_empty() != route["directResponsePolicy"].is_null();
            if !does_one || !have_good_paths(&own, false) || !have_good_tests(&conditions) {
                return Vec::new();
            }
            served.push(at(format!("spec.routes[{index}]"), conditions, Some(route)));
        }
        served
    }

    fn matches(served: &Served<'_>, request: &Request) -> bool {
        let (path, is_exact, _) = identity(&served.conditions);
        let value = |sent: &[(String, String)], name: &str| {
            sent.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone())
        };
        let has_header = |(name, test, wanted): &(String, String, String)| {
            let value = value(&request.headers, name);
            match test.as_str() {
                "exact" => value.as_ref() == Some(wanted),
                "notexact" => value.is_some_and(|value| value != *wanted),
                "contains" => value.is_some_and(|value| value.contains(wanted)),
                "present" => value.is_some(),
                _ => value.is_none(),
            }
        };
        let has_parameter = |(name, test, wanted): &(String, String, String)| {
            value(&request.query, name)
                .is_some_and(|value| if test == "exact" { value == *wanted } else { value.starts_with(wanted) })
        };
        (if is_exact { request.path == path } else { request.path.starts_with(&path) })
            && headers(&served.conditions).iter().all(has_header)
            && parameters(&served.conditions).iter().all(has_parameter)
    }

    /// The precedence: exact paths before prefixes, then longer paths, more header conditions, more query conditions;
    /// then the conditions themselves, by name.
    fn rank(served: &Served<'_>) -> impl Ord + use<> {
        let (path, is_exact, _) = identity(&served.conditions);
        let sorted = |tests: Vec<(String, String, String)>| {
            let kind = |test: &str| {
                ["exact", "prefix", "contains", "present"].into_iter().position(|known| test.ends_with(known))
            };
            let mut tests: Vec<_> = tests
                .into_iter()
                .map(|(name, test, value)| (name, kind(&test), value, test.starts_with("not")))
                .collect();
            tests.sort();
            tests
        };
        let (headers, parameters) = (headers(&served.conditions), parameters(&served.conditions));
        let counts = (Reverse(headers.len()), Reverse(parameters.len()));
        (!is_exact, Reverse(path.len()), counts, sorted(headers), sorted(parameters))
    }

    fn answer(&self, request: &Request, class_in_scope: Option<&str>) -> Expected {
        let (mut classes, sni) = (vec!["contour", "other"], request.sni.as_deref().unwrap_or_default());
        classes.retain(|class| class_in_scope.is_none_or(|class_in_scope| class_in_scope == *class));
        classes.into_iter().find_map(|own| {
            let of_host = |host: &str| {
                self.proxies.values().copied().find(|&object| {
                    self.is_root(object)
                        && self.serves(object)
                        && class(object) == own
                        && text(object, "/spec/virtualhost/fqdn") == host
                        && (!request.is_secure || !object["spec"]["virtualhost"]["tls"].is_null())
                })
            };
            let wild = |name: &str| format!("*.{}", name.split_once('.').map_or("", |(_, rest)| rest));
            let name = if request.is_secure { sni } else { &request.host };
            let root = of_host(name).or_else(|| of_host(&wild(name)))?;
            let is_for_host = [request.host.clone(), wild(&request.host)]
                .iter()
                .any(|host| host == text(root, "/spec/virtualhost/fqdn"));
            self.answer_of(root, request, is_for_host)
        })
    }

    fn answer_of(&self, root: &'v Value, request: &Request, is_for_host: bool) -> Expected {
        let name = text(root, "/metadata/name");
        let tcp = list(&root["spec"]["tcpproxy"], "services");
        if request.is_secure && !tcp.is_empty() {
            return Some((format!("HTTPProxy x/{name} spec.tcpproxy"), self.shares(tcp), false));
        }
        if !is_for_host {
            return None;
        }
        let mut table: Vec<Served<'_>> = Vec::new();
        for served in self.served(name, &[], &[]) {
            table.retain(|other| identity(&other.conditions) != identity(&served.conditions));
            table.push(served);
        }
        let served =
            table.iter().filter(|served| Self::matches(served, request)).min_by_key(|served| Self::rank(served))?;
        let who = format!("HTTPProxy x/{} {}", served.object, served.field);
        let Some(route) = served.route else { return Some((who, Vec::new(), false)) };
        let has_tls = !root["spec"]["virtualhost"]["tls"].is_null();
        let is_redirected = !request.is_secure && has_tls && route["permitInsecure"] != true;
        let shares = if is_redirected { Vec::new() } else { self.shares(list(route, "services")) };
        Some((who, shares, is_redirected))
    }

    /// The shares of the services that are not mirrors. A missing Service has none.
    fn shares(&self, services: &[Value]) -> Vec<(String, String)> {
        let services: Vec<&Value> = services.iter().filter(|service| service["mirror"] != true).collect();
        let there = |service: &Value| self.services.contains(text(service, "/name"));
        let weight = |service: &Value| service["weight"].as_f64().unwrap_or(0.0);
        let left: Vec<&&Value> = services.iter().filter(|service| there(service)).collect();
        let sum: f64 = left.iter().map(|service| weight(service)).sum();
        let share = |service: &Value| match (there(service), sum == 0.0) {
            (false, _) => 0.0,
            (true, true) => 1.0 / left.len() as f64,
            (true, false) => weight(service) / sum,
        };
        services.iter().map(|one| (text(one, "/name").to_owned(), format!("{:.3}", share(one)))).collect()
    }
}

/// What these HTTPProxies answer in one class.
pub fn answer_in(class: &str, world: &[Value], request: &Request) -> Expected {
    Oracle::new(world).answer(request, Some(class))
}

#[test]
fn http_proxies_answer_as_the_oracle_says() {
    let (mut answered, mut included, mut redirected, mut unanswered) = (0, 0, 0, 0);
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let values = world(&mut rng);
        let oracle = Oracle::new(&values);
        let requests: Vec<String> = (0..REQUESTS).map(|_| words(&mut rng)).collect();
        Objects::of_values(&values).with(|world| {
            for words in &requests {
                let (request, scope): (Request, Scope) = request(words);
                let expected = oracle.answer(&request, scope.class.as_deref());
                assert_eq!(outcome(&world.ask(&request, &scope)), expected, "seed {seed}: {words} in {values:#?}");
                match expected {
                    None => unanswered += 1,
                    Some((who, _, is_redirected)) => {
                        answered += 1;
                        redirected += usize::from(is_redirected);
                        let object = who.split(['/', ' ']).nth(2).and_then(|name| oracle.proxies.get(name));
                        included += usize::from(object.is_some_and(|object| object["spec"]["virtualhost"].is_null()));
                    }
                }
            }
        });
    }
    let seen = [answered, included, redirected, unanswered];
    assert!(seen.iter().all(|count| *count > 200), "each kind of answer is seen often: {seen:?}");
}

/// A chain in which every object includes the next one twice is expanded up to a limit, and the answer says so.
#[test]
fn a_shared_chain_of_http_proxies_is_looked_at_up_to_a_bound() {
    let levels = 22;
    let chain = (0..=levels).map(|level| {
        let include = |prefix: &str| json!({"name": format!("p{}", level + 1), "conditions": [{"prefix": prefix}]});
        let includes = if level < levels { vec![include("/a"), include("/b")] } else { Vec::new() };
        let mut object = json!({"apiVersion": GROUP, "kind": "HTTPProxy",
            "metadata": {"namespace": "x", "name": format!("p{level}")},
            "spec": {"includes": includes, "routes": [{"services": [{"name": "s", "port": 80}]}]}});
        if level == 0 {
            object["spec"]["virtualhost"]["fqdn"] = "a.com".into();
        }
        object
    });
    let objects: Vec<Value> = chain.collect();
    Objects::of_values(&objects).with(|world| {
        let (requested, scope) = request("http://a.com/a/a");
        let answer = world.ask(&requested, &scope);
        assert_eq!(who(&answer).as_deref(), Some("HTTPProxy x/p2 spec.routes[0]"));
        let rules = world.conditions("a.com", &scope).len();
        assert!((2_000..=20_000).contains(&rules), "{rules} rules of eight million");
        let message = |reason: &str| reason.starts_with("evaluated 12 levels of objects only");
        assert_eq!(answer.losers.iter().filter(|loser| message(&loser.reason)).count(), 1);
        assert!(!answer.losers.iter().any(|loser| loser.reason.starts_with("orphaned")), "all are included");
    });
}

/// A TLS connection is routed to the root whose host is its server name (SNI).
#[test]
fn connections_are_distinguished_by_server_name() {
    let yaml = "
apiVersion: projectcontour.io/v1
kind: HTTPProxy
metadata: {namespace: x, name: db}
spec:
  virtualhost: {fqdn: db.com, tls: {passthrough: true}}
  tcpproxy: {include: {name: tcp}}
  routes: [{services: [{name: s, port: 80}]}]
---
apiVersion: projectcontour.io/v1
kind: HTTPProxy
metadata: {namespace: x, name: tcp}
spec: {tcpproxy: {services: [{name: s, port: 80}]}}
---
apiVersion: projectcontour.io/v1
kind: HTTPProxy
metadata: {namespace: x, name: wild}
spec:
  virtualhost: {fqdn: '*.com', tls: {secretName: tls}}
  routes: [{permitInsecure: true, services: [{name: s, port: 80}]}]
---
apiVersion: projectcontour.io/v1
kind: HTTPProxy
metadata: {namespace: x, name: half}
spec:
  virtualhost: {fqdn: half.com, tls: {secretName: tls}}
  tcpproxy: {include: {name: none}}
---
apiVersion: projectcontour.io/v1
kind: HTTPProxy
metadata: {namespace: x, name: none}
spec: {routes: [{services: [{name: s, port: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {namespace: x, name: s}
spec: {ports: [{port: 80}]}
";
    let objects = Objects::of(yaml);
    for (words, expected) in [
        ("https://db.com/", Some("HTTPProxy x/tcp spec.tcpproxy")),
        ("https://other.com/ --sni db.com", Some("HTTPProxy x/tcp spec.tcpproxy")),
        ("https://db.com/ --sni other.com", Some("HTTPProxy x/wild spec.routes[0]")),
        ("https://other.org/ --sni other.com", None),
        ("http://db.com/", Some("HTTPProxy x/db spec.routes[0]")),
        ("https://half.com/", None),
        ("https://a.b.com/", None),
    ] {
        assert_eq!(who(&objects.ask(words)).as_deref(), expected, "{words}");
    }
    let redirected = objects.ask("http://db.com/").winner.map(|(_, winner)| winner.outcome.backends().len());
    assert_eq!(redirected, Some(0), "plain HTTP is redirected to HTTPS, whichever route it reaches");
}
