//! Compares random Ingresses and requests with an oracle that reads the objects' JSON and tries one rule after the
//! other.

use portcullis_core::explain::{BackendShare, Explanation, HeaderChanges, Port};
use portcullis_core::kinds::Kind;
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::worlds::{Objects, request, who};

const SEEDS: std::ops::Range<u64> = 0..1500;
const REQUESTS: usize = 5;
const HOSTS: [&str; 9] = ["", "a.com", "*.a.com", "b.a.com", "*.b.a.com", "*.com", "com", "A.com", "x_y"];
const PATHS: [&str; 11] = ["", "/", "/a", "/a/", "/a/b", "/a/b/", "/ab", "/a//b", "//", "a", "/a/b/c"];
const TYPES: [&str; 7] = ["Prefix", "Prefix", "Prefix", "Exact", "Exact", "ImplementationSpecific", "Odd"];
const CLASSES: [&str; 3] = ["one", "two", ""];

/// Some Ingresses, and sometimes one or two default classes.
pub fn world(rng: &mut Rng) -> Vec<Value> {
    let mut objects: Vec<Value> = (0..1 + rng.below(4)).map(|number| ingress(rng, number)).collect();
    for name in ["one", "two"] {
        if rng.one_in(3) {
            let mut class = json!({"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass",
                "metadata": {"name": name}, "spec": {"controller": "example.com/c"}});
            class["metadata"]["annotations"]["ingressclass.kubernetes.io/is-default-class"] = "true".into();
            age(&mut class, rng);
            objects.push(class);
        }
    }
    objects
}

fn age(object: &mut Value, rng: &mut Rng) {
    if !rng.one_in(3) {
        let day = rng.pick(&["01", "02", "03"]);
        object["metadata"]["creationTimestamp"] = format!("2026-01-{day}T00:00:00Z").into();
    }
}

fn ingress(rng: &mut Rng, number: usize) -> Value {
    let service = |rng: &mut Rng| json!({"service": {"name": rng.pick(&["s", "t"]), "port": {"number": 80}}});
    let mut rules = Vec::new();
    for _ in 0..rng.below(4) {
        let mut rule = json!({});
        let host = rng.pick(&HOSTS);
        if !host.is_empty() {
            rule["host"] = host.into();
        }
        if !rng.one_in(6) {
            let path = |rng: &mut Rng| {
                let kind = rng.pick(&TYPES);
                let mut path = json!({"pathType": kind, "backend": service(rng)});
                let text = rng.pick(&PATHS);
                if !text.is_empty() {
                    path["path"] = text.into();
                }
                path
            };
            rule["http"]["paths"] = (0..1 + rng.below(4)).map(|_| path(rng)).collect();
        }
        rules.push(rule);
    }
    let namespace = rng.pick(&["web", "web-2", "api"]);
    let mut ingress = json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"namespace": namespace, "name": format!("i{number}")}, "spec": {"rules": rules}});
    let class = rng.pick(&CLASSES);
    if !class.is_empty() {
        ingress["spec"]["ingressClassName"] = class.into();
    }
    if rng.one_in(8) {
        ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/canary"] = "true".into();
    }
    if rng.one_in(4) {
        ingress["spec"]["defaultBackend"] = service(rng);
    }
    age(&mut ingress, rng);
    ingress
}

/// A URL composed of the parts that also occur in rules.
pub fn url(rng: &mut Rng) -> String {
    let host = rng.pick(&["a.com", "b.a.com", "c.b.a.com", "c.a.com", "com", "B.a.COM", "d.c.b.a.com", "org", "x.org"]);
    let elements = ["", "a", "b", "ab", "c", "q"];
    let path: String = (0..rng.below(4)).map(|_| format!("/{}", rng.pick(&elements))).collect();
    let scheme = rng.pick(&["http", "https"]);
    format!("{scheme}://{host}{}{path}", rng.pick(&["", ":8080"]))
}

