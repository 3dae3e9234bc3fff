//! Compares what explain says of Kong, the load balancers of GKE and the NGINX Ingress Controller by F5 with an oracle that reads the
//! objects' JSON, makes of each path what the controller makes of it, and tries one after the other.

use portcullis_core::explain::{Explanation, Reply, Request};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::worlds::{Objects, request, who};

const SEEDS: std::ops::Range<u64> = 0..900;
const REQUESTS: usize = 8;

/// The classes, each with its controller.
pub const CLASSES: [(&str, &str); 3] = [
    ("kong", "ingress-controllers.konghq.com/kong"),
    ("gce", "k8s.io/ingress-gce"),
    ("f5", "nginx.org/ingress-controller"),
];
const HOSTS: [&str; 4] = ["a.com", "*.a.com", "b.a.com", ""];
const PATHS: [&str; 8] = ["/", "/a", "/a/", "/a/b", "/ab", "/a.b", "/b", "/c/*"];
const TYPES: [&str; 3] = ["Prefix", "Exact", "ImplementationSpecific"];

/// Some Ingresses of one of the controllers. One of GKE has a load balancer of its own, so there is only one.
pub fn world(rng: &mut Rng) -> Vec<Value> {
    let (class, controller) = rng.pick(&CLASSES);
    let mut all = vec![json!({"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass",
        "metadata": {"name": class}, "spec": {"controller": controller}})];
    let ingresses = if class == "gce" { 1 } else { 1 + rng.below(3) };
    all.extend((0..ingresses).map(|number| ingress(rng, class, number)));
    all
}

fn ingress(rng: &mut Rng, class: &str, number: usize) -> Value {
    let service = |rng: &mut Rng| json!({"service": {"name": rng.pick(&["s", "t"]), "port": {"number": 80}}});
    let rule = |rng: &mut Rng| {
        let path = |rng: &mut Rng| {
            // The controller of F5 takes `*` as a letter, and that of GKE refuses it elsewhere than at the end of this type.
            let text = rng.pick(&PATHS[..if class == "gce" { 8 } else { 7 }]);
            let kind = if text.contains('*') { TYPES[2] } else { rng.pick(&TYPES) };
            json!({"path": text, "pathType": kind, "backend": service(rng)})
        };
        let paths: Vec<Value> = (0..1 + rng.below(3)).map(|_| path(rng)).collect();
        let host = rng.pick(&HOSTS[..if class == "f5" { 3 } else { 4 }]);
        let mut rule = json!({"http": {"paths": paths}});
        if !host.is_empty() {
            rule["host"] = host.into();
        }
        rule
    };
    let rules: Vec<Value> = (0..1 + rng.below(2)).map(|_| rule(rng)).collect();
    let mut ingress = json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"namespace": "web", "name": format!("i{number}"), "annotations": {},
            "creationTimestamp": format!("2026-01-0{}T00:00:00Z", 1 + number)},
        "spec": {"ingressClassName": class, "rules": rules}});
    let mut annotate = |key: &str, value: &str| ingress["metadata"]["annotations"][key] = value.into();
    match (class, rng.below(3)) {
        ("kong", 0) => annotate("konghq.com/strip-path", "true"),
        ("kong", 1) => annotate("konghq.com/protocols", "https"),
        ("gce", 0) => annotate("kubernetes.io/ingress.allow-http", "false"),
        ("f5", 0) => annotate("nginx.org/ssl-redirect", "false"),
        _ => {}
    }
    if rng.one_in(3) {
        ingress["spec"]["defaultBackend"] = service(rng);
    }
    if rng.one_in(2) {
        ingress["spec"]["tls"] = json!([{"hosts": ["a.com"], "secretName": "tls"}]);
    }
    ingress
}

/// What the controller does with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing answers.
    Nothing,
    /// The field of an Ingress answers with this text: the Service and the path that it gets, a redirect or a status code.
    Field(String, String),
    /// Which one of several answers is not known.
    Open,
}

impl Found {
    /// Whether a client and a backend see the same. Which of two paths of one Ingress answers makes no difference if both lead there.
    fn is_same(&self, other: &Self) -> bool {
        let ingress = |field: &str| field.split(" spec").next().map(str::to_owned);
        match (self, other) {
            (Self::Field(one, text), Self::Field(other, of_other)) => {
                text == of_other && ingress(one) == ingress(other)
            }
            _ => self == other,
        }
    }
}

/// A path of a rule, as the controller has it.
struct Location<'w> {
    ingress: &'w Value,
    field: String,
    backend: &'w Value,
    host: &'w str,
    /// Whether the whole path must match, and whether `.` stands for every letter then.
    is_whole: bool,
    is_expression: bool,
    text: String,
}

