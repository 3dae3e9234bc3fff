//! Compares random IngressRoutes and requests with an oracle that reads the objects' JSON and follows every path from
//! every root.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_core::explain::{Explanation, Request, Scope};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::worlds::{Objects, request, who};

const SEEDS: std::ops::Range<u64> = 0..1500;
const REQUESTS: usize = 5;
const GROUP: &str = "contour.heptio.com/v1beta1";
const HOSTS: [&str; 3] = ["a.com", "b.com", "A.com"];
/// The prefixes that objects may be intended for.
const BASES: [&str; 5] = ["/", "/", "/a", "/a", "/a/b"];

/// Up to five IngressRoutes, and the Services that most of them use.
pub fn world(rng: &mut Rng) -> Vec<Value> {
    let count = 1 + rng.below(5);
    let plans: Vec<Plan> = (0..count)
        .map(|number| Plan {
            namespace: rng.pick(&["x", "x", "y"]),
            name: format!("r{number}"),
            base: if number == 0 { "/" } else { rng.pick(&BASES) },
        })
        .collect();
    let mut objects: Vec<Value> = (0..count).map(|number| route(rng, number, &plans)).collect();
    for (namespace, name) in [("x", "s"), ("x", "t"), ("y", "s"), ("y", "t")] {
        objects.push(json!({"apiVersion": "v1", "kind": "Service",
            "metadata": {"namespace": namespace, "name": name}, "spec": {"ports": [{"port": 80}]}}));
    }
    objects
}

/// The reference of a future object, and the prefix of most of its routes.
struct Plan {
    namespace: &'static str,
    name: String,
    base: &'static str,
}

fn route(rng: &mut Rng, number: usize, plans: &[Plan]) -> Value {
    let Plan { namespace, name, base } = &plans[number];
    let mut routes: Vec<Value> = Vec::new();
    for _ in 0..1 + rng.below(4) {
        let route = path(rng, number, base, plans);
        let known =
            |other: &Value| text(other, "/match").trim_end_matches('/') == text(&route, "/match").trim_end_matches('/');
        if !routes.iter().any(known) || rng.one_in(20) {
            routes.push(route);
        }
    }
    let mut object = json!({"apiVersion": GROUP, "kind": "IngressRoute",
        "metadata": {"namespace": namespace, "name": name}, "spec": {"routes": routes}});
    if number == 0 || rng.one_in(8) {
        object["spec"]["virtualhost"]["fqdn"] = rng.pick(&HOSTS).into();
        if rng.one_in(2) {
            object["spec"]["virtualhost"]["tls"]["secretName"] = "tls".into();
        }
    }
    if rng.one_in(8) {
        object["metadata"]["annotations"]["kubernetes.io/ingress.class"] = rng.pick(&["contour", "other", ""]).into();
    }
    if rng.one_in(25) {
        object["spec"]["tcpproxy"]["services"] = json!([{"name": "s", "port": 80}]);
    }
    object
}

fn path(rng: &mut Rng, number: usize, base: &str, plans: &[Plan]) -> Value {
    let below = format!("{}{}", base.trim_end_matches('/'), rng.pick(&["", "", "/", "/b", "/b/", "/bb", "/b/c"]));
    let mut path = json!({"match": if below.is_empty() { "/" } else { &below }});
    let later = plans.len() - 1 - number;
    if (later > 0 && rng.one_in(2)) || rng.one_in(25) {
        let target =
            &plans[if later > 0 && !rng.one_in(25) { number + 1 + rng.below(later) } else { rng.below(plans.len()) }];
        if !rng.one_in(5) {
            path["match"] = target.base.into();
        }
        path["delegate"] =
            json!({"name": if rng.one_in(20) { "gone" } else { &target.name }, "namespace": target.namespace});
    }
    if path["delegate"].is_null() || rng.one_in(80) {
        let service = |rng: &mut Rng| {
            let mut service = json!({"name": if rng.one_in(80) { "gone" } else { rng.pick(&["s", "t"]) }, "port": 80});
            if rng.one_in(2) {
                service["weight"] = rng.pick(&[0, 1, 3]).into();
            }
            service
        };
        let key = rng.pick(&["services", "services", "service"]);
        path[key] = (0..1 + rng.below(2)).map(|_| service(rng)).collect();
    }
    if rng.one_in(3) {
        path["permitInsecure"] = true.into();
    }
    if rng.one_in(60) {
        path["match"] = "odd".into();
    }
    path
}