/// The order of age: by creation time, objects without one last; then by namespace and name.
fn seniority(object: &Value) -> (bool, String, String) {
    let metadata = &object["metadata"];
    let created = metadata["creationTimestamp"].as_str();
    let text = |field: &str| metadata[field].as_str().unwrap_or_default();
    (created.is_none(), created.unwrap_or_default().to_owned(), format!("{}/{}", text("namespace"), text("name")))
}

/// The class that serves an Ingress: its own or the default class.
fn class_of(ingress: &Value, world: &[Value]) -> Option<String> {
    let newest = |object: &&Value| {
        let metadata = &object["metadata"];
        let created = metadata["creationTimestamp"].as_str().unwrap_or_default().to_owned();
        (created, std::cmp::Reverse(metadata["name"].as_str().unwrap_or_default().to_owned()))
    };
    let default = world.iter().filter(|object| object["kind"] == "IngressClass").max_by_key(newest);
    let named = ingress["spec"]["ingressClassName"].as_str();
    named.or(default.and_then(|class| class["metadata"]["name"].as_str())).map(str::to_owned)
}

/// How specifically `host` matches `name`: 2 exactly, 1 by a wildcard label, 0 as an empty host. `None` if it does not
/// match.
fn host_rank(host: Option<&str>, name: &str) -> Option<u8> {
    let host = host.unwrap_or_default().to_lowercase();
    if host.contains('_') {
        return None;
    }
    match host.split_once("*.") {
        _ if host.is_empty() => Some(0),
        Some((_, suffix)) => (name.split_once('.').map(|(_, rest)| rest) == Some(suffix)).then_some(1),
        None => (host == name).then_some(2),
    }
}

/// The precedence of a path, by its significant elements and its written length; `None` if it does not match the
/// request.
fn path_rank(path: &Value, request: &str) -> Option<(bool, usize, usize, bool)> {
    let written = path["path"].as_str().unwrap_or_default();
    let text = if written.is_empty() { "/" } else { written };
    match path["pathType"].as_str()? {
        "Exact" => (text == request).then_some((true, 0, 0, true)),
        kind @ ("Prefix" | "ImplementationSpecific") => {
            let mut elements: Vec<&str> = text.split('/').collect();
            while elements.len() > 1 && elements.last() == Some(&"") {
                elements.pop();
            }
            let request_elements: Vec<&str> = request.split('/').collect();
            let matches =
                request_elements.len() >= elements.len() && request_elements[..elements.len()] == elements[..];
            matches.then_some((false, elements.len(), text.len(), kind == "Prefix"))
        }
        _ => None,
    }
}

/// The Ingress and field that serve the request in one class, and whether by a default backend.
pub fn answer_in(class: Option<&str>, world: &[Value], host: &str, path: &str) -> Option<(String, bool)> {
    let own: Vec<&Value> = world
        .iter()
        .filter(|object| object["kind"] == "Ingress" && class_of(object, world).as_deref() == class)
        .collect();
    let rules = |ingress: &'_ Value| ingress["spec"]["rules"].as_array().cloned().unwrap_or_default();
    let best = own.iter().flat_map(|i| rules(i)).filter_map(|rule| host_rank(rule["host"].as_str(), host)).max();
    let has_host = |ingress: &Value| {
        best.is_some() && rules(ingress).iter().any(|rule| host_rank(rule["host"].as_str(), host) == best)
    };
    let mut winner: Option<(_, String)> = None;
    for ingress in &own {
        for (index, rule) in rules(ingress).iter().enumerate() {
            if best.is_none() || host_rank(rule["host"].as_str(), host) != best {
                continue;
            }
            for (position, entry) in rule["http"]["paths"].as_array().into_iter().flatten().enumerate() {
                let Some((exact, elements, written, defined)) = path_rank(entry, path) else { continue };
                let canary = !ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/canary"].is_null();
                let key = (!exact, std::cmp::Reverse(elements), std::cmp::Reverse(written), !defined, canary);
                let key = (key, seniority(ingress), index, position);
                if winner.as_ref().is_none_or(|(best, _)| key < *best) {
                    winner = Some((key, format!("{} spec.rules[{index}].http.paths[{position}]", name(ingress))));
                }
            }
        }
    }
    if let Some((_, who)) = winner {
        return Some((who, false));
    }
    let defaults = own.iter().filter(|ingress| !ingress["spec"]["defaultBackend"].is_null());
    let first = defaults.min_by_key(|ingress| (!has_host(ingress), seniority(ingress)))?;
    Some((format!("{} spec.defaultBackend", name(first)), true))
}

