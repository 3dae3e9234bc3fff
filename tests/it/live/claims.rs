//! HostClaims: what the API server accepts as one, and how they decide who may claim a host.

use libtest_mimic::Trial;
use portcullis_core::kinds::{Kind, ObjectRef};
use serde_json::{Value, json};

use super::fixture::{ClusterFixture, RegisteredWebhooks};
use crate::harness::{Channel, ControlPlane, Flavour, NEWEST, crds, eventually, host_claim_crds, on_gateway_cluster};

pub fn trials() -> Vec<Trial> {
    vec![
        on_gateway_cluster("live::the_name_of_a_claim_is_its_host", the_name_is_the_host),
        on_gateway_cluster("live::a_required_claim_decides_who_may_have_a_host", a_required_claim_decides),
        on_gateway_cluster("live::a_claimed_host_may_be_used_at_once", a_claimed_host_may_be_used_at_once),
    ]
}

const CLAIMS: &str = "/apis/portcullis.dev/v1alpha1/hostclaims";

fn claim(name: &str, host: &str, namespace: &str) -> Value {
    json!({"apiVersion": "portcullis.dev/v1alpha1", "kind": "HostClaim", "metadata": {"name": name},
        "spec": {"host": host, "namespace": namespace}})
}

fn the_name_is_the_host() {
    let control_plane = ControlPlane::serving(Flavour::Plain, host_claim_crds());
    let http = control_plane.http();
    let create = |name: &str, host: &str| http.post(CLAIMS, claim(name, host, "web").to_string());
    assert_eq!(create("shop.example.com", "shop.example.com").0, 201);
    assert_eq!(create("shop.example.com", "shop.example.com").0, 409, "a host has one claim");
    assert_eq!(create("wc--any.example.com", "*.example.com").0, 201);
    let refused = [
        ("shop", "shop.example.com", "metadata.name must be spec.host"),
        ("pay.example.com", "*.pay.example.com", "metadata.name must be spec.host"),
        ("wc--any.example.org", "wc--any.example.org", "the label wc--any is reserved"),
        ("pay.example.com", "Pay.example.com", "should match"),
        ("pay.example.com", "pay.*.com", "should match"),
    ];
    for (name, host, words) in refused {
        let (status, answer) = create(name, host);
        assert!(status == 422 && answer.to_string().contains(words), "{name} {host}: {status} {answer}");
    }
    let path = format!("{CLAIMS}/wc--any.example.com");
    let mut stored: Value = serde_json::from_str(&http.get(&path).1).expect("an object is JSON");
    stored["spec"]["namespace"] = "team-a".into();
    let (status, answer) = http.put(&path, stored.to_string());
    assert_eq!(status, 200, "{answer}");
    stored["metadata"]["resourceVersion"] = answer["metadata"]["resourceVersion"].clone();
    stored["spec"]["host"] = "*.example.org".into();
    let (status, answer) = http.put(&path, stored.to_string());
    assert!(status == 422 && answer.to_string().contains("metadata.name must be spec.host"), "{status} {answer}");
}