/// A request in the form of command line arguments.
pub fn words(rng: &mut Rng) -> String {
    let host = rng.pick(&["a.com", "a.com", "a.com", "b.com", "c.a.com"]);
    let path: String = (0..rng.below(4)).map(|_| format!("/{}", rng.pick(&["", "a", "b", "c", "ab", "bb"]))).collect();
    let scheme = rng.pick(&["http", "https"]);
    let mut words = format!("{scheme}://{host}{path}");
    if scheme == "https" && rng.one_in(6) {
        words += &format!(" --sni {}", rng.pick(&["a.com", "b.com"]));
    }
    if rng.one_in(6) {
        words += &format!(" --class {}", rng.pick(&["contour", "other"]));
    }
    words
}

/// The expected answer: the winner, the backends with their shares, and whether the request is redirected to HTTPS.
pub type Expected = Option<(String, Vec<(String, String)>, bool)>;

/// The same data of an actual answer.
pub fn outcome(answer: &Explanation) -> Expected {
    let winner = &answer.winner.as_ref()?.1;
    let is_redirected = winner.chain.iter().any(|link| link.message.contains("301"));
    let own = &winner.object.namespace;
    let share =
        |backend: &portcullis_core::explain::BackendShare| (backend.label(own), format!("{:.3}", backend.share));
    Some((who(answer)?, winner.outcome.backends().iter().map(share).collect(), is_redirected))
}

/// The objects by `namespace/name`.
struct Oracle<'v> {
    routes: BTreeMap<String, &'v Value>,
    services: BTreeSet<String>,
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value[field].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn object_ref(object: &Value) -> String {
    format!("{}/{}", text(object, "/metadata/namespace"), text(object, "/metadata/name"))
}

fn class(object: &Value) -> &str {
    match object["metadata"]["annotations"]["kubernetes.io/ingress.class"].as_str() {
        Some(class) if !class.is_empty() => class,
        _ => "contour",
    }
}

fn elements(path: &str) -> Vec<&str> {
    path.trim_end_matches('/').split('/').collect()
}

fn lies_under(path: &str, prefix: &str) -> bool {
    elements(path).starts_with(&elements(prefix))
}

impl<'v> Oracle<'v> {
    fn new(world: &'v [Value]) -> Self {
        let of_kind = |kind: &'static str| world.iter().filter(move |object| object["kind"] == kind);
        let routes = of_kind("IngressRoute").map(|object| (object_ref(object), object)).collect();
        Self { routes, services: of_kind("Service").map(object_ref).collect() }
    }

    fn services_of(route: &Value) -> &[Value] {
        let spelt = list(route, "services");
        if spelt.is_empty() { list(route, "service") } else { spelt }
    }

    fn target(own: &Value, route: &Value) -> Option<String> {
        let delegate = route.get("delegate")?;
        let namespace = delegate["namespace"].as_str().unwrap_or(text(own, "/metadata/namespace"));
        Some(format!("{namespace}/{}", text(delegate, "/name")))
    }

    fn is_root(object: &Value) -> bool {
        !object["spec"]["virtualhost"].is_null()
    }

    fn host(object: &Value) -> String {
        text(object, "/spec/virtualhost/fqdn").to_lowercase()
    }