fn name(object: &Value) -> String {
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
    format!("Ingress {}/{}", text("namespace"), text("name"))
}

#[test]
fn ingresses_answer_as_the_oracle_says() {
    let (mut by_rule, mut by_default, mut by_nobody, mut ambiguous) = (0, 0, 0, 0);
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let world = world(&mut rng);
        let objects = Objects::of_values(&world);
        for _ in 0..REQUESTS {
            let url = url(&mut rng);
            let parsed = request(&url).0;
            let answer_of = |class: Option<&str>| answer_in(class, &world, &parsed.host, &parsed.path);
            for class in ["one", "two", "three"] {
                let answer = objects.ask(&format!("{url} --class {class}"));
                let expected = answer_of(Some(class)).map(|(who, _)| who);
                assert_eq!(who(&answer), expected, "seed {seed}: {url} of {class} in {world:?}");
            }
            // Over all classes, rules precede default backends. Then the classes are in order of name, with Ingresses
            // without a class last.
            let answers = [Some("one"), Some("two"), None].map(answer_of);
            let first = |is_default: bool| {
                answers.iter().flatten().find(|(_, default)| *default == is_default).map(|(who, _)| who.clone())
            };
            let answer = objects.ask(&url);
            assert_eq!(who(&answer), first(false).or(first(true)), "seed {seed}: {url} in {world:?}");
            let answering = answers.iter().flatten().count();
            assert_eq!(answer.answering.len(), answering, "seed {seed}: {url} in {world:?}");
            by_rule += usize::from(first(false).is_some());
            by_default += usize::from(first(false).is_none() && first(true).is_some());
            by_nobody += usize::from(answering == 0);
            ambiguous += usize::from(answering > 1);
        }
    }
    let seen = [by_rule, by_default, by_nobody, ambiguous];
    assert!(seen.iter().all(|count| *count > 300), "each kind of answer is seen often: {seen:?}");
}

#[test]
fn an_unknown_meaning_is_read_as_prefix_and_says_so() {
    let ingress = |name: &str, kind: &str, path: &str| {
        json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"namespace": "web", "name": name},
            "spec": {"ingressClassName": "one", "rules": [{"host": "a.com", "http": {"paths": [
                {"path": path, "pathType": kind, "backend": {"service": {"name": "s", "port": {"name": "web"}}}}]}}]}})
    };
    let specific = "ImplementationSpecific";
    let objects = Objects::of_values(&[
        ingress("a", specific, "/cart"),
        ingress("b", "Prefix", "/cart"),
        ingress("c", specific, "/pay"),
    ]);
    let reason = |words: &str, name: &str| {
        let answer = objects.ask(words);
        let lost = answer.losers.into_iter().find(|loser| loser.object.name == name);
        lost.unwrap_or_else(|| panic!("{name} answers {words}")).reason
    };
    assert_eq!(reason("http://a.com/cart/1", "a"), "Ingress web/b has the same path with pathType Prefix");
    assert_eq!(reason("http://a.com/cart/1", "c"), "path /pay, ImplementationSpecific: read as Prefix");
    let pay = objects.ask("http://a.com/pay/1");
    let (_, winner) = pay.winner.expect("an object answers");
    let message: Vec<&str> = winner.chain.iter().map(|link| link.message.as_str()).collect();
    let expected = [
        "not found, so most controllers ignore the Ingress",
        "host a.com",
        "path /pay, ImplementationSpecific: read as Prefix",
        "Service not found: its share of requests gets no answer",
    ];
    assert_eq!(message, expected);
}

