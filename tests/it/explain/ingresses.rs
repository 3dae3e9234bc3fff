//! Random Ingresses and requests, against a reading of the objects' JSON that tries one rule after the other.

use serde_json::{Value, json};

use super::worlds::{Objects, request, who};
use crate::properties::dice::Dice;

const SEEDS: std::ops::Range<u64> = 0..1500;
const REQUESTS: usize = 5;
const HOSTS: [&str; 9] = ["", "a.com", "*.a.com", "b.a.com", "*.b.a.com", "*.com", "com", "A.com", "x_y"];
const PATHS: [&str; 11] = ["", "/", "/a", "/a/", "/a/b", "/a/b/", "/ab", "/a//b", "//", "a", "/a/b/c"];
const TYPES: [&str; 7] = ["Prefix", "Prefix", "Prefix", "Exact", "Exact", "ImplementationSpecific", "Odd"];
const CLASSES: [&str; 3] = ["one", "two", ""];

/// Some Ingresses, and at times classes of which one or two are the default.
pub fn world(dice: &mut Dice) -> Vec<Value> {
    let mut objects: Vec<Value> = (0..1 + dice.below(4)).map(|number| ingress(dice, number)).collect();
    for name in ["one", "two"] {
        if dice.one_in(3) {
            let mut class = json!({"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass",
                "metadata": {"name": name}, "spec": {"controller": "example.com/c"}});
            class["metadata"]["annotations"]["ingressclass.kubernetes.io/is-default-class"] = "true".into();
            age(&mut class, dice);
            objects.push(class);
        }
    }
    objects
}

fn age(object: &mut Value, dice: &mut Dice) {
    if !dice.one_in(3) {
        let day = dice.pick(&["01", "02", "03"]);
        object["metadata"]["creationTimestamp"] = format!("2026-01-{day}T00:00:00Z").into();
    }
}

fn ingress(dice: &mut Dice, number: usize) -> Value {
    let service = |dice: &mut Dice| json!({"service": {"name": dice.pick(&["s", "t"]), "port": {"number": 80}}});
    let mut rules = Vec::new();
    for _ in 0..dice.below(4) {
        let mut rule = json!({});
        let host = dice.pick(&HOSTS);
        if !host.is_empty() {
            rule["host"] = host.into();
        }
        if !dice.one_in(6) {
            let path = |dice: &mut Dice| {
                let kind = dice.pick(&TYPES);
                let mut path = json!({"pathType": kind, "backend": service(dice)});
                let text = dice.pick(&PATHS);
                if !text.is_empty() {
                    path["path"] = text.into();
                }
                path
            };
            rule["http"]["paths"] = (0..1 + dice.below(4)).map(|_| path(dice)).collect();
        }
        rules.push(rule);
    }
    let namespace = dice.pick(&["web", "web-2", "api"]);
    let mut ingress = json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"namespace": namespace, "name": format!("i{number}")}, "spec": {"rules": rules}});
    let class = dice.pick(&CLASSES);
    if !class.is_empty() {
        ingress["spec"]["ingressClassName"] = class.into();
    }
    if dice.one_in(8) {
        ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/canary"] = "true".into();
    }
    if dice.one_in(4) {
        ingress["spec"]["defaultBackend"] = service(dice);
    }
    age(&mut ingress, dice);
    ingress
}

/// A URL out of the pieces that the rules are made of.
pub fn url(dice: &mut Dice) -> String {
    let host =
        dice.pick(&["a.com", "b.a.com", "c.b.a.com", "c.a.com", "com", "B.a.COM", "d.c.b.a.com", "org", "x.org"]);
    let elements = ["", "a", "b", "ab", "c", "q"];
    let path: String = (0..dice.below(4)).map(|_| format!("/{}", dice.pick(&elements))).collect();
    let scheme = dice.pick(&["http", "https"]);
    format!("{scheme}://{host}{}{path}", dice.pick(&["", ":8080"]))
}

/// A time as text, those without one last; then the place.
fn seniority(object: &Value) -> (bool, String, String) {
    let metadata = &object["metadata"];
    let created = metadata["creationTimestamp"].as_str();
    let text = |field: &str| metadata[field].as_str().unwrap_or_default();
    (created.is_none(), created.unwrap_or_default().to_owned(), format!("{}/{}", text("namespace"), text("name")))
}

/// The class that serves an Ingress, given the rest.
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

/// How well `host` takes a request for `name`: 2 by name, 1 by one label, 0 as every host takes it.
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

/// The elements that count, and how long the path was written; `None` where it does not take the request.
fn path_rank(path: &Value, request: &str) -> Option<(bool, usize, usize, bool)> {
    let written = path["path"].as_str().unwrap_or_default();
    let meant = if written.is_empty() { "/" } else { written };
    match path["pathType"].as_str()? {
        "Exact" => (meant == request).then_some((true, 0, 0, true)),
        kind @ ("Prefix" | "ImplementationSpecific") => {
            let mut elements: Vec<&str> = meant.split('/').collect();
            while elements.len() > 1 && elements.last() == Some(&"") {
                elements.pop();
            }
            let asked: Vec<&str> = request.split('/').collect();
            let taken = asked.len() >= elements.len() && asked[..elements.len()] == elements[..];
            taken.then_some((false, elements.len(), meant.len(), kind == "Prefix"))
        }
        _ => None,
    }
}

/// Who answers in one class: the place and the field.
fn answer_in(class: Option<&str>, world: &[Value], host: &str, path: &str) -> Option<(String, bool)> {
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

pub fn answer_as_the_oracle_says() {
    let (mut by_rule, mut by_default, mut by_nobody, mut ambiguous) = (0, 0, 0, 0);
    for seed in SEEDS {
        let mut dice = Dice::new(seed);
        let world = world(&mut dice);
        let objects = Objects::of_values(&world);
        for _ in 0..REQUESTS {
            let url = url(&mut dice);
            let parsed = request(&url).0;
            let asked = |class: Option<&str>| answer_in(class, &world, &parsed.host, &parsed.path);
            for class in ["one", "two", "three"] {
                let answer = objects.ask(&format!("{url} --class {class}"));
                let expected = asked(Some(class)).map(|(who, _)| who);
                assert_eq!(who(&answer), expected, "seed {seed}: {url} of {class} in {world:?}");
            }
            // Of all classes: by rule before by default, then by name, what has no class last.
            let answers = [Some("one"), Some("two"), None].map(asked);
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

pub fn an_unknown_meaning_is_read_as_prefix_and_says_so() {
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
    let because = |words: &str, name: &str| {
        let answer = objects.ask(words);
        let lost = answer.losers.into_iter().find(|loser| loser.object.name == name);
        lost.unwrap_or_else(|| panic!("{name} answers {words}")).because
    };
    assert_eq!(because("http://a.com/cart/1", "a"), "Ingress web/b has the path as Prefix");
    assert_eq!(because("http://a.com/cart/1", "c"), "path /pay, ImplementationSpecific: read as Prefix");
    let pay = objects.ask("http://a.com/pay/1");
    let (_, winner) = pay.winner.expect("somebody answers");
    let says: Vec<&str> = winner.chain.iter().map(|link| link.says.as_str()).collect();
    let expected = [
        "there is no such class",
        "host a.com",
        "path /pay, ImplementationSpecific: read as Prefix",
        "there is no such Service: no answer for its share",
    ];
    assert_eq!(says, expected);
}