    /// Whether an object is valid, whatever delegates to it. Cycles are not considered.
    fn is_good(&self, object: &Value) -> bool {
        let routes = list(&object["spec"], "routes");
        let namespace = text(object, "/metadata/namespace");
        let of_route = |(index, route): (usize, &Value)| {
            let (path, services) = (text(route, "/match"), Self::services_of(route));
            let again = routes[..index]
                .iter()
                .any(|other| text(other, "/match").trim_end_matches('/') == path.trim_end_matches('/'));
            let has_services = services
                .iter()
                .all(|service| self.services.contains(&format!("{namespace}/{}", text(service, "/name"))));
            let target = Self::target(object, route);
            let leads_to_root = target.as_ref().and_then(|target| self.routes.get(target));
            let leads_to_root =
                leads_to_root.is_some_and(|other| class(other) == class(object) && Self::is_root(other));
            path.starts_with('/')
                && !again
                && services.is_empty() == target.is_some()
                && has_services
                && target.as_deref() != Some(&*object_ref(object))
                && !leads_to_root
        };
        let rivals = self.routes.values().filter(|other| {
            Self::is_root(other) && Self::host(other) == Self::host(object) && class(other) == class(object)
        });
        let is_alone = !Self::is_root(object) || rivals.count() == 1;
        // The `tcpproxy` extension is off.
        object["spec"]["tcpproxy"].is_null() && is_alone && routes.iter().enumerate().all(of_route)
    }

    /// The valid objects of the same class to which an object delegates, in order.
    fn below(&self, object: &'v Value) -> Vec<&'v Value> {
        let targets = list(&object["spec"], "routes").iter().filter_map(|route| Self::target(object, route));
        let found = targets.filter_map(|target| self.routes.get(&target).copied());
        found.filter(|other| class(other) == class(object) && self.is_good(other)).collect()
    }

    /// The objects whose delegation closes a cycle: in a depth-first walk from the valid roots, in order and visiting
    /// each object once, those that delegate to an object on the current path.
    fn closers(&self) -> BTreeSet<String> {
        fn walk<'v>(
            oracle: &Oracle<'v>,
            object: &'v Value,
            open: &mut Vec<String>,
            seen: &mut BTreeSet<String>,
            found: &mut BTreeSet<String>,
        ) {
            seen.insert(object_ref(object));
            open.push(object_ref(object));
            for below in oracle.below(object) {
                if open.contains(&object_ref(below)) {
                    found.insert(object_ref(object));
                } else if !seen.contains(&object_ref(below)) {
                    walk(oracle, below, open, seen, found);
                }
            }
            open.pop();
        }
        let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
        for root in self.routes.values().filter(|object| Self::is_root(object) && self.is_good(object)) {
            walk(self, root, &mut Vec::new(), &mut seen, &mut found);
        }
        found
    }

    /// Every route that a root serves, in the order of the walk: the object, the index and the route.
    fn table(&self, object: &'v Value, closers: &BTreeSet<String>, table: &mut Vec<(&'v Value, usize, &'v Value)>) {
        for (index, route) in list(&object["spec"], "routes").iter().enumerate() {
            let Some(target) = Self::target(object, route) else {
                table.push((object, index, route));
                continue;
            };
            let Some(child) = self.routes.get(&target) else { continue };
            let is_live = class(child) == class(object)
                && self.is_good(child)
                && !closers.contains(&target)
                && list(&child["spec"], "routes")
                    .iter()
                    .all(|below| lies_under(text(below, "/match"), text(route, "/match")));
            if is_live {
                self.table(child, closers, table);
            }
        }
    }

    fn answer(&self, request: &Request, class_in_scope: Option<&str>) -> Expected {
        let closers = self.closers();
        let host = if request.is_secure { request.sni.as_deref()? } else { &request.host };
        let mut roots: Vec<&&Value> = self
            .routes
            .values()
            .filter(|object| Self::is_root(object) && Self::host(object) == host && self.is_good(object))
            .filter(|object| !closers.contains(&object_ref(object)))
            .filter(|object| class_in_scope.is_none_or(|class_in_scope| class(object) == class_in_scope))
            .collect();
        // The default class comes first.
        roots.sort_by_key(|object| class(object) != "contour");
        roots.iter().find_map(|root| self.answer_of(root, request, &closers))
    }

