//! What `--objects` and snapshots take from files: every definition, its position, and what is not read.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::state::{run, service, snapshot, text};
use super::{folder, ingress, lint};

/// A route that only the CRDs of the standard channel deny.
pub(super) const BY_PORT: &str = r#"---
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

/// The classes of a file count for the features that they list, also where the manifests define the class.
pub(super) fn class_features_are_read_from_a_file() {
    const ROUTE: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {namespace: web, name: shop}
spec:
  parentRefs: [{name: edge}]
  hostnames: [shop.example.com]
  rules: [{matches: [{method: GET}], backendRefs: [{name: shop, port: 80}]}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {namespace: web, name: edge}
spec: {gatewayClassName: public, listeners: [{name: http, port: 80, protocol: HTTP}]}
";
    const CLASS: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: public}
spec: {controllerName: example.com/gateway}
";
    let listed = format!("apiVersion: v1\nkind: List\nitems:\n- {}", CLASS.trim().replace('\n', "\n  "));
    let listed = listed + "\n  status: {supportedFeatures: [{name: HTTPRoute}]}\n";
    let features = folder(&[("classes.yaml", &listed), ("none.yaml", CLASS)]);
    let file = |name: &str| features.path().join(name).display().to_string();
    for manifests in [ROUTE.to_owned(), format!("{ROUTE}---{CLASS}")] {
        let folder = folder(&[("a.yaml", &manifests)]);
        let (_, printed, _) = lint(folder.path(), &[]);
        assert!(!printed.contains("feature-unsupported"), "{printed}");
        let (_, printed, errors) = lint(folder.path(), &["--class-features", &file("classes.yaml")]);
        let expected = "matches[0].method: GatewayClass public does not support HTTPRouteMethodMatching: ";
        assert!(printed.contains(expected), "{printed}{errors}");
        let (code, _, errors) = lint(folder.path(), &["--class-features", &file("none.yaml")]);
        assert!(code == Some(2) && errors.contains("no GatewayClass with status.supportedFeatures found"), "{errors}");
    }
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

pub(super) fn objects_get_the_namespace_of_the_option() {
    let bare = |text: String| text.replace("namespace: web, ", "");
    let files = folder(&[("a.yaml", &bare(ingress("web", "shop", "shop.example.com", "/")))]);
    let cluster = folder(&[("a.yaml", &(bare(service("web", "cart")) + &service("shop", "other")))]);
    let objects = text(cluster.path());
    let saved = snapshot(cluster.path(), &["--namespace", "shop"]);
    for options in [["--objects", &objects], ["--against", &saved]] {
        let (_, printed, errors) = lint(files.path(), &[&["-n", "shop"], &options[..]].concat());
        assert!(!printed.contains("not found"), "{options:?}: {printed}{errors}");
    }
    let files = text(files.path());
    let (_, printed, errors) =
        run(&["audit", "--objects", &files, "-n", "shop", "-o", "json", "--profile", "restricted"]);
    assert!(printed.contains("\"namespace\": \"shop\""), "{printed}{errors}");
    for source in [&[][..], &["--context", "a"], &["--against", &saved]] {
        for option in [&["-n", "shop"][..], &["--exclude", "a"], &["--complete"]] {
            let (code, printed, errors) = run(&[&["audit"], source, option].concat());
            assert!(code == Some(2) && errors.contains("--objects"), "{source:?} {option:?}: {printed}{errors}");
        }
    }
    for source in [["--context", "a"], ["--against", &saved]] {
        let (code, _, errors) = run(&[&["lint", &files, "--exclude-objects", "a"], &source[..]].concat());
        assert!(code == Some(2) && errors.contains("--exclude-objects"), "{errors}");
    }
}

pub(super) fn excluded_files_are_in_the_cluster() {
    let all = folder(&[]);
    for (name, content) in [
        ("teams/app", ingress("web", "shop", "shop.example.com", "/")),
        ("teams/legacy", ingress("old", "shop", "shop.example.com", "/")),
        ("chart", "kind: Ingress\nspec: [\n".to_owned()),
    ] {
        fs::create_dir_all(all.path().join(name)).expect("writable");
        fs::write(all.path().join(name).join("a.yaml"), content).expect("writable");
    }
    let (teams, objects) = (all.path().join("teams"), text(all.path()));
    let (code, printed, errors) =
        lint(&teams, &["--exclude", "legacy", "--objects", &objects, "--exclude-objects", "chart"]);
    assert!(printed.contains("is already served by Ingress old/shop") && code == Some(1), "{printed}{errors}");
    let excluding = ["--exclude-objects", "chart", "--exclude-objects", "legacy"];
    let (code, printed, errors) = lint(&teams.join("app"), &[&["--objects", &objects], &excluding[..]].concat());
    assert_eq!((code, &*printed), (Some(0), "1 object, 0 would be denied, 0 warnings\n"), "{errors}");
    let audit = |more: &[&str]| run(&[&["audit", "--objects", &objects], more].concat());
    assert_eq!(audit(&["--exclude", "teams"]).0, Some(3));
    let (code, printed, errors) = audit(&["--exclude", "chart", "--exclude", "legacy", "--complete"]);
    assert!(code == Some(0) && printed.contains("Service web/cart not found"), "{printed}{errors}");
    assert_eq!(audit(&["--exclude", "["]).0, Some(2));
    let saved = snapshot(all.path(), &["--exclude", "chart", "--exclude", "app"]);
    let (_, printed, errors) = lint(&teams.join("app"), &["--against", &saved]);
    assert!(printed.contains("is already served by Ingress old/shop"), "{printed}{errors}");
}

pub(super) fn patches_of_checked_kustomizations_are_not_in_the_cluster() {
    let all = folder(&[("b.yaml", &service("web", "cart"))]);
    let app = all.path().join("app");
    fs::create_dir(&app).expect("writable");
    let bad = ingress("web", "shop", "shop.example.com", "cart");
    for (name, content) in [
        ("kustomization.yaml", "resources: [a.yaml]\npatches: [{path: patch.yaml}]\n"),
        ("a.yaml", &*bad),
        ("patch.yaml", &bad),
    ] {
        fs::write(app.join(name), content).expect("writable");
    }
    let (code, printed, errors) = lint(&app, &["--objects", &text(all.path())]);
    assert!(code == Some(1) && !printed.contains("already present"), "{printed}{errors}");
}

pub(super) fn standard_input_that_is_stored_is_named() {
    let bad = ingress("web", "shop", "shop.example.com", "cart");
    let cluster = folder(&[("a.yaml", &bad)]);
    let lint = |input: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        command.args(["lint", "-", "--objects"]).arg(cluster.path()).args(more);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().expect("the program runs");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        (output.status.code(), String::from_utf8(output.stderr).expect("text"))
    };
    let note = "portcullis: note: standard input and --objects both contain Ingress web/shop: checked as an update";
    let (code, errors) = lint(&bad, &[]);
    assert!(code == Some(0) && errors.starts_with(note), "{errors}");
    assert_eq!(lint(&bad, &["--quiet"]), (Some(0), String::new()));
    assert_eq!(lint(&bad.replace("name: shop", "name: new"), &[]).1, "");
}

