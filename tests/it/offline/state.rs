//! `lint`, `audit` and `snapshot` with the objects of a cluster in files: `--objects` and `--against`.

use std::fs;
use std::path::Path;
use std::process::Command;

use portcullis_testing::repository;

use super::{folder, ingress, lint};

/// The exit code, stdout and stderr.
pub(super) fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_portcullis")).args(arguments).output().expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A snapshot of the manifests in `objects`, in a file beside them.
pub(super) fn snapshot(objects: &Path, more: &[&str]) -> String {
    let file = objects.with_extension("json.gz");
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    let output = command.arg("snapshot").arg("--objects").arg(objects).args(more).output().expect("the program runs");
    // 3 if something is not read.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&output.stderr));
    fs::write(&file, output.stdout).expect("writable");
    text(&file)
}

pub(super) fn text(path: &Path) -> String {
    path.to_str().expect("a plain name").to_owned()
}

const CLASS: &str = "---\napiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: public, annotations: {ingressclass.kubernetes.io/is-default-class: 'true'}}\nspec: {controller: example.com/c}\n";

pub(super) fn service(namespace: &str, name: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Service\nmetadata: {{namespace: {namespace}, name: {name}}}\nspec: {{ports: [{{port: 80}}]}}\n"
    )
}

pub(super) fn objects_are_the_rest_of_the_cluster() {
    let classless = ingress("web", "shop", "shop.example.com", "/").replace("  ingressClassName: public\n", "");
    let twin = ingress("team-b", "old", "twin.example.com", "/");
    let cluster = [CLASS, &service("web", "cart"), &classless, &ingress("web", "old", "twin.example.com", "/"), &twin];
    let cluster = folder(&[("a.yaml", &cluster.concat())]);
    let objects = text(cluster.path());
    let saved = snapshot(cluster.path(), &[]);
    for (what, manifest, code, found) in [
        (
            "a host of the cluster",
            ingress("team-b", "copy", "shop.example.com", "/"),
            1,
            "is already served by Ingress web/shop",
        ),
        (
            "another host",
            ingress("team-b", "new", "new.example.com", "/"),
            0,
            "1 object, 0 would be denied, 0 warnings\n",
        ),
        ("an old conflict", twin.clone(), 0, "already"),
        (
            "a Service that is not among those of its namespace",
            ingress("web", "new", "new.example.com", "/").replace("cart", "none"),
            0,
            "Service web/none not found",
        ),
    ] {
        let files = folder(&[("a.yaml", &manifest)]);
        for options in [["--objects", &objects], ["--against", &saved]] {
            let (exit, printed, errors) = lint(files.path(), &options);
            assert!(exit == Some(code) && printed.contains(found), "{what}, {options:?}: {printed}{errors}");
        }
    }
    // Services of team-b are in no file, so they are not known.
    let files = folder(&[("a.yaml", &ingress("team-b", "new", "new.example.com", "/"))]);
    let complete = snapshot(cluster.path(), &["--complete"]);
    for options in [&["--objects", &objects, "--complete"][..], &["--against", &complete]] {
        let (code, printed, errors) = lint(files.path(), options);
        assert!(code == Some(0) && printed.contains("Service team-b/cart not found"), "{options:?}: {printed}{errors}");
    }
    // Those beside the Ingress are.
    fs::write(files.path().join("b.yaml"), service("team-b", "other")).expect("writable");
    let (_, printed, errors) = lint(files.path(), &["--objects", &objects]);
    assert!(printed.contains("Service team-b/cart not found"), "{printed}{errors}");
}

pub(super) fn checked_files_are_not_the_cluster() {
    let bad = ingress("web", "shop", "shop.example.com", "cart");
    let all = folder(&[("b.yaml", &ingress("web", "other", "other.example.com", "/"))]);
    fs::create_dir(all.path().join("app")).expect("writable");
    fs::write(all.path().join("app/a.yaml"), &bad).expect("writable");
    let objects = text(all.path());
    for path in ["app", "app/a.yaml"] {
        let (code, printed, errors) = lint(&all.path().join(path), &["--objects", &objects]);
        assert_eq!(code, Some(1), "a new object, not an update of itself: {printed}{errors}");
    }
    let (code, printed, errors) = lint(all.path(), &["--objects", &text(&all.path().join("app"))]);
    assert!(
        code == Some(1) && errors.contains("note: --objects contains only files that are checked"),
        "{printed}{errors}"
    );
}

pub(super) fn unread_objects_make_the_result_incomplete() {
    let cluster = folder(&[("a.yaml", &service("web", "cart")), ("b.yaml", "kind: Service\nmetadata: [\n")]);
    let files = folder(&[("a.yaml", &(ingress("web", "shop", "shop.example.com", "/").replace("cart", "none")))]);
    let (code, printed, errors) = lint(files.path(), &["--objects", &text(cluster.path())]);
    assert!(code == Some(3) && !printed.contains("not found"), "the Service may be in the malformed file: {printed}");
    assert!(errors.contains("b.yaml: line 2"), "{errors}");
    let (code, printed, errors) = lint(files.path(), &["--against", &snapshot(cluster.path(), &[])]);
    assert!(code == Some(3) && !printed.contains("not found"), "{printed}{errors}");
    assert!(errors.contains("b.yaml: line 2"), "{errors}");
}

