//! What is reported to be the same is the same for every request, and what differs is reported.

use std::collections::BTreeMap;

use portcullis_core::compare::{Difference, HostResult, Kept, Overall, Pairing, Side, compare};
use portcullis_core::explain::{Explanation, ForwardedRequest, PlaneAnswer, Reply, Request, Scope, Snapshot};
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::{ENDPOINTS, compared, of_host, side};
use crate::explain::worlds::{Objects, who};
use crate::explain::{delegations, ingresses, proxies, routes};

/// A pair of worlds has one of these seeds. `PAIRS` in the environment asks for more.
pub(super) fn seeds() -> std::ops::Range<u64> {
    0..std::env::var("PAIRS").ok().and_then(|pairs| pairs.parse().ok()).unwrap_or(400)
}

const REQUESTS: usize = 40;

const HOSTS: [&str; 4] = ["a.com", "b.com", "*.a.com", "www.a.com"];
const PATHS: [&str; 8] = ["/", "/a", "/a/", "/a/b", "/ab", "/A", "/b", "/a/b/c"];
const EXPRESSIONS: [&str; 7] = ["/a(/|$)(.*)", "/[ab]+", "/a/?(.*)", "/.*", "/(a|b)/[0-9]+", "/a.*c", r"/b\d*"];

/// Ingresses of ingress-nginx with expressions, rewrites, canaries and redirects.
fn nginx(rng: &mut Rng) -> Vec<Value> {
    let mut all = vec![json!({"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass",
        "metadata": {"name": "nginx"}, "spec": {"controller": "k8s.io/ingress-nginx"}})];
    for number in 0..1 + rng.below(3) {
        let mut annotations = json!({});
        let mut annotate = |name: &str, value: &str| {
            annotations[format!("nginx.ingress.kubernetes.io/{name}")] = value.into();
        };
        let is_regex = rng.one_in(3);
        if is_regex {
            annotate("use-regex", "true");
        }
        match rng.below(8) {
            0 => annotate("rewrite-target", rng.pick(&["/$2", "/$1", "/b", "/"])),
            1 => annotate("app-root", "/b"),
            2 => annotate("ssl-redirect", "false"),
            3 => annotate("force-ssl-redirect", "true"),
            4 => annotate("from-to-www-redirect", "true"),
            5 => annotate("permanent-redirect", "https://x.org/y"),
            _ => {}
        }
        if number > 0 && rng.one_in(3) {
            annotate("canary", "true");
            match rng.below(3) {
                0 => annotate("canary-by-header", "x-c"),
                1 => annotate("canary-by-cookie", "c"),
                _ => annotate("canary-weight", "20"),
            }
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
        all.push(ingress);
    }
    all
}

/// A Gateway with routes, whose paths may be expressions.
fn gateway(rng: &mut Rng) -> Vec<Value> {
    let mut all = routes::world(rng);
    for route in all.iter_mut().filter(|object| object["kind"] == "HTTPRoute") {
        for rule in route["spec"]["rules"].as_array_mut().into_iter().flatten() {
            for matched in rule["matches"].as_array_mut().into_iter().flatten() {
                if rng.one_in(3) {
                    matched["path"] = json!({"type": "RegularExpression", "value": rng.pick(&EXPRESSIONS)});
                }
            }
            if rng.one_in(4) {
                let path = rng.pick(&["/z", "/", "/a"]);
                rule["filters"] = json!([{"type": "URLRewrite", "urlRewrite":
                    {"path": {"type": "ReplaceFullPath", "replaceFullPath": path}}}]);
            }
        }
    }
    all
}

pub(super) fn world(rng: &mut Rng) -> Vec<Value> {
    let mut all = match rng.below(5) {
        0 => ingresses::world(rng),
        1 => proxies::world(rng),
        2 => delegations::world(rng),
        3 => nginx(rng),
        _ => gateway(rng),
    };
    all.extend(services());
    all
}

/// The Services that the rules of all worlds name.
pub fn services() -> impl Iterator<Item = Value> {
    let names = ["web", "web-2", "api", "infra"].into_iter().flat_map(|namespace| [(namespace, "s"), (namespace, "t")]);
    names.map(|(namespace, name)| {
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"namespace": namespace, "name": name},
            "spec": {"ports": [{"port": 80}]}})
    })
}

/// Another world, which differs in one value or object.
pub fn changed(world: &[Value], rng: &mut Rng) -> Vec<Value> {
    let mut world = world.to_vec();
    if rng.one_in(6) {
        world.remove(rng.below(world.len()));
        return world;
    }
    let mut texts = Vec::new();
    let has_rules = |object: &&mut Value| object["kind"] != "IngressClass";
    world.iter_mut().filter(has_rules).for_each(|object| collect(&mut object["spec"], &mut texts));
    if !texts.is_empty() {
        let chosen = rng.below(texts.len());
        let text = &mut texts[chosen];
        let others: &[&str] = match text.as_str().unwrap_or_default() {
            path if path.starts_with('/') => &PATHS,
            "s" | "t" => &["s", "t"],
            host if host.contains('.') => &HOSTS,
            "GET" | "POST" => &["GET", "POST", "PUT"],
            "1" | "2" => &["1", "2", "3"],
            _ => return world,
        };
        **text = rng.pick(others).into();
    }
    world
}