    fn answer_of(&self, root: &'v Value, request: &Request, closers: &BTreeSet<String>) -> Expected {
        let has_tls = !root["spec"]["virtualhost"]["tls"].is_null();
        if request.is_secure && !(has_tls && Self::host(root) == request.host) {
            return None;
        }
        let mut table = Vec::new();
        self.table(root, closers, &mut table);
        let taking = table.iter().filter(|(_, _, route)| request.path.starts_with(text(route, "/match")));
        // Of the longest matches, the last one wins.
        let (object, index, route) = taking.max_by_key(|(_, _, route)| text(route, "/match").len())?;
        let is_redirected = !request.is_secure && has_tls && route["permitInsecure"] != true;
        let services = Self::services_of(route);
        let weight = |service: &Value| service["weight"].as_f64().unwrap_or(0.0);
        let sum: f64 = services.iter().map(weight).sum();
        let share = |service| if sum == 0.0 { 1.0 / services.len() as f64 } else { weight(service) / sum };
        let shares = services.iter().map(|one| (text(one, "/name").to_owned(), format!("{:.3}", share(one))));
        let shares = if is_redirected { Vec::new() } else { shares.collect() };
        Some((format!("IngressRoute {} spec.routes[{index}]", object_ref(object)), shares, is_redirected))
    }
}

/// What these IngressRoutes answer in one class.
pub fn answer_in(class: &str, world: &[Value], request: &Request) -> Expected {
    Oracle::new(world).answer(request, Some(class))
}

#[test]
fn ingress_routes_answer_as_the_oracle_says() {
    let (mut answered, mut below, mut redirected, mut unanswered) = (0, 0, 0, 0);
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
                        let object = who.split(' ').nth(1).and_then(|object_ref| oracle.routes.get(object_ref));
                        below += usize::from(object.is_some_and(|object| !Oracle::is_root(object)));
                    }
                }
            }
        });
    }
    let seen = [answered, below, redirected, unanswered];
    assert!(seen.iter().all(|count| *count > 200), "each kind of answer is seen often: {seen:?}");
}

/// A chain in which every object delegates twice to the next one has more than four million paths, but each object is
/// visited once.
#[test]
fn a_shared_chain_of_ingress_routes_is_looked_at_once() {
    let levels = 22;
    let prefix = |length: usize| "/a".repeat(length);
    let chain = (0..=levels).map(|level| {
        let serves = json!({"match": format!("{}/s", prefix(level + 2)), "services": [{"name": "s", "port": 80}]});
        let delegate = |length| json!({"match": prefix(length), "delegate": {"name": format!("r{}", level + 1)}});
        let mut routes = vec![serves];
        if level < levels {
            routes.extend([delegate(level + 1), delegate(level + 2)]);
        }
        let mut object = json!({"apiVersion": GROUP, "kind": "IngressRoute",
            "metadata": {"namespace": "x", "name": format!("r{level}")}, "spec": {"routes": routes}});
        if level == 0 {
            object["spec"]["virtualhost"]["fqdn"] = "a.com".into();
        }
        object
    });
    let service = json!({"apiVersion": "v1", "kind": "Service",
        "metadata": {"namespace": "x", "name": "s"}, "spec": {"ports": [{"port": 80}]}});
    let objects: Vec<Value> = chain.chain([service]).collect();
    Objects::of_values(&objects).with(|world| {
        let (requested, scope) = request(&format!("http://a.com{}/s", prefix(levels + 2)));
        let answer = world.ask(&requested, &scope);
        assert_eq!(who(&answer).as_deref(), Some("IngressRoute x/r22 spec.routes[0]"), "{answer:#?}");
        let chain = &answer.winner.as_ref().expect("an object answers").1.chain;
        assert_eq!(
            chain.len(),
            1 + levels + 2,
            "the host, each delegation once, the route and the Service: {chain:#?}"
        );
        assert_eq!((world.conditions("a.com", &scope).len(), answer.losers.len()), (levels + 1, levels));
    });
}