pub(super) fn every_definition_is_checked() {
    let good = ingress("web", "shop", "shop.example.com", "/");
    let bad = ingress("web", "shop", "shop.example.com", "cart");
    let cluster = folder(&[("a.yaml", &good), ("b.yaml", &good), ("c.yaml", &bad)]);
    let objects = text(cluster.path());
    let (code, printed, errors) = run(&["audit", "--objects", &objects]);
    assert_eq!(code, Some(1), "{printed}{errors}");
    assert!(printed.contains("c.yaml: Ingress web/shop\n    9:21  Deny  "), "with its position: {printed}");
    assert!(printed.contains("2 objects, 1 would be denied"), "the same definition is checked once: {printed}");
    let output = Command::new(env!("CARGO_BIN_EXE_portcullis")).args(["snapshot", "--objects", &objects]).output();
    let output = output.expect("the program runs");
    let errors = String::from_utf8(output.stderr).expect("text");
    let left_out = format!(
        "portcullis: {objects}/c.yaml: Ingress web/shop is already defined in {objects}/a.yaml, with other content; the snapshot does not contain it\n"
    );
    assert!(errors.ends_with(&left_out) && !errors.contains("b.yaml: "), "{errors}");
    assert_eq!(output.status.code(), Some(3));
    let saved = cluster.path().with_extension("json.gz");
    fs::write(&saved, output.stdout).expect("writable");
    let (code, printed, errors) = run(&["audit", "--against", &text(&saved)]);
    assert!(code == Some(3) && printed.contains("  defined more than once: 1 ("), "{printed}{errors}");
    let other = folder(&[("a.yaml", &ingress("web", "new", "new.example.com", "/"))]);
    assert_eq!(lint(other.path(), &["--against", &text(&saved)]).0, Some(0), "the first definition is known");
}

