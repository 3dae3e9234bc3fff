//! `lint` against a live cluster finds in a manifest what the webhook finds when it is applied.

use std::fs;
use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;
use portcullis_core::config::{API_VERSION, KIND};
use serde_json::Value;

use super::fixture::{ClusterFixture, RegisteredWebhooks};
use crate::harness::{ControlPlane, Flavour, on_cluster};

pub fn trials() -> Vec<Trial> {
    vec![on_cluster("live::lint_against_the_cluster_finds_what_the_webhook_finds", lint_agrees_with_the_webhook)]
}

const CONFIG: &str = "
hostOwnership:
  unlisted: FirstNamespace
  hosts:
  - {host: pay.example.com, namespaces: {names: [payments]}}
overrides:
- match: {namespaces: {labels: {kubernetes.io/metadata.name: team-a}}}
  checks: {ingress/tls-missing: Deny}
";

/// An Ingress with a rule for each host, whose only path is `/`.
fn ingress(namespace: &str, name: &str, class: &str, hosts: &[&str]) -> String {
    let rules: String = hosts
        .iter()
        .map(|host| {
            format!("  - host: {host}\n    http: {{paths: [{{path: /, pathType: Prefix, backend: {{service: {{name: cart, port: {{number: 80}}}}}}}}]}}\n")
        })
        .collect();
    let class = if class.is_empty() { String::new() } else { format!("  ingressClassName: {class}\n") };
    format!(
        "---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{namespace: {namespace}, name: {name}}}\nspec:\n{class}  rules:\n{rules}"
    )
}

/// The objects of the cluster.
fn objects() -> String {
    let class = "---\napiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: public, annotations: {ingressclass.kubernetes.io/is-default-class: 'true'}}\nspec: {controller: example.com/c}\n";
    let service =
        "---\napiVersion: v1\nkind: Service\nmetadata: {namespace: web, name: cart}\nspec: {ports: [{port: 80}]}\n";
    [
        class,
        service,
        &ingress("web", "shop", "public", &["shop.example.com"]),
        // Both have the host from before.
        &ingress("team-a", "twin", "public", &["twin.example.com"]),
        &ingress("team-b", "twin", "public", &["twin.example.com"]),
        &ingress("web", "classless", "", &["classless.example.com"]),
        &service.replace("namespace: web", "namespace: team-c"),
        &ingress("team-c", "first", "public", &["first.example.com"]),
        &ingress("team-d", "later", "public", &["first.example.com"]).replace("path: /,", "path: /later,"),
    ]
    .concat()
}

/// The manifests that a tenant applies one at a time, and whether they are refused.
fn cases() -> Vec<(&'static str, String, bool)> {
    vec![
        ("a clean object", ingress("web", "new", "public", &["new.example.com"]), false),
        ("a host that another namespace serves", ingress("team-a", "copy", "public", &["shop.example.com"]), true),
        ("the same in the default class", ingress("team-a", "copy", "", &["shop.example.com"]), true),
        ("a host that belongs to another namespace", ingress("web", "pay", "public", &["pay.example.com"]), true),
        ("no change of an old conflict", ingress("team-b", "twin", "public", &["twin.example.com"]), false),
        (
            "an old conflict and a new one",
            ingress("team-b", "twin", "public", &["twin.example.com", "shop.example.com"]),
            true,
        ),
        (
            "an update without the class that it has",
            ingress("web", "classless", "", &["classless.example.com", "b.example.com"]),
            false,
        ),
        ("the same that takes a host", ingress("web", "classless", "", &["twin.example.com"]), true),
        (
            "a second object of the namespace that holds the host, beside the first",
            [
                ingress("team-c", "first", "public", &["first.example.com"]),
                ingress("team-c", "second", "public", &["first.example.com"]).replace("path: /,", "path: /two,"),
            ]
            .concat(),
            false,
        ),
        (
            "the Namespace whose label an override selects, beside an object",
            [
                "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: team-a}\n",
                &ingress("team-a", "new", "public", &["new.example.com"]),
            ]
            .concat(),
            true,
        ),
        ("a class that does not exist", ingress("web", "shop", "private", &["shop.example.com"]), false),
    ]
}

fn lint_agrees_with_the_webhook() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let _alone = control_plane.cluster_scope();
    let fixture = ClusterFixture::new(control_plane, RegisteredWebhooks::Validate, CONFIG);
    ["team-c", "team-d"].into_iter().for_each(|name| fixture.add_namespace(name));
    fixture.set_text(&objects());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let config = folder.path().join("config");
    fs::write(&config, format!("apiVersion: {API_VERSION}\nkind: {KIND}\n{CONFIG}")).expect("writable");
    let world = folder.path().join("world.json.gz");
    let snapshot = portcullis(&["snapshot"], &["--kubeconfig".as_ref(), &control_plane.kubeconfig()]);
    fs::write(&world, snapshot.stdout).expect("writable");
    let mut wrong = Vec::new();
    for (name, manifest, is_refused) in cases() {
        let applied = fixture.kubectl("apply --dry-run=server -f -").stdin(&manifest).run();
        let file = folder.path().join("manifest.yaml");
        fs::write(&file, &manifest).expect("writable");
        let lint = |flag: &str, value: &Path| lint(&file, &config, flag, value);
        let (live, saved) = (lint("--kubeconfig", &control_plane.kubeconfig()), lint("--against", &world));
        let webhook = (!applied.succeeded(), ids(&applied.stderr));
        if webhook.0 != is_refused || webhook != live || live != saved {
            wrong.push(format!("{name}: webhook {webhook:?}, lint {live:?}, against a snapshot {saved:?}\n{applied}"));
        }
    }
    fixture.clear();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether something is refused, and the ids of the findings.
fn lint(file: &Path, config: &Path, flag: &str, value: &Path) -> (bool, Vec<String>) {
    let output = portcullis(&["lint", "-o", "json", flag], &[value, "--config".as_ref(), config, file]);
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|why| panic!("{why}: {}", String::from_utf8_lossy(&output.stderr)));
    let findings = report["findings"].as_array().expect("a list").iter();
    let mut ids: Vec<String> = findings.map(|finding| finding["check"].as_str().expect("a text").to_owned()).collect();
    ids.sort();
    (output.status.code() == Some(1), ids)
}

/// The ids in brackets.
fn ids(text: &str) -> Vec<String> {
    let inside = text.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(inside, _)| inside);
    let mut ids: Vec<String> = inside.filter(|id| id.contains('/')).map(str::to_owned).collect();
    ids.sort();
    ids
}

fn portcullis(words: &[&str], paths: &[&Path]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_portcullis")).args(words).args(paths).output().expect("the program runs")
}
