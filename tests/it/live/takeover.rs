//! A tenant cannot take a path or a host of another team on a real API server, whatever the tenant stores before.

use libtest_mimic::Trial;
use portcullis_testing::pages::manifests;
use serde_json::{Value, json};

use super::fixture::{ClusterFixture, RegisteredWebhooks, list_of, path_of};
use crate::harness::{ControlPlane, Flavour, on_cluster};

pub fn trials() -> Vec<Trial> {
    vec![
        on_cluster("live::stored_objects_hide_no_conflict", stored_objects_hide_no_conflict),
        on_cluster("live::tolerated_host_gets_no_further_path", tolerated_host_gets_no_further_path),
        on_cluster("live::expensive_expressions_block_no_write", expressions_stop_no_write),
        on_cluster("live::one_namespace_does_not_fill_the_view", one_namespace_does_not_fill_the_view),
    ]
}

/// An Ingress with one rule for each host, with its paths.
fn ingress(object_ref: &str, class: &str, rules: &[(&str, &[&str])]) -> String {
    let (namespace, name) = object_ref.split_once('/').expect("namespace/name");
    let backend = json!({"service": {"name": "s", "port": {"number": 80}}});
    let path = |path: &&str| json!({"path": path, "pathType": "Prefix", "backend": backend});
    let rule = |(host, paths): &(&str, &[&str])| json!({"host": host, "http": {"paths": paths.iter().map(path).collect::<Value>()}});
    json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"namespace": namespace, "name": name},
        "spec": {"ingressClassName": class, "rules": rules.iter().map(rule).collect::<Value>()},
    })
    .to_string()
}

/// Writes an object as Alice; returns the status and the message of the API server.
fn write(fixture: &ClusterFixture<'_>, object: &str) -> (u16, String) {
    let manifest = &manifests(object)[0];
    fixture.track(&manifest.object_ref);
    let (status, answer) = match fixture.http.get(&path_of(manifest)).0 {
        404 => fixture.alice.post(&list_of(manifest), manifest.json.to_string()),
        _ => fixture.alice.put(&path_of(manifest), fixture.replacement(manifest).to_string()),
    };
    (status, answer["message"].as_str().unwrap_or_default().to_owned())
}

const OWN: &str = "own.example.org";
const SHOP: &str = "shop.example.com";

fn stored_objects_hide_no_conflict() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let _alone = control_plane.cluster_scope();
    let fixture = ClusterFixture::new(control_plane, RegisteredWebhooks::Validate, "");
    fixture.set_text(&ingress("web/cart", "nginx", &[(SHOP, &["/cart"])]));
    let (many, few) = (["/p"; 2_000], ["/p"; 24]);
    for object in [
        ingress("team-b/x", "nginx", &[(OWN, &many)]),
        ingress("team-b/pad-1", "gce", &[(OWN, &few)]),
        ingress("team-b/pad-2", "gce", &[(OWN, &few)]),
        ingress("team-a/pad", "gce", &[(OWN, &many[..1_000])]),
    ] {
        let (status, message) = write(&fixture, &object);
        assert_eq!(status, 201, "{message}");
    }
    fixture.settle();
    for object in [
        ingress("team-b/x", "nginx", &[(OWN, &many), (SHOP, &["/cart"])]),
        ingress("team-b/x", "nginx", &[(SHOP, &["/cart"]), (OWN, &many)]),
        ingress("team-b/steal", "nginx", &[(OWN, &many[..60]), (SHOP, &["/cart"])]),
    ] {
        let (status, message) = write(&fixture, &object);
        assert!(status == 422 && message.contains("[host/path-conflict]"), "{status} {message}");
    }
    fixture.clear();
}

fn tolerated_host_gets_no_further_path() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let _alone = control_plane.cluster_scope();
    let fixture = ClusterFixture::new(control_plane, RegisteredWebhooks::Validate, "");
    fixture.set_text(&ingress("team-b/x", "nginx", &[(SHOP, &["/legacy"])]));
    fixture.configure("hostOwnership: {hosts: [{host: shop.example.com, namespaces: {names: [web]}}]}\n");
    let (status, message) = write(&fixture, &ingress("team-b/x", "nginx", &[(SHOP, &["/legacy"])]));
    assert_eq!(status, 200, "{message}");
    for (class, paths) in [("nginx", &["/legacy", "/cart"][..]), ("nginx", &["/"]), ("traefik", &["/legacy"])] {
        let (status, message) = write(&fixture, &ingress("team-b/x", class, &[(SHOP, paths)]));
        assert!(status == 422 && message.contains("[host/not-owned]"), "{class} {paths:?}: {status} {message}");
    }
    fixture.clear();
}

/// Each of these expressions compiles to megabytes. The write is answered within the time that the API server waits, and
/// so is the next write of another namespace.
fn expressions_stop_no_write() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let _alone = control_plane.cluster_scope();
    let fixture = ClusterFixture::with_shipped_timeout(control_plane, RegisteredWebhooks::Validate);
    let hosts = ["a.example.com", "b.example.com", "c.example.com", "d.example.com"];
    let rules: Vec<(&str, &[&str])> = hosts.iter().map(|host| (*host, &["/"][..])).collect();
    fixture.set_text(&ingress("web/shop", "nginx", &rules));
    let paths: Vec<String> = (0..64).map(|number| format!("/{}x{number}", ".{1,1000}".repeat(20))).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let rules: Vec<(&str, &[&str])> = hosts.iter().map(|host| (*host, &paths[..])).collect();
    let object = ingress("team-b/x", "nginx", &rules).replace("\"Prefix\"", "\"ImplementationSpecific\"").replace(
        "\"name\":\"x\"",
        "\"name\":\"x\",\"annotations\":{\"nginx.ingress.kubernetes.io/use-regex\":\"true\"}",
    );
    for _ in 0..3 {
        let (status, message) = write(&fixture, &object);
        assert!(matches!(status, 200 | 201 | 422) && !message.contains("failed calling webhook"), "{message}");
        let (status, message) = write(&fixture, &ingress("team-a/other", "nginx", &[("other.example.com", &["/"])]));
        assert!(matches!(status, 200 | 201), "{status} {message}");
    }
    fixture.clear();
}

/// Of Ingresses of the largest size, a namespace may store as many as fit. It may shrink and delete them at any time.
fn one_namespace_does_not_fill_the_view() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let _alone = control_plane.cluster_scope();
    let fixture = ClusterFixture::new(control_plane, RegisteredWebhooks::Validate, "");
    fixture.configure("checks: {object/namespace-too-large: {maxEntries: 40000}}\n");
    let paths: Vec<String> = (0..19_000).map(|number| format!("/{number}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let large = |name: &str, paths: &[&str]| {
        ingress(&format!("team-b/{name}"), "nginx", &[(&format!("{name}.example.org"), paths)])
    };
    for name in ["large-1", "large-2"] {
        let (status, message) = write(&fixture, &large(name, &paths));
        assert_eq!(status, 201, "{message}");
    }
    fixture.settle();
    let (status, message) = write(&fixture, &large("large-3", &paths));
    assert!(status == 422 && message.contains("[object/namespace-too-large]"), "{status} {message}");
    let (status, message) = write(&fixture, &ingress("team-a/small", "nginx", &[(SHOP, &["/"])]));
    assert_eq!(status, 201, "another namespace: {message}");
    let (status, message) = write(&fixture, &large("large-2", &paths[..10]));
    assert_eq!(status, 200, "{message}");
    fixture.settle();
    let (status, message) = write(&fixture, &large("large-3", &paths));
    assert_eq!(status, 201, "there is room again: {message}");
    fixture.clear();
}
