//! Pairs of concurrent writes with the same claim. The API server admits one of each pair.

use std::sync::Barrier;
use std::thread;

use libtest_mimic::Trial;
use portcullis_core::kinds::Kind;
use portcullis_testing::pages::manifests;
use serde_json::{Value, json};

use super::fixture::{ALICE, ClusterFixture, RegisteredWebhooks, list_of};
use crate::harness::{ControlPlane, Flavour, delegation_crds, on_contour_cluster};

pub fn trials() -> Vec<Trial> {
    vec![on_contour_cluster("live::one_of_two_concurrent_creates_is_admitted", of_two_at_once)]
}

/// The number of pairs for each kind.
const PAIRS: usize = 20;

/// The namespaces of the objects of a pair.
const BOTH: [&str; 2] = ["web", "team-a"];

fn of_two_at_once() {
    let control_plane = ControlPlane::serving(Flavour::Plain, delegation_crds());
    let fixture = ClusterFixture::new(&control_plane, RegisteredWebhooks::Validate, "profile: baseline\n");
    for kind in [Kind::Ingress, Kind::HttpProxy, Kind::IngressRoute] {
        let barrier = Barrier::new(BOTH.len());
        let refusals = thread::scope(|scope| {
            let (control_plane, barrier) = (&control_plane, &barrier);
            let writers = BOTH.map(|namespace| scope.spawn(move || write_all(control_plane, kind, namespace, barrier)));
            writers.map(|writer| writer.join().expect("every write is answered"))
        });
        for (number, (one, other)) in refusals[0].iter().zip(&refusals[1]).enumerate() {
            assert!(one.is_none() != other.is_none(), "{kind} {number}: both or none: {one:?}, {other:?}");
            let refusal = one.as_ref().or(other.as_ref()).expect("one of them is refused");
            // The object that the message names exists.
            assert!(refusal.contains(&format!("/pair-{number}")), "{kind} {number}: {refusal}");
        }
        let objects = BOTH.into_iter().flat_map(|namespace| (0..PAIRS).map(move |number| (namespace, number)));
        objects.for_each(|(namespace, number)| {
            fixture.track(&manifests(&object(kind, namespace, number).to_string())[0].object_ref);
        });
        fixture.clear();
    }
    let reserved = fixture.server.metric("portcullis_reviews_reserved_total").unwrap_or_default();
    assert!(reserved > 0.0, "no two writes were reviewed at the same moment");
}

/// Creates one object of each pair, concurrently with the other writer. Returns the message of each denial.
fn write_all(control_plane: &ControlPlane, kind: Kind, namespace: &str, both: &Barrier) -> Vec<Option<String>> {
    let http = control_plane.http_as(ALICE);
    let write = |number| {
        let manifest = manifests(&object(kind, namespace, number).to_string()).remove(0);
        both.wait();
        match http.post(&list_of(&manifest), manifest.json.to_string()) {
            (201, _) => None,
            (_, answer) => Some(answer["message"].as_str().unwrap_or_default().to_owned()),
        }
    };
    (0..PAIRS).map(write).collect()
}

/// An object that claims the host of a pair.
fn object(kind: Kind, namespace: &str, number: usize) -> Value {
    let host = format!("pair-{number}.example.com");
    let spec = match kind {
        Kind::Ingress => {
            let backend = json!({"service": {"name": "cart", "port": {"number": 80}}});
            let paths = json!([{"path": "/", "pathType": "Prefix", "backend": backend}]);
            json!({"ingressClassName": "public", "rules": [{"host": host, "http": {"paths": paths}}]})
        }
        _ => json!({
            "virtualhost": {"fqdn": host}, "routes": [{"match": "/", "services": [{"name": "cart", "port": 80}]}],
        }),
    };
    let api = kind.api();
    let mut object = json!({
        "apiVersion": format!("{}/{}", api.group, api.versions[0]), "kind": api.kind,
        "metadata": {"namespace": namespace, "name": format!("pair-{number}")}, "spec": spec,
    });
    if kind == Kind::HttpProxy {
        object["spec"]["routes"][0].as_object_mut().expect("a route is a map").remove("match");
    }
    object
}
