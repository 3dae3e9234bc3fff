//! What is reported to be the same is the same for evaluators that read the JSON of the objects, try one rule after the other, and know
//! nothing of regions; and what is reported to differ differs for them.

use std::collections::BTreeMap;

use portcullis_core::compare::{Change, ChangeKind, HostResult, Overall, Pairing, Verdict};
use portcullis_core::explain::Request;
use portcullis_testing::rng::Rng;
use serde_json::Value;

use super::promise::{changed, is_between, random, seeds, services};
use super::{ENDPOINTS, of_files, of_host};
use crate::explain::controllers::{self, Found};
use crate::explain::delegations::{self, Expected};
use crate::explain::{ingresses, proxies, routes};

/// The pairs for which every request of a small universe is evaluated; for the others, some random ones.
const ENUMERATED: u64 = 12;
const REQUESTS: usize = 60;

/// The rule that answers in a data plane, and what a client gets. A redirect to HTTPS that leads nowhere is nothing.
type Answer = Option<(String, String)>;

/// Objects of one API, and what their data planes answer, in a fixed order.
struct Api {
    world: fn(&mut Rng) -> Vec<Value>,
    answers: fn(&[Value], &Request) -> Vec<Answer>,
    /// Whether methods, headers and parameters are told apart.
    has_conditions: bool,
}

const APIS: [Api; 5] = [
    Api { world: ingresses::world, answers: of_ingresses, has_conditions: false },
    Api { world: routes::world, answers: of_routes, has_conditions: true },
    Api { world: delegations::world, answers: of_ingress_routes, has_conditions: false },
    Api { world: proxies::world, answers: of_proxies, has_conditions: true },
    Api { world: controllers::world, answers: of_controllers, has_conditions: false },
];

/// An answer that is not known.
const OPEN: &str = "open";

/// What a controller answers with rules of its own.
fn of_controllers(world: &[Value], request: &Request) -> Vec<Answer> {
    let answer = match controllers::answer(world, request) {
        Found::Nothing => None,
        Found::Open => Some((OPEN.to_owned(), OPEN.to_owned())),
        Found::Field(field, text) => {
            let (sni, port) = (Some(request.host.clone()), 443);
            let followed = || controllers::answer(world, &Request { is_secure: true, port, sni, ..request.clone() });
            let leads_nowhere = text.contains(" https://") && !request.is_secure && followed() == Found::Nothing;
            (!leads_nowhere).then_some((field, text))
        }
    };
    vec![answer]
}

fn of_ingresses(world: &[Value], request: &Request) -> Vec<Answer> {
    let of_class = |class: Option<&str>| {
        let (rule, is_default) = ingresses::answer_in(class, world, &request.host, &request.path)?;
        let (ingress, field) = named(world, &rule);
        let backend = if is_default { field } else { &field["backend"] };
        Some((rule, of_service(world, ingress, &backend["service"])))
    };
    [Some("one"), Some("two"), None].map(of_class).into()
}

fn of_routes(world: &[Value], request: &Request) -> Vec<Answer> {
    let of_gateway = |name: &str| {
        let gateway = world.iter().find(|object| object["kind"] == "Gateway" && object["metadata"]["name"] == name)?;
        let rule = routes::answer_of(gateway, world, request)?;
        let (route, field) = named(world, rule.split(".matches").next().unwrap_or_default());
        Some((rule, of_service(world, route, &field["backendRefs"][0])))
    };
    ["g0", "g1"].map(of_gateway).into()
}

/// What the Service answers that `object` names.
fn of_service(world: &[Value], object: &Value, service: &Value) -> String {
    let (namespace, name) = (&object["metadata"]["namespace"], &service["name"]);
    let is_meant = |other: &Value| {
        let metadata = &other["metadata"];
        other["kind"] == "Service" && metadata["namespace"] == *namespace && metadata["name"] == *name
    };
    if world.iter().any(is_meant) { format!("{namespace} {name}") } else { "no service".to_owned() }
}

fn of_ingress_routes(world: &[Value], request: &Request) -> Vec<Answer> {
    of_classes(world, request, delegations::answer_in)
}

fn of_proxies(world: &[Value], request: &Request) -> Vec<Answer> {
    of_classes(world, request, proxies::answer_in)
}

fn of_classes(world: &[Value], request: &Request, answer_in: fn(&str, &[Value], &Request) -> Expected) -> Vec<Answer> {
    let of_class = |class: &str| {
        let (rule, shares, is_redirected) = answer_in(class, world, request)?;
        let (object, field) = named(world, &rule);
        let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
        for (service, share) in &shares {
            *sums.entry(service).or_default() += share.parse::<f64>().expect("a share");
        }
        sums.retain(|_, share| *share > 0.0);
        let reply = if is_redirected {
            let (sni, port) = (Some(request.host.clone()), 443);
            answer_in(class, world, &Request { is_secure: true, port, sni, ..request.clone() })?;
            "redirect".to_owned()
        } else if field["directResponsePolicy"].is_object() {
            "response".to_owned()
        } else if rule.contains("spec.includes[") {
            "no object".to_owned()
        } else if sums.is_empty() {
            "no service".to_owned()
        } else {
            format!("{} {sums:.2?}", object["metadata"]["namespace"])
        };
        Some((rule, reply))
    };
    ["contour", "other"].map(of_class).into()
}

/// What a client gets from each data plane.
fn replies(answers: Vec<Answer>) -> Vec<Option<String>> {
    answers.into_iter().map(|answer| answer.map(|(_, reply)| reply)).collect()
}