fn a_required_claim_decides() {
    let crds = [host_claim_crds(), crds(NEWEST, Channel::Standard)].concat();
    let control_plane = ControlPlane::serving(Flavour::Plain, crds);
    let fixture =
        ClusterFixture::new(&control_plane, RegisteredWebhooks::Validate, "hostOwnership: {claims: Required}\n");
    let unclaimed = "has no HostClaim: ask the platform team to create HostClaim shop.example.com with namespace web";
    assert!(ingress(&fixture, "web", "shop.example.com").expect_err("no claim").contains(unclaimed));
    assert!(route(&fixture, "web", "shop.example.com").expect_err("no claim").contains(unclaimed));

    create(&fixture, "shop.example.com", "shop.example.com", "web");
    assert_eq!(ingress(&fixture, "web", "shop.example.com"), Ok(()));
    assert_eq!(route(&fixture, "web", "shop.example.com"), Ok(()));
    let owned = "host shop.example.com belongs to namespace web";
    assert!(ingress(&fixture, "team-a", "shop.example.com").expect_err("a claim of others").contains(owned));
    assert!(route(&fixture, "team-a", "shop.example.com").expect_err("a claim of others").contains(owned));
    let covers = "host *.example.com covers shop.example.com, which belongs to namespace web";
    assert!(ingress(&fixture, "team-a", "*.example.com").expect_err("a claim of others").contains(covers));
    let wildcard = "has no HostClaim: list your hosts, or ask the platform team to create HostClaim wc--any.example.org with namespace team-a";
    assert!(ingress(&fixture, "team-a", "*.example.org").expect_err("no claim").contains(wildcard));

    // A newer claim for a wildcard covers what the older one below it does not have.
    create(&fixture, "wc--any.example.com", "*.example.com", "team-a");
    assert_eq!(ingress(&fixture, "team-a", "*.example.com"), Ok(()));
    assert_eq!(ingress(&fixture, "team-a", "pay.example.com"), Ok(()));
    assert_eq!(ingress(&fixture, "web", "shop.example.com"), Ok(()));
    assert!(ingress(&fixture, "team-a", "shop.example.com").expect_err("a claim of others").contains(owned));
    let under = "host pay.example.com is under *.example.com, which belongs to namespace team-a";
    assert!(ingress(&fixture, "web", "pay.example.com").expect_err("a claim of others").contains(under));

    fixture.http.delete(&format!("{CLAIMS}/shop.example.com"));
    fixture.settle();
    let under = "host shop.example.com is under *.example.com, which belongs to namespace team-a";
    assert!(ingress(&fixture, "web", "shop.example.com").expect_err("a claim of others").contains(under));

    // Times of creation have whole seconds.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    // A claim that comes back from a backup is newer than the one for the wildcard, and has no effect.
    create(&fixture, "shop.example.com", "shop.example.com", "web");
    assert!(ingress(&fixture, "web", "shop.example.com").expect_err("a claim of others").contains(under));

    control_plane.delete_crd("hostclaims.portcullis.dev");
    eventually("without the kind, nothing is denied", || ingress(&fixture, "web", "free.example.com").is_ok());
}

/// Before a write is denied for lack of a HostClaim, it is looked up by its name: the watch may be late.
fn a_claimed_host_may_be_used_at_once() {
    let crds = [host_claim_crds(), crds(NEWEST, Channel::Standard)].concat();
    let control_plane = ControlPlane::serving(Flavour::Plain, crds);
    let fixture =
        ClusterFixture::new(&control_plane, RegisteredWebhooks::Validate, "hostOwnership: {claims: Required}\n");
    for number in 0..60 {
        let host = format!("h{number}.example.com");
        let (status, answer) = fixture.http.post(CLAIMS, claim(&host, &host, "web").to_string());
        assert_eq!(status, 201, "{answer}");
        assert_eq!(ingress(&fixture, "web", &host), Ok(()));
        assert_eq!(route(&fixture, "web", &host), Ok(()));
        assert!(ingress(&fixture, "web", &format!("no.{host}")).is_err(), "a host without a claim");
    }
}

fn create(fixture: &ClusterFixture<'_>, name: &str, host: &str, namespace: &str) {
    let (status, answer) = fixture.http.post(CLAIMS, claim(name, host, namespace).to_string());
    assert_eq!(status, 201, "{answer}");
    fixture.track(&ObjectRef::new(Kind::HostClaim, "", name));
    fixture.settle();
}

/// What Alice is told when she would create an Ingress.
fn ingress(fixture: &ClusterFixture<'_>, namespace: &str, host: &str) -> Result<(), String> {
    let backend = json!({"service": {"name": "shop", "port": {"number": 80}}});
    let paths = json!([{"path": "/", "pathType": "Prefix", "backend": backend}]);
    let object = json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "shop"},
        "spec": {"ingressClassName": "public", "rules": [{"host": host, "http": {"paths": paths}}]}});
    dry_run(fixture, &format!("/apis/networking.k8s.io/v1/namespaces/{namespace}/ingresses"), &object)
}

/// The same for an HTTPRoute.
fn route(fixture: &ClusterFixture<'_>, namespace: &str, host: &str) -> Result<(), String> {
    let object = json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": {"name": "shop"},
        "spec": {"hostnames": [host], "parentRefs": [{"name": "edge"}], "rules": [{"backendRefs": [{"name": "shop", "port": 80}]}]}});
    dry_run(fixture, &format!("/apis/gateway.networking.k8s.io/v1/namespaces/{namespace}/httproutes"), &object)
}

fn dry_run(fixture: &ClusterFixture<'_>, list: &str, object: &Value) -> Result<(), String> {
    let (status, answer) = fixture.alice.post(&format!("{list}?dryRun=All"), object.to_string());
    if status == 201 { Ok(()) } else { Err(answer["message"].as_str().unwrap_or_default().to_owned()) }
}
