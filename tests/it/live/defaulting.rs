//! `/mutate` with a real API server, with and without the API server's own defaulting plugin.

use std::thread::sleep;
use std::time::Duration;

use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::fixture::{ClusterFixture, RegisteredWebhooks};
use crate::harness::{ControlPlane, Flavour, KubectlOutput, eventually, on_cluster};

pub fn trials() -> Vec<Trial> {
    vec![
        on_cluster("live::class_set_by_the_built_in_plugin_is_kept", the_plugin_was_first),
        on_cluster("live::without_the_built_in_plugin_the_class_is_filled_in", without_the_plugin),
    ]
}

fn the_plugin_was_first() {
    let control_plane = ControlPlane::start(Flavour::Plain);
    let fixture = ClusterFixture::new(&control_plane, RegisteredWebhooks::Both, "");
    fixture.set_text(&class("public", "true"));
    let by_admin = || control_plane.kubectl("create --dry-run=server -o json -f -").stdin(&ingress().to_string()).run();
    eventually("the plugin knows the class", || given(&by_admin().accepted()) == json!("public"));

    let output = create(&fixture, &ingress()).accepted();

    assert_eq!(given(&output), "public");
    let (_, metrics) = fixture.server.health().get("/metrics");
    let reviews =
        |verdict: &str| format!(r#"portcullis_reviews_total{{kind="Ingress",verdict="{verdict}",dry_run="true"}}"#);
    assert!(metrics.contains(&format!("{} 2\n", reviews("allowed"))), "both webhooks were called\n{metrics}");
    assert!(!metrics.contains(&reviews("patched")), "there was something to fill in\n{metrics}");
}

fn without_the_plugin() {
    let control_plane = ControlPlane::shared(Flavour::NoDefaultIngressClass);
    let _alone = control_plane.cluster_scope();
    let fixture = ClusterFixture::new(control_plane, RegisteredWebhooks::Both, "");
    for test in [one_default, no_default, two_defaults, the_newest_of_two, paths_and_their_types, the_documents_side] {
        test(&fixture);
        fixture.clear();
    }
}

fn one_default(fixture: &ClusterFixture<'_>) {
    fixture.set_text(&(class("public", "true") + &class("internal", "True")));

    let output = create(fixture, &ingress()).accepted();

    let mut expected = ingress();
    expected["spec"]["ingressClassName"] = json!("public");
    let stored = output.json();
    assert_eq!(stored["spec"], expected["spec"]);
    // No check reads this metadata, so a patch computed from our view types would lose it.
    assert_eq!(stored["metadata"]["ownerReferences"], expected["metadata"]["ownerReferences"]);
}

fn no_default(fixture: &ClusterFixture<'_>) {
    let output = create(fixture, &ingress()).accepted();

    assert_eq!(given(&output), Value::Null);
    let warning = "Warning: spec.ingressClassName: no class is named and none is the default: most controllers skip it [ingress/class-missing]\n";
    assert_eq!(output.stderr.matches("[ingress/class-missing]").count(), 1, "reported twice: {output}");
    assert!(output.stderr.contains(warning), "{output}");
}

fn two_defaults(fixture: &ClusterFixture<'_>) {
    fixture.set_text(&(class("a", "true") + &class("b", "true")));

    let output = create(fixture, &ingress()).accepted();

    assert_eq!(given(&output), Value::Null);
    let warning = "Warning: IngressClasses a, b are all marked as the default, so none is filled in: set a class [ingress/default-class]\n";
    assert!(output.stderr.contains(warning), "{output}");
}

fn the_newest_of_two(fixture: &ClusterFixture<'_>) {
    fixture.configure("defaults: {ingress/default-class: {onMultipleDefaults: newest}}\n");
    fixture.set_text(&class("a-old", "true"));
    // Creation timestamps have a resolution of one second.
    sleep(Duration::from_millis(1_100));
    fixture.set_text(&class("b-new", "true"));

    assert_eq!(given(&create(fixture, &ingress()).accepted()), "b-new");
}

fn paths_and_their_types(fixture: &ClusterFixture<'_>) {
    fixture.set_text(&class("public", "true"));
    let mut bare = ingress();
    let backend = bare["spec"]["rules"][0]["http"]["paths"][0]["backend"].clone();
    bare["spec"]["rules"][0]["http"]["paths"][0] = json!({"backend": backend});
    create(fixture, &bare).refused_with("spec.rules[0].http.paths[0].pathType: Required value");

    fixture.configure("defaults: {ingress/default-path: {}, ingress/default-path-type: {}}\n");
    let output = create(fixture, &bare).accepted();

    let stored = output.json();
    let expected = json!({"path": "/", "pathType": "ImplementationSpecific", "backend": backend});
    assert_eq!(stored["spec"]["rules"][0]["http"]["paths"][0], expected);
}

fn the_documents_side(fixture: &ClusterFixture<'_>) {
    fixture.configure("profile: kep-758\n");
    fixture.set_text(&(class("a", "true") + &class("b", "true")));

    let words = "spec.ingressClassName: IngressClass a and IngressClass b are both the default: name one of them [ingress/default-class-ambiguous]";
    create(fixture, &ingress()).refused_with(words);
}

/// A dry run, which is handled like a creation but not stored.
fn create(fixture: &ClusterFixture<'_>, object: &Value) -> KubectlOutput {
    fixture.kubectl("create --dry-run=server -o json -f -").stdin(&object.to_string()).run()
}

/// The class of an Ingress that kubectl printed.
fn given(output: &KubectlOutput) -> Value {
    output.json()["spec"]["ingressClassName"].take()
}

/// An Ingress without a class.
fn ingress() -> Value {
    let owner =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "shop", "uid": "705ab4f5-6393-11e8-b7cc-42010a800002"});
    let path =
        json!({"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "cart", "port": {"number": 80}}}});
    json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"namespace": "web", "name": "shop", "ownerReferences": [owner]},
        "spec": {"rules": [{"host": "shop.example.com", "http": {"paths": [path]}}]},
    })
}

/// A YAML document with an IngressClass that has this value of the default annotation.
fn class(name: &str, mark: &str) -> String {
    format!(
        "
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {{name: {name}, annotations: {{ingressclass.kubernetes.io/is-default-class: \"{mark}\"}}}}
spec: {{controller: example.com/{name}}}
"
    )
}