/// An Ingress for `NAME.com` with these annotations, this class and this path.
fn with(name: &str, annotations: &Value, class: Option<&str>, path: &str) -> Value {
    json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"namespace": "web", "name": name, "annotations": annotations},
        "spec": {"ingressClassName": class, "rules": [{"host": format!("{name}.com"), "http": {"paths": [
            {"path": path, "pathType": "ImplementationSpecific", "backend": {"service": {"name": "s", "port": {"number": 80}}}}]}}]}})
}

#[test]
fn a_resource_answers_where_no_service_is_named() {
    let resource = json!({"apiGroup": "storage.example.com", "kind": "Bucket", "name": "pages"});
    let service = json!({"name": "s", "port": {"number": 80}});
    let share = |kind: &str, name: &str, port| BackendShare {
        kind: kind.to_owned(),
        namespace: "web".to_owned(),
        name: name.to_owned(),
        port,
        share: 1.0,
        may_answer: name != "s",
        request_headers: HeaderChanges::default(),
        response_headers: HeaderChanges::default(),
    };
    for (backend, expected) in [
        (json!({"resource": resource}), share("Bucket", "pages", None)),
        // `ingress/backend-ambiguous` denies such a backend.
        (json!({"resource": resource, "service": service}), share("Service", "s", Some(Port::Number(80)))),
    ] {
        let mut ingress = with("a", &json!({}), Some("one"), "/");
        ingress["spec"]["rules"][0]["http"]["paths"][0]["backend"] = backend.clone();
        ingress["spec"]["defaultBackend"] = backend;
        let objects = Objects::of_values(&[ingress]);
        for url in ["http://a.com/", "http://b.com/"] {
            let (_, winner) = objects.ask(url).winner.expect("an object answers");
            assert_eq!(winner.outcome.backends(), std::slice::from_ref(&expected), "{url}");
            let looks_up_a_service = winner.chain.iter().any(|link| link.object.kind == Kind::Service);
            assert_eq!(looks_up_a_service, expected.port.is_some(), "{url}: {:?}", winner.chain);
        }
    }
}

fn planes(answer: &Explanation) -> Vec<&str> {
    answer.answering.iter().map(|plane| plane.name.as_str()).collect()
}

#[test]
fn hosts_of_annotations_are_read() {
    let aliases = json!({"nginx.ingress.kubernetes.io/server-alias": "www.a.com, b.com,~^w[0-9]+\\.a\\.com$"});
    let objects =
        Objects::of_values(&[with("a", &aliases, Some("nginx"), "/"), with("b", &json!({}), Some("nginx"), "/cart")]);
    let www = objects.ask("http://www.a.com/pay");
    assert_eq!(who(&www).as_deref(), Some("Ingress web/a spec.rules[0].http.paths[0]"));
    let (_, winner) = www.winner.as_ref().expect("the alias answers");
    let link = &winner.chain[1];
    let alias = "metadata.annotations[nginx.ingress.kubernetes.io/server-alias]";
    assert_eq!((link.field.to_string(), &*link.message), (alias.to_owned(), "host www.a.com, an alias of a.com"));

    let named = objects.ask("http://b.com/pay");
    assert_eq!(who(&named), None, "a host that a rule names is not an alias of another Ingress");
    assert!(
        named.losers.iter().any(|loser| loser.reason == "another rule has this host, so the alias has no effect"),
        "{named:?}"
    );
    let within = objects.ask("http://w1.a.com/pay");
    assert_eq!(who(&within), who(&www), "an expression is evaluated");
}