pub(super) fn audit_reads_files_and_snapshots() {
    let first = ingress("web", "shop", "shop.example.com", "/");
    let second = ingress("team-b", "copy", "shop.example.com", "cart");
    let cluster = folder(&[("a.yaml", &(first + &second)), ("b.yaml", &service("web", "cart"))]);
    let objects = text(cluster.path());
    let (code, printed, errors) = run(&["audit", "--objects", &objects]);
    assert_eq!(code, Some(1), "{errors}");
    let file = format!("namespace team-b: 1 denial, 0 warnings\n  {objects}/a.yaml: Ingress team-b/copy\n");
    assert!(printed.starts_with(&file) && printed.contains("[ingress/path-not-absolute]"), "{printed}");
    let (code, of_snapshot, errors) = run(&["audit", "--against", &snapshot(cluster.path(), &[])]);
    let without_positions = printed.replace(&format!("{objects}/a.yaml: "), "").replace("18:21  ", "");
    assert_eq!((code, of_snapshot), (Some(1), without_positions), "{errors}");
    fs::write(cluster.path().join("c.yaml"), "kind: Ingress\nspec: [\n").expect("writable");
    let (code, printed, errors) = run(&["audit", "--objects", &objects, "--only-namespace", "web"]);
    assert!(code == Some(3) && errors.contains("c.yaml: line 2"), "{printed}{errors}");
}

/// `audit`, `status` and `snapshot` take files as arguments, too.
pub(super) fn paths_are_the_same_as_objects() {
    let first = folder(&[("a.yaml", &ingress("web", "shop", "shop.example.com", "cart"))]);
    let second = folder(&[("b.yaml", &(CLASS.to_owned() + &service("web", "cart")))]);
    let (first, second) = (text(first.path()), text(second.path()));
    for command in [&["audit"][..], &["audit", "-n", "shop"], &["status"], &["status", "--complete"]] {
        let ask = |more: &[&str]| run(&[command, more].concat());
        let expected = ask(&["--objects", &first, "--objects", &second]);
        assert_ne!(expected.0, Some(2), "{command:?}: {}", expected.2);
        assert_eq!(ask(&[&first, &second]), expected, "{command:?}");
        assert_eq!(ask(&[&second, "--objects", &first]), expected, "{command:?}");
        for cluster in [["--against", "a"], ["--context", "a"]] {
            let (code, _, errors) = ask(&[&[&*first], &cluster[..]].concat());
            assert!(code == Some(2) && errors.contains("cannot be used with"), "{command:?} {cluster:?}: {errors}");
        }
    }
    let missing = "portcullis: /nonexistent: No such file";
    let (code, _, errors) = run(&["audit", "/nonexistent"]);
    assert!(code == Some(2) && errors.starts_with(missing), "{errors}");
    let output = Command::new(env!("CARGO_BIN_EXE_portcullis")).args(["snapshot", &first, "--complete"]).output();
    let output = output.expect("the program runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let saved_in = folder(&[]);
    let saved = saved_in.path().join("world.json.gz");
    fs::write(&saved, output.stdout).expect("writable");
    let (code, printed, errors) = run(&["audit", "--against", &text(&saved)]);
    assert!(code == Some(1) && printed.contains("[ingress/path-not-absolute]"), "{printed}{errors}");
}

pub(super) fn templates_in_a_snapshot_are_one_line() {
    let chart = repository::root().join("charts/portcullis");
    let output = Command::new(env!("CARGO_BIN_EXE_portcullis")).arg("snapshot").arg(&chart).output();
    let output = output.expect("the program runs");
    let folder = folder(&[]);
    let saved = folder.path().join("world.json.gz");
    fs::write(&saved, output.stdout).expect("writable");
    let errors = String::from_utf8(output.stderr).expect("text");
    let (code, _, of_status) = run(&["status", "--against", &text(&saved)]);
    assert_eq!((output.status.code(), code), (Some(3), Some(3)), "{errors}{of_status}");
    for (errors, end) in [(errors, "; the snapshot does not contain it"), (of_status, "")] {
        let lines: Vec<&str> = errors.lines().filter(|line| line.contains(" more: this is a template, ")).collect();
        assert!(matches!(lines[..], [line] if line.ends_with(end)), "not one line:\n{errors}");
        assert_eq!(errors.matches("this is a template").count(), 1, "{errors}");
    }
}

pub(super) fn labels_without_effect_are_reported() {
    let namespace = |name: &str, profile: &str| {
        format!("---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}, labels: {{policy: {profile}}}}}\n")
    };
    let objects = ingress("web", "shop", "shop.example.com", "/") + &namespace("web", "restrictd");
    let files = folder(&[("a.yaml", &(objects + &namespace("team-b", "restricted")))]);
    let config = format!(
        "apiVersion: {}\nkind: {}\nnamespaceProfileLabel: policy\n",
        portcullis_core::config::API_VERSION,
        portcullis_core::config::KIND
    );
    let folder = folder(&[("config.yaml", &config)]);
    let (config, objects) = (text(&folder.path().join("config.yaml")), text(files.path()));
    let warning = format!(
        "portcullis: warning: {config}: line 3, column 24: label policy=restrictd of Namespace web has no effect: `restrictd` is not a profile; use audit, baseline, restricted, kep-758\n"
    );
    for command in [&["audit", "--objects", &objects][..], &["lint", &objects]] {
        assert_eq!(run(&[command, &["--config", &config]].concat()).2, warning, "{command:?}");
        assert_eq!(run(&[command, &["--config", &config, "--quiet"]].concat()).2, "", "{command:?}");
        assert_eq!(run(command).2, "", "{command:?}: no label means anything");
    }
}

pub(super) fn unknown_namespaces_are_named() {
    let files = folder(&[("a.yaml", &ingress("web", "shop", "shop.example.com", "/"))]);
    let head =
        format!("apiVersion: {}\nkind: {}\n", portcullis_core::config::API_VERSION, portcullis_core::config::KIND);
    let config = head + "overrides: [{match: {namespaces: {labels: {team: web}}}, profile: restricted}]\n";
    let namespace =
        |name: &str| format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}, labels: {{team: web}}}}\n");
    let others =
        folder(&[("config.yaml", &config), ("same.yaml", &namespace("web")), ("other.yaml", &namespace("wep"))]);
    let other = |name: &str| text(&others.path().join(name));
    let (objects, config, same, wep) =
        (text(files.path()), other("config.yaml"), other("same.yaml"), other("other.yaml"));
    let note = "portcullis: note: the labels of namespace web are not known, so nothing that depends on them is denied: add Namespaces to the \
                files, or use --context, --against or --objects\n";
    for command in [&["audit", "--objects", &objects][..], &["lint", &objects]] {
        assert_eq!(run(&[command, &["--config", &config]].concat()).2, note, "{command:?}");
        assert_eq!(run(&[command, &["--config", &config, "--quiet"]].concat()).2, "", "{command:?}");
        assert_eq!(run(command).2, "", "{command:?}: nothing depends on labels");
        assert_eq!(run(&[command, &["--objects", &same, "--config", &config]].concat()).2, "", "{command:?}");
    }
    let (_, _, errors) = run(&["lint", &objects, "--objects", &wep, "--complete", "--config", &config]);
    assert_eq!(errors, "portcullis: note: namespace `web` not found; did you mean `wep`?\n");
}

