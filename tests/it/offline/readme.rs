//! The outputs of the README and of docs/openreports.md, from the manifests of the demo.

use std::fs;

use portcullis_testing::page::blocks;
use portcullis_testing::repository::read;

use super::folder;
use super::state::{run, snapshot, text};

/// Gives the object with this name a creation timestamp.
fn created(manifest: &str, name: &str, day: u8) -> String {
    let line = format!("\n  name: {name}\n");
    assert!(manifest.contains(&line), "{manifest}");
    manifest.replace(&line, &format!("{line}  creationTimestamp: 2026-01-0{day}T00:00:00Z\n"))
}

pub(super) fn outputs_are_those_of_the_program() {
    let copy = read("demo/another-teams-path.yaml");
    let route = read("demo/missing-listener.yaml");
    let web = read("examples/cluster/web.yaml");
    // In a cluster, `/mutate` has filled in the class.
    let gateway = read("demo/gateway.yaml").replace("spec:\n", "spec:\n  gatewayClassName: public\n");
    let rest = [
        ("classes.yaml", &*read("examples/cluster/classes.yaml")),
        ("team-b.yaml", &read("examples/cluster/team-b.yaml")),
        ("gateway-class.yaml", &read("demo/gateway-class.yaml")),
        ("gateway.yaml", &gateway),
    ];

    let changes = folder(&[("another-teams-path.yaml", &copy), ("missing-listener.yaml", &route)]);
    let cluster = folder(&[&rest[..], &[("web.yaml", &*web)]].concat());
    let (files, objects) = (text(changes.path()), text(cluster.path()));
    let (_, linted, errors) = run(&["lint", &files, "--objects", &objects]);
    assert_eq!(linted.replace(&files, "changes"), output("lint changes --objects cluster"), "{errors}");

    // A live cluster has the timestamps; the younger of two objects is at fault.
    let missing = read("demo/missing-service.yaml");
    let (web, copy) = (created(&web, "shop", 1), created(&copy, "copy", 2));
    let stored = [("a.yaml", &*web), ("b.yaml", &copy), ("c.yaml", &route), ("d.yaml", &missing)];
    let all = folder(&[&rest[..], &stored].concat());
    let snapshot = snapshot(all.path(), &[]);
    let (_, audited, errors) = run(&["audit", "--against", &snapshot]);
    let (_, reports, _) = run(&["audit", "--against", &snapshot, "-o", "openreports"]);
    fs::remove_file(&snapshot).expect("the snapshot is beside the folder");
    assert_eq!(audited, output("audit --context production"), "{errors}");
    let shown = shown_report();
    assert!(
        reports.split("---\n").any(|report| report == shown),
        "docs/openreports.md shows another Report:\n{reports}"
    );
}

/// The Report that docs/openreports.md shows.
fn shown_report() -> String {
    let page = blocks(&read("docs/openreports.md"));
    let report = page.into_iter().find(|block| block.text.starts_with("apiVersion: openreports.io/"));
    report.expect("docs/openreports.md shows a Report").text
}

/// What the README shows after this command.
fn output(arguments: &str) -> String {
    let command = format!("$ portcullis {arguments}\n");
    let page = blocks(&read("README.md"));
    let shown = page.iter().find_map(|block| Some(block.text.split_once(&command)?.1));
    let shown = shown.unwrap_or_else(|| panic!("the README has no output of {arguments}"));
    let end = shown.find("\n$ ").unwrap_or(shown.len());
    shown[..end].to_owned()
}