#[test]
fn regular_expressions_are_read_where_annotations_ask_for_them() {
    let regex = json!({"nginx.ingress.kubernetes.io/use-regex": "true"});
    let objects = Objects::of_values(&[
        with("a", &regex, Some("nginx"), "/(cart|pay)/[0-9]+"),
        with("b", &json!({}), Some("nginx"), "/(cart|pay)/[0-9]+"),
    ]);
    let matched = objects.ask("http://a.com/Pay/12/x");
    let (_, winner) = matched.winner.expect("the expression answers");
    assert_eq!(winner.chain[2].message, "path pattern /(cart|pay)/[0-9]+");
    assert_eq!(who(&objects.ask("http://a.com/pay/x")), None);
    let plain = objects.ask("http://b.com/pay/12");
    let reason = &plain.losers.iter().find(|loser| loser.object.name == "b").expect("it is reported").reason;
    assert!(reason.ends_with("ImplementationSpecific: read as Prefix and not as an expression"), "{reason}");
}

#[test]
fn ingress_answers_in_each_of_its_classes() {
    let two = with("a", &json!({"kubernetes.io/ingress.class": "one"}), Some("two"), "/");
    let objects = Objects::of_values(&[two]);
    assert_eq!(planes(&objects.ask("http://a.com/")), ["IngressClass one (not found)", "IngressClass two (not found)"]);
    for class in ["one", "two"] {
        let answer = objects.ask(&format!("http://a.com/ --class {class}"));
        assert_eq!(who(&answer).as_deref(), Some("Ingress web/a spec.rules[0].http.paths[0]"), "{class}");
    }
}

#[test]
fn some_controllers_serve_ingresses_without_a_class_too() {
    for (class, is_joined) in [("traefik", true), ("contour", true), ("other", false)] {
        let none = with("a", &json!({}), None, "/");
        let objects = Objects::of_values(&[none, with("b", &json!({}), Some(class), "/")]);
        let answer = objects.ask("http://a.com/");
        let joined = format!("IngressClass {class} (not found)");
        let expected = if is_joined { joined } else { "Ingresses without a class".to_owned() };
        assert_eq!(planes(&answer), [expected]);
        let (_, winner) = answer.winner.expect("it answers");
        let message = format!("has no class; the controller of class {class} serves it, too");
        assert_eq!(winner.chain[0].message == message, is_joined, "{:?}", winner.chain[0]);
    }
}

/// With a controller that orders rules by length, by group or by conditions, `explain` agrees with the check
/// `host/wildcard-takes-host`.
#[test]
fn wildcard_wins_if_its_rule_has_precedence() {
    let priority = |value: &str| json!({"traefik.ingress.kubernetes.io/router.priority": value});
    let group = |order: &str| json!({"alb.ingress.kubernetes.io/group.name": "g", "alb.ingress.kubernetes.io/group.order": order});
    let methods = |list: &str| json!({"konghq.com/methods": list});
    let nothing = || json!({});
    for (class, wild, precise, expected) in [
        ("kong", nothing(), nothing(), "precise"),
        ("kong", methods("GET,PUT"), nothing(), "wild"),
        ("kong", methods("PUT"), nothing(), "precise"),
        ("kong", methods("GET"), methods("GET,PUT"), "precise"),
        ("kong", json!({"konghq.com/methods": "GET", "konghq.com/headers.x-team": "b"}), nothing(), "precise"),
        ("traefik", nothing(), nothing(), "precise"),
        ("traefik", priority("100"), nothing(), "wild"),
        ("traefik", nothing(), priority("100"), "precise"),
        ("traefik", priority("5"), nothing(), "precise"),
        ("alb", group("1"), group("2"), "wild"),
        ("alb", group("1000"), group("1"), "precise"),
        ("nginx", nothing(), nothing(), "precise"),
    ] {
        let ingress = |name: &str, host: &str, annotations: &serde_json::Value| {
            let mut value = with(name, annotations, Some(class), "/");
            value["spec"]["rules"][0]["host"] = json!(host);
            value
        };
        let objects = [ingress("wild", "*.example.com", &wild), ingress("precise", "a.example.com", &precise)];
        let answer = Objects::of_values(&objects).ask("http://a.example.com/");
        let (_, winner) = answer.winner.expect("it answers");
        assert_eq!(winner.object.name, expected, "{class} {wild} {precise}");
    }
}