pub(super) fn a_faulty_snapshot_is_one_error_with_a_hint() {
    let files = folder(&[
        ("a.yaml", &ingress("web", "shop", "shop.example.com", "/")),
        ("b.gz", "apiVersion: v1\nkind: List\n"),
    ]);
    let file = |name: &str| text(&files.path().join(name));
    let hint = "; write one with `portcullis snapshot --context NAME >world.json.gz`";
    for (path, cause) in [
        (file("none.gz"), format!("No such file or directory (os error 2){hint}")),
        (file("b.gz"), format!("not a snapshot, or an incomplete one: invalid gzip header{hint}")),
        (text(files.path()), "not a snapshot, or an incomplete one: Is a directory (os error 21); use --objects for a folder of manifests".to_owned()),
    ] {
        for command in [&["lint", &file("a.yaml")][..], &["audit"]] {
            let found = run(&[command, &["--against", &path]].concat());
            assert_eq!(found, (Some(2), String::new(), format!("portcullis: --against {path}: {cause}\n")));
        }
    }
    assert_eq!(run(&["lint", &file("a.yaml"), "--against", "a", "--objects", "b"]).0, Some(2));
}

/// `explain`, `can-i`, `claims` and `status` say the same of a snapshot as of the files that it was taken of.
pub(super) fn requests_and_statuses_are_explained_from_a_snapshot() {
    let cluster = tempfile::tempdir().expect("a temporary folder");
    let objects = cluster.path().join("objects");
    fs::create_dir(&objects).expect("writable");
    let shop = ingress("web", "shop", "shop.example.com", "/");
    fs::write(objects.join("a.yaml"), format!("{shop}\n{}", service("web", "cart"))).expect("writable");
    let (saved, objects) = (snapshot(&objects, &["--complete"]), text(&objects));
    for command in [
        &["explain", "http://shop.example.com/cart"][..],
        &["can-i", "serve", "http://shop.example.com/", "-n", "team-b", "--class", "public"],
        &["claims", "from"],
        &["status"],
    ] {
        let ask = |of: &[&str]| {
            let (code, printed, _) = run(&[command, of].concat());
            (code, printed)
        };
        assert_eq!(ask(&["--against", &saved]), ask(&["--complete", "--objects", &objects]), "{command:?}");
        assert_ne!(ask(&["--against", &saved]).0, Some(2), "{command:?}");
    }
}