/// The texts in a value.
fn collect<'v>(value: &'v mut Value, texts: &mut Vec<&'v mut Value>) {
    match value {
        Value::String(_) => texts.push(value),
        Value::Array(all) => all.iter_mut().for_each(|value| collect(value, texts)),
        Value::Object(all) => all.values_mut().for_each(|value| collect(value, texts)),
        _ => {}
    }
}

pub(super) fn random(rng: &mut Rng) -> Request {
    let (is_secure, port) = rng.pick(&ENDPOINTS);
    let host = rng.pick(&["a.com", "b.com", "b.a.com", "www.a.com", "x.y.a.com", "c.b.a.com", "other.org", "com"]);
    let elements = ["a", "b", "ab", "c", "A", "7", "a7", "x", "aXc"];
    let mut path: String = (0..rng.below(4)).map(|_| format!("/{}", rng.pick(&elements))).collect();
    if path.is_empty() || rng.one_in(4) {
        path.push('/');
    }
    let headers: Vec<String> = [("h", "1"), ("h", "2"), ("k", "1"), ("x-c", "always"), ("cookie", "c=always")]
        .into_iter()
        .filter(|_| rng.one_in(5))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let query = if rng.one_in(4) { rng.pick(&["?h=1", "?k=2", "?h=2&k=1"]) } else { "" };
    let scheme = if is_secure { "https" } else { "http" };
    let method = rng.pick(&["GET", "GET", "POST", "PUT", "OPTIONS"]);
    Request::parse(method, &format!("{scheme}://{host}{path}{query}"), &headers, None, Some(port)).expect("a request")
}

/// The same, where a redirect to HTTPS that leads nowhere is nothing.
fn got(world: &Snapshot<'_>, request: &Request) -> BTreeMap<String, (Option<String>, String)> {
    let every = Scope::default();
    let mut all = reply(world, request, &every);
    let upgraded = format!(" https://{}", request.host);
    let (sni, port) = (Some(request.host.clone()), 443);
    let followed = reply(world, &Request { is_secure: true, port, sni, ..request.clone() }, &every);
    for (plane, (_, words)) in &mut all {
        let is_upgrade = !request.is_secure && words.contains(&upgraded);
        if is_upgrade && followed.get(plane).is_none_or(|(winner, _)| winner.is_none()) {
            *words = "nowhere".to_owned();
        }
    }
    all
}

/// What a client gets from each data plane, with the rule and as text.
fn reply(world: &Snapshot<'_>, request: &Request, scope: &Scope) -> BTreeMap<String, (Option<String>, String)> {
    let words = |answer: &PlaneAnswer| match answer.winner.as_ref().map(|winner| &winner.outcome.reply) {
        None => "nothing".to_owned(),
        Some(Reply::Forward(forward)) if forward.is_answered() => {
            let mut shares: BTreeMap<String, f64> = BTreeMap::new();
            for backend in forward.backends.iter().filter(|backend| backend.share > 0.0) {
                *shares.entry(format!("{}/{} {:?}", backend.namespace, backend.name, backend.port)).or_default() +=
                    backend.share;
            }
            let ForwardedRequest { path, host, headers, .. } = &forward.request;
            format!("{shares:?} {path} {host} {headers:?}")
        }
        Some(Reply::Forward(_) | Reply::Response { code: Some(503), .. }) => "failure".to_owned(),
        // The slash at the end of a path is not compared, but noted.
        Some(Reply::Redirect { code, location }) => format!("{code} {}", location.trim_end_matches('/')),
        Some(Reply::Response { code, .. }) => format!("{code:?}"),
        Some(Reply::Unknown(_)) => "unknown".to_owned(),
    };
    let answers = world.answers(request, scope).into_iter();
    let winner =
        |answer: &PlaneAnswer| answer.winner.as_ref().map(|winner| format!("{} {}", winner.object, winner.field));
    answers.map(|answer| (answer.plane.name.replace(" (not found)", ""), (winner(&answer), words(&answer)))).collect()
}

/// Whether a difference is between these rules.
pub(super) fn is_between(difference: &Difference, rules: [Option<&String>; 2]) -> bool {
    let own = |answer: &Explanation| who(answer);
    [own(&difference.before).as_ref(), own(&difference.after).as_ref()] == rules
}

