//! What `--objects` and snapshots take from files: every definition, its position, and what is not read.

use std::fs;
use std::process::Command;

use super::state::{run, service, snapshot, text};
use super::{folder, ingress, lint};

/// A route that only the CRDs of the standard channel deny.
const BY_PORT: &str = r#"---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {namespace: web, name: shop}
spec:
  parentRefs: [{name: edge, port: 80}, {name: edge, port: 443}]
  rules: [{backendRefs: [{name: cart, port: 80}]}]
"#;

fn crd(channel: &str) -> String {
    format!(
        "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: httproutes.gateway.networking.k8s.io, annotations: {{gateway.networking.k8s.io/bundle-version: v1.6.0, gateway.networking.k8s.io/channel: {channel}}}}}\n"
    )
}

pub(super) fn an_assumed_channel_denies_nothing() {
    let files = folder(&[("a.yaml", BY_PORT)]);
    let cluster = folder(&[("a.yaml", &service("web", "cart"))]);
    let (objects, saved) = (text(cluster.path()), snapshot(cluster.path(), &[]));
    for options in [&[][..], &["--objects", &objects], &["--against", &saved]] {
        let (code, printed, errors) = lint(files.path(), options);
        assert!(code == Some(0) && printed.contains("[route/parent-duplicate]"), "{options:?}: {printed}{errors}");
        assert!(errors.contains("bundle v1.7 standard of the Gateway API is assumed"), "{options:?}: {errors}");
    }
}

pub(super) fn crds_in_files_say_which_channel_is_installed() {
    for (channel, code) in [("standard", 1), ("experimental", 0)] {
        // The CRD is beside the route, or with the objects of the cluster.
        let beside = folder(&[("a.yaml", BY_PORT), ("crd.yaml", &crd(channel))]);
        let alone = folder(&[("a.yaml", BY_PORT)]);
        let cluster = folder(&[("a.yaml", &(service("web", "cart") + &crd(channel)))]);
        let all = folder(&[("a.yaml", &(BY_PORT.to_owned() + &crd(channel)))]);
        let (objects, saved) = (text(cluster.path()), snapshot(cluster.path(), &[]));
        let route = text(&alone.path().join("a.yaml"));
        let (audited, of_all) = (text(all.path()), snapshot(all.path(), &[]));
        for arguments in [
            &["lint", &text(beside.path())][..],
            &["lint", &route, "--objects", &objects],
            &["lint", &route, "--against", &saved],
            &["audit", "--objects", &audited],
            &["audit", "--against", &of_all],
        ] {
            let (exit, printed, errors) = run(arguments);
            assert_eq!(exit, Some(code), "{channel}, {arguments:?}: {printed}{errors}");
            assert!(!errors.contains("is assumed"), "{channel}, {arguments:?}: {errors}");
        }
    }
    // CRDs of both channels say nothing.
    let both = folder(&[("a.yaml", BY_PORT), ("b.yaml", &crd("standard")), ("c.yaml", &crd("experimental"))]);
    let (code, printed, errors) = lint(both.path(), &[]);
    assert!(code == Some(0) && errors.contains("is assumed"), "{printed}{errors}");
}

pub(super) fn an_unread_object_of_another_namespace_does_not_count() {
    let unread = ingress("other", "shop", "b.example.com", "/").replace("number: 80", "number: eighty");
    let class = "---\napiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: a}\nspec: []\n";
    let files = folder(&[("a.yaml", &(ingress("web", "shop", "shop.example.com", "/") + &unread))]);
    let (code, printed, errors) = lint(files.path(), &["--only-namespace", "web"]);
    assert_eq!((code, &*printed, &*errors), (Some(0), "1 object, 0 would be denied, 0 warnings\n", ""));
    assert_ne!(lint(files.path(), &["--only-namespace", "other"]).0, Some(0));
    fs::write(files.path().join("b.yaml"), class).expect("writable");
    let (code, printed, errors) = lint(files.path(), &["--only-namespace", "web"]);
    assert!(code == Some(3) && printed.contains("b.yaml"), "it may matter in every namespace: {printed}{errors}");
}

pub(super) fn a_summary_is_text() {
    let files = folder(&[("a.yaml", &ingress("web", "shop", "shop.example.com", "/"))]);
    let (code, printed, errors) = lint(files.path(), &["--summary", "-o", "json"]);
    let expected =
        "portcullis: --summary is for `--output text`; `summary` of `--output json` always contains the same numbers\n";
    assert_eq!((code, &*printed, &*errors), (Some(2), "", expected));
}

pub(super) fn without_a_cluster_the_alternatives_are_named() {
    let empty = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";
    let folder = folder(&[("config.yaml", empty)]);
    let config = text(&folder.path().join("config.yaml"));
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        let command = command.env("HOME", folder.path()).env_remove("KUBECONFIG").env_remove("KUBERNETES_SERVICE_HOST");
        let output = command.args(arguments).output().expect("the program runs");
        (output.status.code(), String::from_utf8(output.stderr).expect("text"))
    };
    let error = |instead: &str| {
        format!("portcullis: no cluster is configured: name one with --context or --kubeconfig, or use {instead}\n")
    };
    assert_eq!(run(&["audit"]), (Some(2), error("--objects PATH or --against FILE")));
    assert_eq!(run(&["snapshot"]), (Some(2), error("--objects PATH")));
    assert_eq!(run(&["config", "diff", &config, &config]), (Some(2), error("--objects PATH")));
}
