//! What `lint` reads: standard input, folders without some files, and objects without a namespace.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use super::state::{run, text};
use super::{folder, ingress, lint};

/// `lint` with these arguments and this input: exit code, stdout and stderr.
fn lint_input(input: &[u8], arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    command.arg("lint").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    child.stdin.take().expect("it is piped").write_all(input).expect("the program reads");
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

pub(super) fn standard_input_is_read() {
    let bad = ingress("web", "shop", "shop.example.com", "cart");
    let expected = "<stdin>: Ingress web/shop\n  9:21  Deny  spec.rules[0].http.paths[0].path: `cart` must start with `/` [ingress/path-not-absolute]\n\n1 object, 1 would be denied, 0 warnings\n";
    assert_eq!(lint_input(bad.as_bytes(), &["-"]), (Some(1), expected.to_owned(), String::new()));

    let beside = folder(&[("a.yaml", &ingress("web", "shop", "other.example.com", "/"))]);
    let (code, printed, errors) = lint_input(bad.as_bytes(), &["-", beside.path().to_str().expect("a plain name")]);
    assert!(
        code == Some(1) && errors.contains("is defined 2 times: ") && errors.contains("<stdin>"),
        "{printed}{errors}"
    );

    for empty in ["", "# A comment.\n", "a: b\n"] {
        let (code, _, errors) = lint_input(empty.as_bytes(), &["-"]);
        assert!(code == Some(2) && errors.contains("<stdin>: no manifest"), "{code:?} {errors}");
    }
    let (code, _, errors) = lint_input(&[b'a', 0xff], &["-"]);
    assert!(code == Some(3) && errors.contains("<stdin>: is not UTF-8 text"), "{code:?} {errors}");
}

pub(super) fn excluded_files_are_not_read() {
    let (good, bad) = (ingress("web", "a", "a.example.com", "/"), ingress("web", "b", "b.example.com", "b"));
    let folder = folder(&[("a.yaml", &good), ("b.test.yaml", &bad)]);
    for name in ["tests", "charts/tests"] {
        fs::create_dir_all(folder.path().join(name)).expect("writable");
        fs::write(folder.path().join(name).join("c.yaml"), "kind: [\n").expect("writable");
    }
    assert_eq!(lint(folder.path(), &[]).0, Some(1));
    let (code, printed, errors) = lint(folder.path(), &["--exclude", "tests", "--exclude", "*.test.yaml"]);
    assert_eq!((code, &*printed, &*errors), (Some(0), "1 object, 0 would be denied, 0 warnings\n", ""));
    let (code, ..) = lint(folder.path(), &["--exclude", "tests", "--exclude", "b.*"]);
    assert_eq!(code, Some(0));
    let (code, ..) = lint(folder.path(), &["--exclude", "charts/**", "--exclude", "*.test.yaml"]);
    assert_eq!(code, Some(3), "only one of the two folders is excluded");
    let (code, _, errors) = lint(folder.path(), &["--exclude", "["]);
    assert!(code == Some(2) && errors.contains("--exclude"), "{errors}");
}

pub(super) fn a_misspelled_namespace_is_an_error() {
    let files = [("a.yaml", &*ingress("team-a", "shop", "shop.example.com", "/")), ("b.yaml", NAMESPACE)];
    let folder = folder(&files);
    let (code, printed, errors) = lint(folder.path(), &["--only-namespace", "taem-a"]);
    assert_eq!((code, &*printed), (Some(2), ""), "{errors}");
    assert!(errors.contains("--only-namespace: namespace `taem-a` not found; did you mean `team-a`?"), "{errors}");
    let (code, _, errors) = lint(folder.path(), &["--only-namespace", "*-x"]);
    assert!(code == Some(2) && errors.contains("namespace `*-x` not found; "), "{errors}");
    for existing in ["team-a", "team-*", "empty"] {
        let (code, _, errors) = lint(folder.path(), &["--only-namespace", existing]);
        assert_eq!(code, Some(0), "{existing}: {errors}");
    }
}

pub(super) fn a_namespace_that_may_be_in_an_unread_document_is_no_error() {
    let malformed = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {namespace: web, name: [\n";
    let other = ingress("team-a", "shop", "shop.example.com", "cart");
    for files in [&[("a.yaml", malformed)][..], &[("a.yaml", malformed), ("b.yaml", &other)]] {
        let folder = folder(files);
        let (code, printed, errors) = lint(folder.path(), &["--only-namespace", "web"]);
        assert_eq!(code, Some(3), "{printed}{errors}");
        assert!(printed.starts_with("incomplete: 0 objects, ") && printed.contains("(DIR/a.yaml)"), "{printed}");
        assert!(errors.contains("portcullis: DIR/a.yaml: line 3, "), "{errors}");
        let warning = "portcullis: warning: --only-namespace: namespace `web` not found; ";
        assert!(
            errors.contains(warning) && errors.contains("; 1 document was not read and may be in it\n"),
            "{errors}"
        );
    }
    // An object that is only in part unread has a namespace.
    let unread = other.replace("number: 80", "number: eighty");
    let (code, _, errors) = lint(folder(&[("a.yaml", &unread)]).path(), &["--only-namespace", "web"]);
    assert!(code == Some(2) && errors.contains("namespace `web` not found"), "{errors}");
}

/// A Namespace without objects.
const NAMESPACE: &str = "apiVersion: v1\nkind: Namespace\nmetadata: {name: empty}\n";

pub(super) fn the_user_decides_where_the_configuration_says_so() {
    let config = format!(
        "apiVersion: {}\nkind: {}\n{}",
        portcullis_core::config::API_VERSION,
        portcullis_core::config::KIND,
        "hostOwnership: {hosts: [{host: pay.example.com, namespaces: {names: [payments]}}]}
exemptions: [{checks: [host/not-owned], match: {users: [admin]}, reason: moves hosts}]
overrides: [{match: {groups: [interns]}, checks: {ingress/tls-missing: Deny}}]
"
    );
    let folder = folder(&[("a.yaml", &ingress("web", "shop", "pay.example.com", "/"))]);
    let file = folder.path().join("config");
    fs::write(&file, config).expect("writable");
    let ids = |more: &[&str]| {
        let arguments = [&["--config", file.to_str().expect("a plain name"), "--exclude", "config"], more].concat();
        let (code, printed, errors) = lint(folder.path(), &arguments);
        (code, printed.contains("[host/not-owned]"), printed.contains("Deny  spec.tls: "), errors)
    };
    assert_eq!(ids(&[]), (Some(1), true, false, String::new()));
    assert_eq!(ids(&["--as", "admin"]), (Some(0), false, false, String::new()));
    assert_eq!(ids(&["--as", "bob", "--as-group", "interns"]), (Some(1), true, true, String::new()));
    assert_eq!(ids(&["--as-group", "interns"]).0, Some(2), "a group needs a user");
}

pub(super) fn hidden_denials_are_counted() {
    let denied = ingress("web", "shop", "Shop_x.example.com", "/").replace("spec:", "spec:\n  ingressClas: public");
    let folder = folder(&[("a.yaml", &denied)]);
    let (code, printed, errors) = lint(folder.path(), &["--action", "warn"]);
    assert!(!printed.contains("  Deny  ") && printed.contains("[object/unknown-field]"), "{printed}{errors}");
    assert_eq!(code, Some(1), "{printed}");
    assert!(
        printed.contains("denials are hidden by the filters") || printed.contains("1 denial is hidden"),
        "{printed}"
    );
    let (code, printed, _) = lint(folder.path(), &["--check", "object/unknown-field"]);
    assert!(code == Some(0) && printed.contains("hidden by the filters"), "what is not judged is named: {printed}");
    let (_, printed, _) = lint(folder.path(), &["--action", "warn", "-o", "github"]);
    assert!(printed.contains("::notice title=portcullis::") && printed.contains("hidden by the filters"), "{printed}");
    let (_, printed, _) = lint(folder.path(), &["--action", "warn", "-o", "junit"]);
    assert!(printed.contains("<skipped message=\"") && printed.contains("hidden by the filters"), "{printed}");
    let (_, printed, _) = lint(folder.path(), &[]);
    assert!(!printed.contains("hidden"), "{printed}");
}

pub(super) fn hidden_findings_that_fail_are_named() {
    let warned = ingress("web", "shop", "shop.example.com", "/").replace("spec:", "spec:\n  ingressClas: public");
    let denied = ingress("web", "bad", "bad.example.com", "cart");
    let note = |count: &str| format!("the exit code is 1 because of {count} that --action hides");
    let linted = |text: &str, arguments: &[&str]| lint(folder(&[("a.yaml", text)]).path(), arguments);
    let (code, printed, errors) = linted(&warned, &["--fail-on", "warn", "--action", "deny"]);
    let expected = format!("1 object, 0 would be denied, 0 warnings; {}\n", note("1 finding"));
    assert_eq!((code, printed, &*errors), (Some(1), expected, ""));
    let both = warned.clone() + &denied;
    let (code, printed, errors) =
        linted(&(denied.clone() + &denied.replace("bad", "bad2")), &["-q", "--action", "warn"]);
    assert_eq!((code, &*printed, errors), (Some(1), "", format!("portcullis: {}\n", note("2 findings"))));
    for format in ["sarif", "junit", "github", "openreports"] {
        let (_, printed, _) = linted(&both, &["--action", "warn", "-o", format]);
        assert!(printed.contains(&note("1 finding")), "{format}: {printed}");
    }
    let (_, printed, _) = linted(&both, &["--action", "warn", "-o", "json"]);
    assert!(printed.contains("\"hiddenFailures\": 1,"), "{printed}");
    // A finding that is shown explains the exit code, and one that is not judged does not change it.
    for arguments in [&["--fail-on", "warn", "--action", "warn"][..], &["--check", "object/unknown-field"], &["-q"]] {
        let (_, printed, errors) = linted(&both, arguments);
        assert!(!printed.contains("exit code") && !errors.contains("exit code"), "{arguments:?}: {printed}{errors}");
    }
}

pub(super) fn objects_that_are_only_looked_up_are_counted() {
    let objects = "---\napiVersion: v1\nkind: Service\nmetadata: {namespace: web, name: cart}\nspec: {ports: [{port: 80}]}\n---\napiVersion: v1\nkind: Secret\nmetadata: {namespace: web, name: tls}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {namespace: web, name: cart}\n";
    let shop = ingress("web", "shop", "shop.example.com", "/");
    let folder = folder(&[("a.yaml", &(shop + objects))]);
    let (_, printed, errors) = lint(folder.path(), &[]);
    let expected = "1 object, 0 would be denied, 0 warnings; 2 objects were read only to resolve references; 1 document was skipped: its kind is not checked\n";
    assert_eq!(printed, expected, "{errors}");
    let (_, printed, _) = lint(folder.path(), &["-o", "json"]);
    assert!(printed.contains("\"lookedUp\": 2,"), "{printed}");
}

pub(super) fn paths_without_checked_objects_are_noted() {
    let deployment = "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {namespace: web, name: cart}\n";
    let service = "---\napiVersion: v1\nkind: Service\nmetadata: {namespace: web, name: cart}\n";
    let files = folder(&[("a.yaml", deployment), ("b.yaml", service)]);
    let note = |files: &str| {
        format!("portcullis: note: DIR: no object of the kinds that Portcullis checks was found in {files}\n")
    };
    let (code, printed, errors) = lint(files.path(), &[]);
    assert!(code == Some(0) && printed.starts_with("0 objects, "), "{printed}");
    assert_eq!(errors, note("2 files"));
    assert_eq!(lint(files.path(), &["--exclude", "a.yaml"]).2, note("1 file"));
    assert_eq!(lint(files.path(), &["--quiet"]), (Some(0), String::new(), String::new()));
    let objects = text(files.path());
    for command in [&["audit"][..], &["status", "--compare"]] {
        let (code, _, errors) = run(&[command, &[&*objects]].concat());
        assert_eq!((code, errors.replace(&objects, "DIR")), (Some(0), note("2 files")), "{command:?}");
    }
    assert_eq!(run(&["audit", "--quiet", &objects]), (Some(0), String::new(), String::new()));
    let (code, _, errors) = lint_input(service.as_bytes(), &["-"]);
    let note = "portcullis: note: <stdin>: no object of the kinds that Portcullis checks was found\n";
    assert_eq!((code, &*errors), (Some(0), note));
    fs::write(files.path().join("c.yaml"), ingress("web", "shop", "shop.example.com", "/")).expect("writable");
    let (code, printed, errors) = lint(files.path(), &["--only-namespace", "web", "--check", "gateway/*"]);
    assert_eq!((code, &*errors), (Some(0), ""), "an object that a filter hides was found: {printed}");
    for command in [&["audit", "--check", "gateway/*"][..], &["status", "--compare"]] {
        let (_, printed, errors) = run(&[command, &[&*objects]].concat());
        assert_eq!(errors, "", "{command:?}: {printed}");
    }
}

pub(super) fn objects_get_the_given_namespace() {
    let bare = ingress("web", "shop", "shop.example.com", "cart").replace("namespace: web, ", "");
    let folder = folder(&[("a.yaml", &bare), ("b.yaml", &ingress("web", "named", "b.example.com", "b"))]);
    let (_, printed, _) = lint(folder.path(), &[]);
    assert!(printed.contains("Ingress default/shop") && printed.contains("Ingress web/named"), "{printed}");
    let (_, printed, _) = lint(folder.path(), &["--namespace", "team-a"]);
    assert!(printed.contains("Ingress team-a/shop") && printed.contains("Ingress web/named"), "{printed}");
    let (_, printed, _) = lint(folder.path(), &["-n", "team-a", "--only-namespace", "team-a"]);
    assert!(printed.contains("Ingress team-a/shop") && !printed.contains("Ingress web/named"), "{printed}");
}