/// The entries of `field` in a report as JSON.
fn entries(printed: &str, field: &str) -> Vec<Value> {
    let report: Value = serde_json::from_str(printed).unwrap_or_else(|error| panic!("{error}: {printed}"));
    report[field].as_array().expect("a list").clone()
}

/// The name of the file, the document and the line of an entry.
fn place(entry: &Value) -> (Option<&str>, Option<u64>, Option<u64>) {
    let file = entry["file"].as_str().and_then(|file| file.rsplit('/').next());
    (file, entry["document"].as_u64(), entry["line"].as_u64())
}

pub(super) fn a_snapshot_remembers_what_is_not_read() {
    let cluster = folder(&[("a.yaml", &service("web", "cart")), ("b.yaml", "kind: Service\nmetadata: [\n")]);
    let objects = text(cluster.path());
    let saved = snapshot(cluster.path(), &[]);
    let files = folder(&[("a.yaml", &ingress("web", "shop", "shop.example.com", "/").replace("cart", "none"))]);
    let lint = |option: [&str; 2]| run(&["lint", &text(files.path()), option[0], option[1], "-o", "json"]);
    let audit = |option: [&str; 2]| run(&["audit", option[0], option[1], "-o", "json"]);
    let (from_files, from_snapshot) = (["--objects", &*objects], ["--against", &*saved]);
    for (read, restored) in [(lint(from_files), lint(from_snapshot)), (audit(from_files), audit(from_snapshot))] {
        assert_eq!((read.0, restored.0), (Some(3), Some(3)), "{}{}", restored.1, restored.2);
        let unread = entries(&restored.1, "notChecked");
        assert_eq!(entries(&read.1, "notChecked"), unread);
        let [unread] = &*unread else { panic!("{unread:?}") };
        assert_eq!(place(unread), (Some("b.yaml"), Some(1), Some(2)));
        assert!(restored.2.contains("b.yaml: line 2"), "{}", restored.2);
    }
}

pub(super) fn an_object_of_the_wrong_type_has_a_position() {
    let shop = ingress("web", "shop", "shop.example.com", "/").replace("number: 80", "number: eighty");
    let service = service("web", "cart").replace("port: 80", "port: many");
    let files = folder(&[("a.yaml", &(service + &shop))]);
    let objects = text(files.path());
    for arguments in [&["lint", &*objects][..], &["audit", "--objects", &objects]] {
        let (_, printed, errors) = run(&[arguments, &["-o", "json"]].concat());
        let unread = entries(&printed, "notChecked");
        let places: Vec<_> = unread.iter().map(place).collect();
        assert_eq!(places, [(Some("a.yaml"), Some(1), Some(5)), (Some("a.yaml"), Some(2), Some(14))], "{errors}");
        let findings = entries(&printed, "findings");
        let is_it = |finding: &&Value| finding["field"].as_str().is_some_and(|field| field.ends_with("port.number"));
        let found = findings.iter().find(is_it).expect("a finding");
        assert_eq!((place(found), &found["column"]), (places[1], &unread[1]["column"]));
        let (_, printed, _) = run(&[arguments, &["-o", "github"]].concat());
        let warning = format!("::warning file={objects}/a.yaml,line=5,col=");
        assert!(printed.contains(&warning), "{printed}");
    }
}