impl Location<'_> {
    fn matches(&self, path: &str) -> bool {
        let is_same = |(own, letter): (char, char)| own == letter || self.is_expression && own == '.';
        match self.is_whole {
            true => self.text.len() == path.len() && self.text.chars().zip(path.chars()).all(is_same),
            false => path.starts_with(&self.text),
        }
    }

    fn answers(&self, sent: &str) -> Found {
        let service = self.backend["service"]["name"].as_str().unwrap_or_default();
        self.says(&format!("{service} {sent}"))
    }

    fn says(&self, text: &str) -> Found {
        Found::Field(
            format!(
                "Ingress web/{} {}",
                self.ingress["metadata"]["name"].as_str().expect("the generated objects have it"),
                self.field
            ),
            text.to_owned(),
        )
    }

    fn annotation(&self, key: &str) -> &str {
        self.ingress["metadata"]["annotations"][key].as_str().unwrap_or_default()
    }
}

/// How specifically `host` matches `name`: by its length, and exactly rather than by a wildcard of one or more labels.
fn rank(host: &str, name: &str) -> Option<(bool, usize)> {
    match host.strip_prefix('*') {
        None if host.is_empty() => Some((false, 0)),
        None => (host == name).then_some((true, host.len())),
        Some(suffix) => (name.ends_with(suffix) && name.len() > suffix.len()).then_some((false, host.len())),
    }
}

/// The paths of all rules as the controller of `class` has them.
fn locations<'w>(class: &str, ingresses: &[&'w Value]) -> Vec<Location<'w>> {
    let mut all = Vec::new();
    for &ingress in ingresses {
        for (index, rule) in ingress["spec"]["rules"].as_array().into_iter().flatten().enumerate() {
            for (position, path) in rule["http"]["paths"].as_array().into_iter().flatten().enumerate() {
                let mut add = |is_whole: bool, text: String| {
                    all.push(Location {
                        ingress,
                        field: format!("spec.rules[{index}].http.paths[{position}]"),
                        backend: &path["backend"],
                        host: rule["host"].as_str().unwrap_or_default(),
                        is_whole,
                        is_expression: is_whole && class == "kong",
                        text,
                    });
                };
                let text = path["path"].as_str().expect("the generated objects have it");
                let base = text.trim_matches('/');
                match (class, path["pathType"].as_str().expect("the generated objects have it")) {
                    ("gce", "ImplementationSpecific") if text.ends_with('*') => {
                        add(false, text[..text.len() - 1].to_owned())
                    }
                    (_, "Exact") | ("gce", "ImplementationSpecific") => add(true, text.to_owned()),
                    ("f5", _) | ("kong", "ImplementationSpecific") => add(false, text.to_owned()),
                    (_, _) if base.is_empty() => add(false, "/".to_owned()),
                    (_, _) => {
                        add(true, format!("/{base}"));
                        add(false, format!("/{base}/"));
                    }
                }
            }
        }
    }
    all
}

/// What the controller of the world does with a request.
pub fn answer(world: &[Value], request: &Request) -> Found {
    let of_kind = |kind: &'static str| world.iter().filter(move |object| object["kind"] == kind);
    let ingresses: Vec<&Value> = of_kind("Ingress").collect();
    let Some(class) = ingresses.first().and_then(|ingress| ingress["spec"]["ingressClassName"].as_str()) else {
        return Found::Nothing;
    };
    // The others are known by the names of their classes.
    if class == "f5" && of_kind("IngressClass").next().is_none() {
        return Found::Open;
    }
    let all = locations(class, &ingresses);
    let mut ranks: Vec<(bool, usize)> = all.iter().filter_map(|location| rank(location.host, &request.host)).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let closed = |location: &Location<'_>| {
        class == "gce" && !request.is_secure && location.annotation("kubernetes.io/ingress.allow-http") == "false"
    };
    for best in ranks.iter().rev() {
        let mut own: Vec<&Location<'_>> =
            all.iter().filter(|location| rank(location.host, &request.host) == Some(*best)).collect();
        if class == "f5" {
            let created = |location: &&Location<'_>| {
                location.ingress["metadata"]["creationTimestamp"]
                    .as_str()
                    .expect("the generated objects have it")
                    .to_owned()
            };
            let oldest = own.iter().map(created).min();
            own.retain(|location| Some(created(location)) == oldest);
            let first = own[0];
            let listed = first.ingress["spec"]["tls"][0]["hosts"][0].as_str();
            let is_secured = !request.is_secure
                && listed == Some(first.host)
                && first.annotation("nginx.org/ssl-redirect") != "false";
            let redirect = format!("301 https://{}{}", request.host, request.target());
            let mut found = select(&own, request);
            let whole = own.iter().find(|location| location.text == request.path);
            let slashed =
                own.iter().find(|location| !location.is_whole && location.text == format!("{}/", request.path));
            if let (Some(location), None) = (slashed, whole) {
                let scheme = if request.is_secure { "https" } else { "http" };
                found = Some(location.says(&format!("301 {scheme}://{}{}/", request.host, request.path)));
            }
            let found = found.unwrap_or_else(|| default(&[first.ingress], request));
            return match found {
                Found::Field(field, _) if is_secured => Found::Field(field, redirect),
                other => other,
            };
        }
        if let Some(found) = select(&own, request) {
            return if own.iter().any(|location| closed(location)) { Found::Nothing } else { found };
        }
        // Only Kong tries wider hosts.
        if class == "gce" {
            return if closed(own[0]) { Found::Nothing } else { default(&ingresses, request) };
        }
    }
    match class {
        "f5" => Found::Nothing,
        "gce" if all.first().is_some_and(closed) => Found::Nothing,
        _ => default(&ingresses, request),
    }
}