#[test]
fn each_different_answer_is_reported() {
    let (mut different, mut same) = (0, 0);
    for seed in seeds() {
        let mut rng = Rng::new(seed);
        let before = world(&mut rng);
        let after = changed(&before, &mut rng);
        let requests: Vec<Request> = (0..REQUESTS).map(|_| random(&mut rng)).collect();
        compared(&before, &after, Pairing::ByName, |one, other, results: &[HostResult]| {
            for request in &requests {
                let (was, is) = (got(one, request), got(other, request));
                let raw = [one, other].map(|world| reply(world, request, &Scope::default()));
                let nothing = (None, "nothing".to_owned());
                for plane in was.keys().chain(is.keys()) {
                    let ((winner, was), (other, is)) =
                        (was.get(plane).unwrap_or(&nothing), is.get(plane).unwrap_or(&nothing));
                    let is_nothing = |words: &str| matches!(words, "nothing" | "nowhere");
                    let raw = raw.each_ref().map(|all| all.get(plane).map(|(_, words)| words));
                    if raw[0] == raw[1] || was == is || is_nothing(was) && is_nothing(is) {
                        continue;
                    }
                    let result = of_host(results, |result| &result.host, &request.host);
                    let found = result.differences.iter();
                    let is_reported = !result.not_compared.is_empty()
                        || found
                            .into_iter()
                            .any(|difference| is_between(difference, [winner.as_ref(), other.as_ref()]));
                    assert!(
                        is_reported,
                        "seed {seed}: {} {} {:?}: {winner:?} {was}, then {other:?} {is}\nbefore {before:#?}\nafter {after:#?}\nfound {:#?}",
                        request.method,
                        request.url(),
                        request.headers,
                        result.differences
                    );
                    different += 1;
                }
            }
            same += results.iter().filter(|result| result.overall() == Overall::Same).count();
        });
    }
    assert!(
        different > 300 && same > 500,
        "{different} requests were answered differently, {same} hosts were the same"
    );
}

/// A migration: an ingress-nginx against a Gateway, whose rules were made independently.
#[test]
fn each_different_answer_of_a_migration_is_reported() {
    let (class, gateway) = (
        Scope { class: Some("nginx".to_owned()), gateway: None },
        Scope { class: None, gateway: Some(ObjectRef::new(Kind::Gateway, "infra", "g0")) },
    );
    let (mut different, mut same) = (0, 0);
    for seed in 0..seeds().end / 4 {
        let mut rng = Rng::new(seed);
        let all: Vec<Value> = nginx(&mut rng).into_iter().chain(self::gateway(&mut rng)).chain(services()).collect();
        Objects::whole(&all).with(|world| {
            let [before, after] = [&class, &gateway].map(|scope| Side { scope, ..side(world) });
            let results = compare(before, after, Pairing::All, &ENDPOINTS, Kept::ALL);
            for _ in 0..REQUESTS {
                let request = random(&mut rng);
                let [was, is] = [&class, &gateway].map(|scope| one(world, &request, scope));
                let result = of_host(&results, |result| &result.host, &request.host);
                // What a client does not trust may be given up.
                let is_given_up = !was.is_verifiable && is.winner.is_none();
                let is_same = was.words == is.words || was.effect == is.effect;
                if is_same || is_given_up || !result.not_compared.is_empty() {
                    same += 1;
                    continue;
                }
                let rules = [&was, &is].map(|answer| answer.winner.as_ref());
                let mut found = result.differences.iter();
                assert!(
                    found.any(|difference| is_between(difference, rules)),
                    "seed {seed}: {} {} {:?}: {was:?}, then {is:?} in {all:#?}, found {:#?}",
                    request.method,
                    request.url(),
                    request.headers,
                    result.differences
                );
                different += 1;
            }
        });
    }
    assert!(different > 100 && same > 100, "{different} requests were answered differently, {same} were not");
}

/// What a client gets.
#[derive(Debug)]
struct Got {
    winner: Option<String>,
    words: String,
    /// The same, where a redirect to HTTPS that leads nowhere is nothing.
    effect: String,
    /// Whether a client can verify the certificate.
    is_verifiable: bool,
}

/// What a client gets from the only data plane of a scope.
fn one(world: &Snapshot<'_>, request: &Request, scope: &Scope) -> Got {
    let get = |request: &Request| reply(world, request, scope).into_values().next();
    let (winner, words) = get(request).unwrap_or((None, "nothing".to_owned()));
    let is_upgrade = !request.is_secure && words.contains(&format!(" https://{}", request.host));
    let (sni, port) = (Some(request.host.clone()), 443);
    let followed = || get(&Request { is_secure: true, port, sni, ..request.clone() });
    let leads_nowhere = is_upgrade && followed().is_none_or(|(winner, _)| winner.is_none());
    let effect = if leads_nowhere { "nothing".to_owned() } else { words.clone() };
    let is_verifiable = world.answers(request, scope).iter().all(|answer| answer.is_verifiable);
    Got { winner, words, effect, is_verifiable }
}

/// The order of documents, and defaults that are written, change nothing.
#[test]
fn equivalent_manifests_are_the_same() {
    for seed in seeds() {
        let mut rng = Rng::new(seed);
        let before = world(&mut rng);
        let mut after = before.clone();
        // Without ages, names decide.
        rng.shuffle(&mut after);
        compared(&before, &after, Pairing::ByName, |_, _, results| {
            let other: Vec<&HostResult> = results.iter().filter(|result| !result.differences.is_empty()).collect();
            assert!(other.is_empty(), "seed {seed}: {other:#?} of {before:#?}");
        });
    }
}