/// The object and the field of a rule that is written as `Kind namespace/name field`.
fn named<'w>(world: &'w [Value], rule: &str) -> (&'w Value, &'w Value) {
    let mut words = rule.split(' ');
    let (kind, object_ref, field) = (words.next(), words.next().expect("an object"), words.next().expect("a field"));
    let (namespace, name) = object_ref.split_once('/').expect("namespace/name");
    let is_meant = |object: &&Value| {
        let metadata = &object["metadata"];
        Some(object["kind"].as_str().unwrap_or_default()) == kind
            && metadata["namespace"] == namespace
            && metadata["name"] == name
    };
    let object = world.iter().find(is_meant).expect("the object of the rule");
    let pointer = format!("/{}", field.replace(['.', '['], "/").replace(']', ""));
    (object, object.pointer(&pointer).expect("the field of the rule"))
}

/// Every request of a small universe.
fn universe(has_conditions: bool) -> Vec<Request> {
    let elements = ["a", "b", "ab", "A"];
    let one = elements.map(|element| format!("/{element}"));
    let two = one.iter().flat_map(|first| elements.map(|second| format!("{first}/{second}")));
    let paths: Vec<String> = [String::new()].into_iter().chain(one.clone()).chain(two).collect();
    let slashed = paths.iter().map(|path| format!("{path}/"));
    let paths: Vec<String> = paths.iter().skip(1).cloned().chain(slashed).collect();
    let some: &[&str] = if has_conditions { &["GET", "POST"] } else { &["GET"] };
    let headers: &[&[&str]] = if has_conditions { &[&[], &["h=1"], &["h=2"], &["h=1", "k=1"]] } else { &[&[]] };
    let queries: &[&str] = if has_conditions { &["", "?h=1", "?h=2&k=1"] } else { &[""] };
    let hosts: &[&str] = if has_conditions { &["a.com", "b.a.com"] } else { &["a.com", "b.com", "b.a.com", "org"] };
    let mut all = Vec::new();
    for (host, path) in hosts.iter().flat_map(|host| paths.iter().map(move |path| (host, path))) {
        for (method, query) in some.iter().flat_map(|method| queries.iter().map(move |query| (method, query))) {
            for (headers, (is_secure, port)) in headers.iter().flat_map(|headers| ENDPOINTS.map(|end| (headers, end))) {
                let scheme = if is_secure { "https" } else { "http" };
                let headers: Vec<String> = headers.iter().map(|header| (*header).to_owned()).collect();
                let url = format!("{scheme}://{host}{path}{query}");
                all.push(Request::parse(method, &url, &headers, None, Some(port)).expect("a request"));
            }
        }
    }
    all
}

#[test]
fn evaluators_without_regions_agree() {
    let universes = [false, true].map(universe);
    let (mut different, mut same, mut reported) = (0, 0, 0);
    for seed in 0..seeds().end * 5 / 8 {
        let api = &APIS[seed as usize % APIS.len()];
        let mut rng = Rng::new(seed);
        let mut before = (api.world)(&mut rng);
        before.extend(services());
        let after = changed(&before, &mut rng);
        let requests = match seed / (APIS.len() as u64) < ENUMERATED {
            true => universes[usize::from(api.has_conditions)].clone(),
            false => (0..REQUESTS).map(|_| random(&mut rng)).collect(),
        };
        let got = |request: &Request| [&before, &after].map(|world| (api.answers)(world, request));
        let told = || format!("seed {seed}: before {before:#?}\nafter {after:#?}");
        of_files(&before, &after, Pairing::ByName, |results: &[HostResult]| {
            for request in &requests {
                let [was, is] = got(request);
                let result = of_host(results, |result| &result.host, &request.host);
                for (was, is) in was.iter().zip(&is) {
                    let [before, after] = [was, is].map(|answer| answer.as_ref().map(|(_, reply)| reply));
                    let is_open = [before, after].into_iter().flatten().any(|reply| reply == OPEN);
                    if before == after || is_open || !result.not_compared.is_empty() {
                        continue;
                    }
                    let rules = [was, is].map(|answer| answer.as_ref().map(|(rule, _)| rule));
                    let is_reported = result.differences.iter().any(|difference| match rules {
                        [Some(_), Some(_)] => is_between(difference, rules),
                        // A redirect that leads nowhere has a rule.
                        [one, other] => {
                            let own = [&difference.before, &difference.after].map(crate::explain::worlds::who);
                            one.is_none_or(|rule| own[0].as_ref() == Some(rule))
                                && other.is_none_or(|rule| own[1].as_ref() == Some(rule))
                        }
                    });
                    let url = request.url();
                    assert!(
                        is_reported,
                        "{} {url} {:?}: {was:?}, then {is:?}, found {:#?}\n{}",
                        request.method,
                        request.headers,
                        result.differences,
                        told()
                    );
                    different += 1;
                }
            }
            for difference in results.iter().flat_map(|result| &result.differences) {
                // The evaluators do not know of copies and certificates.
                let is_of_reply =
                    |change: &Change| change.kind != ChangeKind::Mirrors && !change.text.contains("certificate");
                let Verdict::Different(changes) = &difference.verdict else { continue };
                if !changes.iter().any(is_of_reply) {
                    continue;
                }
                let request = difference.example();
                let [was, is] = got(request).map(replies);
                if [&was, &is].into_iter().flatten().flatten().any(|reply| reply == OPEN) {
                    continue;
                }
                assert!(
                    was != is,
                    "{} {} {:?} is not different, {was:?} and {is:?}: {difference:#?}\n{}",
                    request.method,
                    request.url(),
                    request.headers,
                    told()
                );
                reported += 1;
            }
            same += results.iter().filter(|result| result.overall() == Overall::Same).count();
        });
    }
    assert!(
        different > 300 && same > 300 && reported > 100,
        "{different} differ, {same} hosts are the same, {reported} reported"
    );
}