/// The location among those of one host that answers.
fn select(own: &[&Location<'_>], request: &Request) -> Option<Found> {
    let key = |location: &&&Location<'_>| (location.is_whole, location.text.len());
    let matching = || own.iter().filter(|location| location.matches(&request.path));
    // The first of those that an Ingress repeats.
    let best = own.iter().rev().filter(|location| location.matches(&request.path)).max_by_key(key)?;
    let annotations = |location: &Location<'_>| location.ingress["metadata"]["annotations"].clone();
    let is_other = |other: &Location<'_>| other.backend != best.backend || annotations(other) != annotations(best);
    let is_open = matching().any(|other| key(&other) == key(&best) && is_other(other));
    if is_open {
        return Some(Found::Open);
    }
    let protocols = best.annotation("konghq.com/protocols");
    if protocols == "https" && !request.is_secure {
        return Some(best.says("426"));
    }
    let sent = match best.annotation("konghq.com/strip-path") {
        "true" if best.is_whole => "/".to_owned(),
        "true" => format!("/{}", request.path[best.text.len()..].trim_start_matches('/')),
        _ => request.path.clone(),
    };
    Some(best.answers(&sent))
}

/// What the oldest default backend does with a request.
fn default(ingresses: &[&Value], request: &Request) -> Found {
    let mut own = ingresses.iter().filter(|ingress| !ingress["spec"]["defaultBackend"].is_null());
    let Some(first) = own.next() else { return Found::Nothing };
    let (name, service) = (&first["metadata"]["name"], &first["spec"]["defaultBackend"]["service"]["name"]);
    let field = format!("Ingress web/{} spec.defaultBackend", name.as_str().expect("the generated objects have it"));
    Found::Field(field, format!("{} {}", service.as_str().expect("the generated objects have it"), request.path))
}

/// What explain says, in the form of the oracle.
fn said(answer: &Explanation) -> Found {
    let Some((_, winner)) = &answer.winner else { return Found::Nothing };
    let text = match &winner.outcome.reply {
        Reply::Unknown(_) => return Found::Open,
        Reply::Redirect { code, location } => format!("{code} {location}"),
        Reply::Response { code, .. } => code.map_or_else(String::new, |code| code.to_string()),
        Reply::Forward(forward) => format!("{} {}", forward.backends[0].name, forward.request.path),
    };
    Found::Field(who(answer).expect("a winner"), text)
}

#[test]
fn controllers_answer_as_the_oracle_says() {
    let (mut services, mut others, mut nothing, mut open) = (0, 0, 0, 0);
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let world = world(&mut rng);
        let objects = Objects::of_values(&world);
        for _ in 0..REQUESTS {
            let host = rng.pick(&["a.com", "b.a.com", "c.b.a.com", "x.org"]);
            let path =
                rng.pick(&["/", "/a", "/a/", "/a/b", "/a/b/", "/ab", "/a.b", "/axb", "/a.b/c", "/b/c", "/c/x", "/c"]);
            let url = format!("{}://{host}{path}", rng.pick(&["http", "https"]));
            let expected = answer(&world, &request(&url).0);
            let found = said(&objects.ask(&url));
            open += usize::from(found == Found::Open);
            // What is not known is never wrong.
            assert!(
                found.is_same(&expected) || found == Found::Open,
                "seed {seed}: {url}: {found:?}, not {expected:?} in {world:#?}"
            );
            match found {
                Found::Field(_, text) if text.starts_with(['s', 't']) => services += 1,
                Found::Field(..) => others += 1,
                Found::Nothing => nothing += 1,
                Found::Open => {}
            }
        }
    }
    let seen = [services, others, nothing, open];
    assert!(services > 1500 && others > 150 && nothing > 500 && open < 500, "{seen:?}");
}
