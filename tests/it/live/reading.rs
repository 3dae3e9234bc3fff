//! Requests of a raw client that the API server's decoder and schema accept: unusual spellings of numbers, and a huge
//! number of faults.

use libtest_mimic::Trial;
use portcullis_testing::pages::manifests;
use serde_json::Value;

use super::fixture::{ALICE, ClusterFixture, RegisteredWebhooks};
use crate::harness::{Channel, ControlPlane, Flavour, NEWEST, crds, delegation_crds, on_cluster, on_full_cluster};

pub fn trials() -> Vec<Trial> {
    vec![
        on_full_cluster("live::a_float_for_an_integer_hides_nothing", a_float_for_an_integer_hides_nothing),
        on_cluster("live::no_refusal_is_lost_behind_many_warnings", no_refusal_is_lost_behind_many_warnings),
    ]
}

const OWNED: &str = "
hostOwnership:
  unlisted: Deny
  hosts: [{host: shop.example.com, namespaces: {names: [web]}}, {host: '*.b.example.com', namespaces: {names: [team-b]}}]
";

/// Bodies with one weight, in place of the text `WEIGHT`.
const BODIES: [(&str, &str); 4] = [
    (
        "/apis/gateway.networking.k8s.io/v1/namespaces/team-b/httproutes",
        r#"{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"name":"a"},"spec":{
            "parentRefs":[{"name":"edge","namespace":"web"}],"hostnames":["HOST"],
            "rules":[{"backendRefs":[{"name":"cart","port":80},{"name":"cart","port":81,"weight":WEIGHT}]}]}}"#,
    ),
    (
        "/apis/gateway.networking.k8s.io/v1/namespaces/team-b/grpcroutes",
        r#"{"apiVersion":"gateway.networking.k8s.io/v1","kind":"GRPCRoute","metadata":{"name":"a"},"spec":{
            "parentRefs":[{"name":"edge","namespace":"web"}],"hostnames":["HOST"],
            "rules":[{"backendRefs":[{"name":"cart","port":80},{"name":"cart","port":81,"weight":WEIGHT}]}]}}"#,
    ),
    (
        "/apis/gateway.networking.k8s.io/v1/namespaces/team-b/tlsroutes",
        r#"{"apiVersion":"gateway.networking.k8s.io/v1","kind":"TLSRoute","metadata":{"name":"a"},"spec":{
            "parentRefs":[{"name":"edge","namespace":"web"}],"hostnames":["HOST"],
            "rules":[{"backendRefs":[{"name":"cart","port":80},{"name":"cart","port":81,"weight":WEIGHT}]}]}}"#,
    ),
    (
        "/apis/projectcontour.io/v1/namespaces/team-b/httpproxies",
        r#"{"apiVersion":"projectcontour.io/v1","kind":"HTTPProxy","metadata":{"name":"a"},"spec":{
            "virtualhost":{"fqdn":"HOST"},
            "routes":[{"services":[{"name":"cart","port":80},{"name":"cart","port":81,"weight":WEIGHT}]}]}}"#,
    ),
];

/// The API server accepts each of these as an integer, and its encoder writes the first one as `-0`.
const WEIGHTS: [&str; 4] = ["-0.0", "0.0", "1e2", "1"];

fn a_float_for_an_integer_hides_nothing() {
    let crds = [crds(NEWEST, Channel::Standard), delegation_crds()].concat();
    let control_plane = ControlPlane::serving(Flavour::Plain, crds);
    let fixture = ClusterFixture::new(&control_plane, RegisteredWebhooks::Validate, OWNED);
    let alice = control_plane.http_as(ALICE);
    for (list, body) in BODIES {
        for weight in WEIGHTS {
            let body = |host: &str| body.replace("HOST", host).replace("WEIGHT", weight);
            let (status, answer) = alice.post(list, body("shop.example.com"));
            assert_eq!(status, 422, "{weight}: {answer}");
            assert_eq!(checks(&answer), ["host/not-owned"], "{weight}: {answer}");
            let (status, answer) = alice.post(&format!("{list}?dryRun=All"), body("a.b.example.com"));
            assert_eq!(status, 201, "{weight}: {answer}");
        }
    }
    drop(fixture);
}

/// The ids of the checks that deny, from the ends of the causes.
fn checks(answer: &Value) -> Vec<&str> {
    let causes = answer["details"]["causes"].as_array().into_iter().flatten();
    let output = causes.filter_map(|cause| cause["message"].as_str());
    output.filter_map(|output| output.rsplit_once('[')?.1.strip_suffix(']')).collect()
}

const INGRESSES: &str = "/apis/networking.k8s.io/v1/namespaces/team-b/ingresses";

/// An Ingress of `team-b` with this number of paths on its own host, and one path on a host of another namespace.
fn ingress(name: &str, paths: usize, taken: Option<&str>) -> String {
    let path = |path: String| {
        format!(
            r#"{{"path":"{path}","pathType":"Prefix","backend":{{"service":{{"name":"cart","port":{{"number":80}}}}}}}}"#
        )
    };
    let rule =
        |host: &str, paths: &[String]| format!(r#"{{"host":"{host}","http":{{"paths":[{}]}}}}"#, paths.join(","));
    let own: Vec<String> = (0..paths).map(|number| path(format!("/{number}"))).collect();
    let mut rules: Vec<String> = (!own.is_empty()).then(|| rule("b.example.com", &own)).into_iter().collect();
    rules.extend(taken.map(|taken| rule("shop.example.com", &[path(taken.to_owned())])));
    format!(
        r#"{{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{{"namespace":"team-b","name":"{name}"}},"spec":{{"ingressClassName":"public","rules":[{}]}}}}"#,
        rules.join(",")
    )
}

fn no_refusal_is_lost_behind_many_warnings() {
    let control_plane = ControlPlane::shared(Flavour::NoDefaultIngressClass);
    let _alone = control_plane.cluster_scope();
    let fixture = ClusterFixture::new(control_plane, RegisteredWebhooks::Validate, "");
    let held = ingress("shop", 0, Some("/cart")).replace("team-b", "web");
    fixture.set(&manifests(&held)).expect("it is taken");
    fixture.set(&manifests(&ingress("a", 230, None))).expect("it is taken");

    let alice = control_plane.http_as(ALICE);
    // After 200 duplicates in the own namespace, which only warn.
    for (paths, taken) in [(200, "/cart"), (230, "/cart"), (0, "/cart")] {
        let (status, answer) = alice.post(INGRESSES, ingress("b", paths, Some(taken)));
        assert_eq!((status, checks(&answer)), (422, vec!["host/path-conflict"]), "{paths}: {answer}");
    }
    // Not more faults than before, but a different one.
    let many = ingress("b", 210, None);
    let (status, answer) = alice.post(INGRESSES, many.clone());
    assert_eq!(status, 201, "{answer}");
    fixture.track(&manifests(&many)[0].object_ref);
    fixture.settle();
    let (status, answer) = alice.put(&format!("{INGRESSES}/b"), ingress("b", 209, Some("/cart")));
    assert_eq!((status, checks(&answer)), (422, vec!["host/path-conflict"]), "{answer}");
    let (status, answer) = alice.put(&format!("{INGRESSES}/b"), ingress("b", 209, None));
    assert_eq!(status, 200, "{answer}");
    fixture.clear();
}