pub(super) fn audit_of_files_has_positions_in_every_format() {
    let files = folder(&[
        ("a.yaml", &ingress("web", "shop", "shop.example.com", "cart")),
        ("b.yaml", "kind: Ingress\nspec: [\n"),
    ]);
    let objects = text(files.path());
    let audit = |format: &str| run(&["audit", "--objects", &objects, "-o", format]).1;
    let [finding] = &*entries(&audit("json"), "findings") else { panic!("one finding") };
    assert_eq!((place(finding), &finding["column"]), ((Some("a.yaml"), Some(1), Some(9)), &21.into()));
    let sarif: Value = serde_json::from_str(&audit("sarif")).expect("JSON");
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startLine"], &region["startColumn"]), (&9.into(), &21.into()), "{sarif}");
    let github = audit("github");
    assert!(github.starts_with(&format!("::error file={objects}/a.yaml,line=9,col=21,")), "{github}");
    let junit = audit("junit");
    assert!(junit.contains("<testsuite name=\"web\" tests=\"1\""), "a suite for each namespace: {junit}");
    assert!(junit.contains(&format!("{objects}/a.yaml:9:21: spec.rules[0]")), "{junit}");
    assert!(junit.contains(&format!("<testsuite name=\"{objects}/b.yaml\"")), "its namespace is not known: {junit}");
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
    let diff = run(&["config", "diff", &config, &config]);
    assert_eq!(diff, (Some(2), error("--objects PATH or --against FILE")));
}

pub(super) fn a_folder_of_checked_files_is_an_empty_cluster() {
    let bad = ingress("web", "shop", "shop.example.com", "cart");
    let files = folder(&[("a.yaml", &bad), ("values.yaml", "replicas: 1\n")]);
    let objects = text(files.path());
    let (code, printed, errors) = lint(files.path(), &["--objects", &objects]);
    assert_eq!(code, Some(1), "{printed}{errors}");
    let note = "portcullis: note: --objects contains only files that are checked, so the cluster is empty\n";
    assert_eq!(errors, note);
    let none = folder(&[("values.yaml", "replicas: 1\n")]);
    let (code, printed, errors) = lint(files.path(), &["--objects", &text(none.path())]);
    assert!(code == Some(2) && errors.contains("--objects: ") && printed.is_empty(), "{printed}{errors}");
    assert_eq!(lint(files.path(), &["--objects", &text(Path::new("/nonexistent"))]).0, Some(2));
}

/// The changed files of a repository may be those of another program.
pub(super) fn changed_files_may_contain_no_manifest() {
    let files = folder(&[("values.yaml", "host: a.example.com\n"), ("b.yaml", &service("web", "cart"))]);
    let (values, objects) = (files.path().join("values.yaml"), text(files.path()));
    let saved = snapshot(files.path(), &[]);
    for options in [["--objects", &objects], ["--against", &saved]] {
        let (code, printed, errors) = lint(&values, &options);
        assert!(code == Some(0) && printed.contains("1 document is not a Kubernetes object"), "{printed}{errors}");
        assert!(errors.contains("portcullis: note: DIR: no manifest ("), "{errors}");
    }
    assert_eq!(lint(&values, &["--objects", &objects, "--quiet"]), (Some(0), String::new(), String::new()));
    assert_eq!(lint(&values, &[]).0, Some(2), "nothing else is checked");
    let other = folder(&[("values.yaml", "host: a.example.com\n")]);
    assert_eq!(lint(other.path(), &["--objects", &objects]).0, Some(2), "a folder must contain a manifest");
}
