//! Admission and `explain` agree on which HTTPProxies are invalid by themselves: if admission finds an error that
//! invalidates a root, no object answers its requests. Otherwise the root answers them.

use std::collections::BTreeMap;

use portcullis_core::checks::{Operation, Write};
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState};
use portcullis_core::kinds::{Kind, decode};
use portcullis_core::validation::{Effect, http_proxy};
use portcullis_testing::config::plan;
use portcullis_testing::pages::today;
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use crate::explain::worlds::Objects;

const OBJECTS: u64 = 3_000;
const FQDN: &str = "a.example.com";

fn condition(rng: &mut Rng) -> Value {
    let all = [
        json!({"prefix": "/a"}),
        json!({"prefix": "a"}),
        json!({"exact": "/a"}),
        json!({"regex": "/a.*"}),
        json!({"regex": "/(a"}),
        json!({"header": {"name": "X-A", "exact": "1"}}),
        json!({"header": {"name": "x-a", "exact": "2"}}),
        json!({"header": {"name": "x-a", "present": true}}),
        json!({"header": {"name": "x-a", "notpresent": true}}),
        json!({"header": {"name": "x-a"}}),
        json!({"header": {"name": "x-b", "regex": "["}}),
        json!({"queryParameter": {"name": "q", "exact": "1"}}),
        json!({"queryParameter": {"name": "Q", "exact": "2"}}),
        json!({"queryParameter": {"name": "q"}}),
        json!({"queryParameter": {"name": "q", "prefix": "1", "suffix": "2"}}),
        json!({"queryParameter": {"name": "r", "regex": "*"}}),
    ];
    all[rng.below(all.len())].clone()
}

fn conditions(rng: &mut Rng) -> Value {
    (0..rng.below(3)).map(|_| condition(rng)).collect()
}

fn route(rng: &mut Rng) -> Value {
    let mut route = json!({"conditions": conditions(rng)});
    if !rng.one_in(20) {
        route["services"] = json!([{"name": "s", "port": 80}]);
    }
    if rng.one_in(20) {
        route["requestRedirectPolicy"] = json!({"hostname": "b.example.com"});
    }
    route
}

fn tls(rng: &mut Rng) -> Value {
    let mut tls = json!({"secretName": rng.pick(&["tls", "tls", "tls", "", " ", "TLS", "web/tls/x"])});
    if rng.one_in(5) {
        tls = json!({"passthrough": true});
        if rng.one_in(4) {
            tls["secretName"] = "tls".into();
        }
        if rng.one_in(4) {
            tls["enableFallbackCertificate"] = true.into();
        }
    }
    if rng.one_in(4) {
        tls["minimumProtocolVersion"] = rng.pick(&["1.2", "1.3", "1.1"]).into();
        tls["maximumProtocolVersion"] = rng.pick(&["1.2", "1.3"]).into();
    }
    tls
}

/// A root with a route that matches every request, or sometimes without routes.
fn root(rng: &mut Rng) -> Value {
    let mut routes: Vec<Value> = (0..rng.below(3)).map(|_| route(rng)).collect();
    routes.push(json!({"services": [{"name": "s", "port": 80}]}));
    let fqdn = if rng.one_in(15) { rng.pick(&["", " ", "a_b"]) } else { FQDN };
    let mut spec = json!({"virtualhost": {"fqdn": fqdn}, "routes": routes});
    if rng.one_in(2) {
        spec["virtualhost"]["tls"] = tls(rng);
    }
    if rng.one_in(25) {
        spec["routes"] = json!([]);
    } else if rng.one_in(3) {
        spec["includes"] = json!([{"name": "part", "conditions": conditions(rng)}]);
    }
    if rng.one_in(8) {
        let all = [json!({}), json!({"services": [{"name": "s", "port": 80}]})];
        spec["tcpproxy"] = all[rng.below(all.len())].clone();
    }
    json!({"apiVersion": "projectcontour.io/v1", "kind": "HTTPProxy",
        "metadata": {"namespace": "web", "name": "root"}, "spec": spec})
}

#[test]
fn admission_and_explain_agree_on_http_proxies() {
    let plan = plan("profile: restricted\n");
    let service = json!({"apiVersion": "v1", "kind": "Service",
        "metadata": {"namespace": "web", "name": "s"}, "spec": {"ports": [{"port": 80}]}});
    let mut seen = BTreeMap::new();
    for seed in 0..OBJECTS {
        let mut rng = Rng::new(seed);
        let root = root(&mut rng);
        let text = root.to_string();
        let object = decode(Kind::HttpProxy, &text).expect("it has the shape of one");
        let object_ref = object.object_ref();
        let mut cluster = Cluster::with(SyncState::Complete);
        cluster.apply(Event::Apply(Facts::of(&object)));
        let overlay = Overlay::new(&cluster, &object_ref);
        let write = Write { operation: Operation::Stored, this: &object_ref, user: None, now: today() };
        let outcome = plan.check(&object, || None, &overlay, &write);
        // An error in an include invalidates only the include.
        let takes_all = |field: &str| !field.starts_with("spec.includes");
        let invalidating =
            |id: &str| http_proxy::RULES.iter().any(|rule| rule.id == id && rule.effect == Effect::Invalidates);
        let errors = outcome.findings.iter().map(|evaluated| &evaluated.finding).filter(|finding| {
            let refuses = finding.at_most == portcullis_core::finding::Action::Deny;
            refuses && invalidating(finding.check) && takes_all(&finding.at.to_string())
        });
        let errors: Vec<_> = errors.map(|finding| finding.check).collect();
        let has_routes = root["spec"]["routes"].as_array().is_some_and(|routes| !routes.is_empty());
        let answer = Objects::of_values(&[root.clone(), service.clone()]).ask(&format!("http://{FQDN}/other"));
        let answers = answer.winner.is_some();
        assert_eq!(
            answers,
            errors.is_empty() && has_routes,
            "seed {seed}: Portcullis finds {errors:?}, explain says {answer:#?} of {root:#}"
        );
        errors.iter().for_each(|id| *seen.entry(*id).or_insert(0) += 1);
        *seen.entry(if answers { "answers" } else { "silent" }).or_insert(0) += 1;
    }
    let expected = http_proxy::RULES.iter().filter(|rule| rule.effect == Effect::Invalidates).map(|rule| rule.id);
    let missing: Vec<_> =
        expected.filter(|id| *id != "http-proxy/include-conditions-invalid" && !seen.contains_key(id)).collect();
    assert!(missing.is_empty() && seen["answers"] > 300 && seen["silent"] > 300, "{missing:?} {seen:?} prove little");
}
