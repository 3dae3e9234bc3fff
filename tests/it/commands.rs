//! The small commands: their output and exit codes.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output};

use libtest_mimic::Trial;
use portcullis_core::checks::registry;
use portcullis_core::finding::Action;
use portcullis_testing::{golden, repository};

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn()| {
        Trial::test(format!("commands::{name}"), move || {
            test();
            Ok(())
        })
    };
    vec![
        trial("config_check_summarizes_a_valid_configuration", config_check_summarizes_a_valid_configuration),
        trial("config_check_reports_all_errors", config_check_reports_all_errors),
        trial("why_explains_the_text_of_a_denial", why_explains_the_text_of_a_denial),
        trial("certificates_are_made_once", certificates_are_made_once),
        trial("can_i_serve_answers_like_the_webhook", can_i_serve_answers_like_the_webhook),
        trial("can_i_serve_knows_the_first_namespace_and_https", can_i_serve_knows_the_first_namespace_and_https),
        trial("can_i_serve_says_that_a_url_fails_today", can_i_serve_says_that_a_url_fails_today),
        trial("can_i_serve_knows_claims", can_i_serve_knows_claims),
        trial("can_i_serve_knows_that_routes_need_https", can_i_serve_knows_that_routes_need_https),
        trial("can_i_serve_names_what_is_not_read", can_i_serve_names_what_is_not_read),
        trial("can_i_serve_knows_which_namespaces_exist", can_i_serve_knows_which_namespaces_exist),
        trial("templates_of_a_chart_are_named_in_one_line", templates_of_a_chart_are_named_in_one_line),
        trial("a_cluster_without_answer_is_named_once", a_cluster_without_answer_is_named_once),
        trial("demo_shows_what_each_part_answers", demo_shows_what_each_part_answers),
        trial("completions_know_every_command", completions_know_every_command),
        trial("each_command_has_a_man_page", each_command_has_a_man_page),
    ]
}

fn templates_of_a_chart_are_named_in_one_line() {
    let chart = repository::root().join("charts/portcullis").display().to_string();
    for command in [
        &["status"][..],
        &["explain", "https://shop.example.com/"],
        &["can-i", "serve", "https://shop.example.com/", "--namespace", "shop"],
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        let (code, printed, errors) =
            parts(&program.args(command).args(["--objects", &chart]).output().expect("cargo built it"));
        let lines: Vec<&str> = errors.lines().filter(|line| line.contains("templates are not rendered")).collect();
        let [line] = lines[..] else { panic!("{command:?}: not one line:\n{errors}") };
        assert!(line.starts_with(&format!("portcullis: {chart}/templates/certificates.yaml, ")), "{line}");
        assert!(line.contains(" more: this is a template, "), "{line}");
        let lines: Vec<&str> = printed.lines().filter(|line| line.contains("not rendered")).collect();
        assert!(lines.iter().collect::<BTreeSet<_>>().len() == lines.len(), "{printed}");
        assert_eq!(code, Some(3), "{command:?}: {errors}");
    }
}

fn config_check_summarizes_a_valid_configuration() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = configuration(folder.path(), "profile: audit@0.1\n");
    let (code, printed, errors) = parts(&portcullis(["config", "check", &file]));
    let count = |action| registry::all().filter(|check| check.actions.audit == action).count();
    let (warn, audit) = (count(Action::Warn), count(Action::Audit));
    let summary = format!("{file}: profile audit@0.1; checks that deny: 0, warn: {warn}, audit: {audit}\n");
    assert_eq!((code, printed, errors), (Some(0), summary, String::new()));
}

fn why_explains_the_text_of_a_denial() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = configuration(
        folder.path(),
        "overrides:\n- match: {namespaces: {names: [search]}}\n  checks: {ingress/snippet: Deny}\n",
    );
    let line =
        r#"{"fields":{"message":"denied","object":"Ingress search/take","user":"ci","checks":"ingress/snippet"}}"#;
    let (code, printed, errors) = parts(&portcullis(["why", "--config", &file, line]));
    assert_eq!((code, &*errors), (Some(0), ""), "{printed}");
    let decides = format!("  Deny    overrides[0].checks.ingress/snippet ({file}: line 5, column 12)  <- decides\n");
    assert!(printed.starts_with("ingress/snippet: Deny\n") && printed.contains(&decides), "{printed}");
    assert!(printed.contains("\n## What to do\n"), "{printed}");

    let message = r#"The Ingress "take" is invalid: metadata.annotations[x]: text [ingress/snippet]"#;
    let (code, printed, errors) = parts(&portcullis(["why", "--config", &file, message]));
    assert_eq!(code, Some(0), "{errors}");
    assert!(printed.starts_with("ingress/snippet: Warn\n"), "the namespace is not known: {printed}");
    assert!(errors.contains("the text does not name the namespace"), "{errors}");
    let warning = "Warning: metadata.annotations[x]: text [ingress/snippet]";
    let (code, _, errors) = parts(&portcullis(["why", "--namespace", "search", "--config", &file, warning]));
    assert!(code == Some(0) && errors.contains("the text is a warning, which denies no write"), "{errors}");
    let failed =
        r#"Internal error occurred: failed calling webhook "namespaced.portcullis.dev": context deadline exceeded"#;
    let (code, printed, errors) = parts(&portcullis(["why", failed]));
    assert_eq!((code, &*errors), (Some(0), ""), "{printed}");
    assert!(printed.starts_with("No check has evaluated the write that failed: "), "{printed}");
    let (code, _, errors) = parts(&portcullis(["why", "Error from server (Forbidden): ingresses is forbidden"]));
    assert_eq!(code, Some(2));
    assert!(errors.contains("the text names no check of this version"), "{errors}");
}

/// It runs outside of a checkout, and leaves neither a process nor a file.
fn demo_shows_what_each_part_answers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut demo = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    demo.arg("demo").current_dir(&folder).env("TMPDIR", folder.path());
    let (code, printed, errors) = parts(&demo.output().expect("the program runs"));
    let address = printed.split_once("https://").and_then(|(_, rest)| rest.split_once(' ')).expect("an address").0;
    assert_eq!((code, &*errors), (Some(0), ""), "{printed}");
    assert_eq!(golden::differs("demo", &printed.replace(address, "127.0.0.1:9443")), None);
    assert!(TcpStream::connect(address).is_err(), "the server still runs");
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 0, "files are left");

    demo.arg("--control-plane");
    let (code, printed, errors) = parts(&demo.output().expect("the program runs"));
    let expected = "portcullis: demo/run.sh not found: --control-plane runs in a checkout of Portcullis\n";
    assert_eq!((code, &*printed, &*errors), (Some(2), "", expected));
}

fn config_check_reports_all_errors() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = configuration(folder.path(), "profile: basline\nchecks:\n  host/path-conflct: Warn\n");
    let faults = format!(
        "portcullis: {file}: line 3, column 10: unknown profile `basline`; did you mean `baseline`?\n\
         portcullis: {file}: line 5, column 3: unknown check `host/path-conflct`; did you mean `host/path-conflict`?\n"
    );
    assert_eq!(parts(&portcullis(["config", "check", &file])), (Some(2), String::new(), faults));
}

fn certificates_are_made_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("certs").display().to_string();
    let make = || parts(&portcullis(["certs", "--out", &out, "--name", "gate.example.com"]));
    let authority = || std::fs::read_to_string(format!("{out}/ca.crt")).expect("the authority is there");

    let first = make();
    let (trusted, paths) =
        (authority(), ["ca.crt", "ca.key", "tls.crt", "tls.key"].map(|name| format!("{out}/{name}\n")));
    assert_eq!(first.0, Some(0), "{}", first.2);
    assert!(paths.iter().all(|path| first.1.contains(path)), "{}", first.1);
    assert_eq!(make(), first);
    assert_eq!(authority(), trusted, "the second run made another authority");
}

/// An Ingress, a Gateway that is open to one namespace, and the owners of two hosts.
fn shop() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let objects = "apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {namespace: web, name: shop}
spec:
  ingressClassName: public
  rules: [{host: shop.example.com, http: {paths: [{path: /cart, pathType: Prefix, backend: {service: {name: a, port: {number: 80}}}}]}}]
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: public}
spec: {controller: example.com/c}
---
apiVersion: v1
kind: Namespace
metadata: {name: web}
---
apiVersion: v1
kind: Namespace
metadata: {name: team-b}
---
apiVersion: v1
kind: Namespace
metadata: {name: team-c}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {namespace: web, name: edge}
spec: {gatewayClassName: any, listeners: [{name: http, port: 80, protocol: HTTP}]}
";
    fs::create_dir(folder.path().join("objects")).expect("writable");
    fs::write(folder.path().join("objects/a.yaml"), objects).expect("writable");
    let owners = "hostOwnership:
  hosts:
  - {host: '*.pay.example.com', namespaces: {names: [payments]}}
  - {host: shop.example.com, namespaces: {names: [web, team-b]}}
exemptions:
- {checks: [host/not-owned], match: {users: [admin]}, reason: the admin moves hosts, expires: 2099-01-01}
";
    let config = configuration(folder.path(), owners);
    (folder, config)
}

fn can_i_serve_answers_like_the_webhook() {
    let (folder, config) = shop();
    let objects = folder.path().join("objects").display().to_string();
    let ask = |words: &str| {
        let words = words.split_whitespace().map(str::to_owned);
        let given = ["--objects".to_owned(), objects.clone(), "--config".to_owned(), config.clone()];
        let arguments: Vec<String> =
            ["can-i", "serve"].map(str::to_owned).into_iter().chain(words).chain(given).collect();
        parts(&Command::new(env!("CARGO_BIN_EXE_portcullis")).args(arguments).output().expect("cargo built it"))
    };
    for (words, code, lines) in [
        (
            "http://shop.example.com/cart -n team-b --class public",
            1,
            &[
                "no: a new Ingress of namespace team-b for http://shop.example.com/cart",
                "owner: namespaces web, team-b, by the entry shop.example.com of hostOwnership",
                "today: Ingress web/shop answers: spec.rules[0].http.paths[0]",
                "other namespaces with this host: Ingress web/shop",
                "is already served by Ingress web/shop",
            ][..],
        ),
        ("http://shop.example.com/other -n team-b --class public", 0, &["yes: ", "today: no object answers"][..]),
        (
            "http://shop.example.com/ -n team-c --class public",
            1,
            &["belongs to namespaces web, team-b [host/not-owned]"][..],
        ),
        (
            "http://a.pay.example.com/ -n web --class public",
            1,
            &["by the entry *.pay.example.com", "[host/not-owned]"][..],
        ),
        ("http://a.pay.example.com/ -n web --class public --as admin", 0, &["yes: "][..]),
        (
            "http://free.example.com/ -n web --gateway web/edge",
            0,
            &["yes: a new HTTPRoute", "owner: no entry", "gateway: Gateway web/edge accepts it"][..],
        ),
        (
            "http://free.example.com/ -n team-b --gateway web/edge",
            1,
            &["no: ", "gateway: not served: no listener of Gateway web/edge allows routes of namespace team-b"][..],
        ),
        ("https://free.example.com/ -n web --gateway web/edge", 1, &["no: ", "gateway: not served: "][..]),
        ("http://free.example.com:8080/ -n web --gateway web/edge", 1, &["no: ", "gateway: not served: "][..]),
        (
            "http://free.example.com/ -n web --gateway web/none",
            1,
            &["gateway: not served: Gateway web/none not found"][..],
        ),
        ("http://free.example.com/ -n web --class private", 0, &["IngressClass `private` not found"][..]),
        ("not-a-url: -n web", 2, &[][..]),
    ] {
        let (found, printed, errors) = ask(words);
        for line in lines {
            assert!(printed.contains(line), "{words}: {line}\n{printed}{errors}");
        }
        assert_eq!(found, Some(code), "{words}\n{printed}{errors}");
    }
}

fn can_i_serve_says_that_a_url_fails_today() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let service = "apiVersion: v1\nkind: Service\nmetadata: {namespace: web, name: web}\nspec: {ports: [{port: 80}]}\n";
    let backend = "backend: {service: {name: web, port: {number: 8080}}}";
    let ingress = format!(
        "---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{namespace: web, name: shop}}\nspec:\n  \
         ingressClassName: public\n  rules: [{{host: shop.example.com, http: {{paths: [{{path: /, pathType: Prefix, {backend}}}]}}}}]\n"
    );
    fs::write(folder.path().join("a.yaml"), service.to_owned() + &ingress).expect("writable");
    let mut program = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    program.args(["can-i", "serve", "http://shop.example.com/", "-n", "web", "--objects"]).arg(folder.path());
    let (_, printed, errors) = parts(&program.output().expect("cargo built it"));
    let expected = "\ntoday: Ingress web/shop matches, but no backend can answer: spec.rules[0].http.paths[0]\n";
    assert!(printed.contains(expected), "{printed}{errors}");
}

fn can_i_serve_knows_the_first_namespace_and_https() {
    let (folder, _) = shop();
    let objects = folder.path().join("objects").display().to_string();
    let rules = "hostOwnership: {unlisted: FirstNamespace}\nchecks: {ingress/https-missing: Deny}\n";
    let config = configuration(folder.path(), rules);
    let ask = |url: &str| {
        let arguments = ["can-i", "serve", url, "-n", "team-b", "--class", "public"];
        let rest = ["--objects", &objects, "--config", &config];
        let output = Command::new(env!("CARGO_BIN_EXE_portcullis")).args(arguments).args(rest).output();
        parts(&output.expect("cargo built it"))
    };
    let (code, printed, errors) = ask("https://shop.example.com/other");
    let owner = "owner: namespace web, the first that serves the host: Ingress web/shop\n";
    assert!(code == Some(1) && printed.contains(owner) && printed.contains("[host/not-owned]"), "{printed}{errors}");
    assert_eq!(printed.matches("[host/not-owned]").count(), 1, "the host in spec.tls is not reported again: {printed}");
    let (code, printed, _) = ask("https://new.example.com/");
    assert!(code == Some(0) && printed.contains("owner: none yet; "), "{printed}");
    let (code, printed, _) = ask("http://new.example.com/");
    assert!(code == Some(1) && printed.contains("[ingress/https-missing]"), "{printed}");
}

fn can_i_serve_knows_claims() {
    let (folder, _) = shop();
    let objects = folder.path().join("objects");
    let claims = folder.path().join("objects/claims.yaml");
    let claim = "apiVersion: portcullis.dev/v1alpha1\nkind: HostClaim\nmetadata: {name: pay.apps.example.com}\n\
                 spec: {host: pay.apps.example.com, namespace: team-b}\n";
    fs::write(&claims, claim).expect("our folder is writable");
    let rules = "hostOwnership: {hosts: [{host: '*.apps.example.com', claims: Required}]}\n";
    let config = configuration(folder.path(), rules);
    let ask = |url: &str, namespace: &str| {
        let arguments = ["can-i", "serve", url, "-n", namespace, "--class", "public", "--complete", "--objects"];
        let rest = [objects.to_str().expect("text"), "--config", &config];
        let output = Command::new(env!("CARGO_BIN_EXE_portcullis")).args(arguments).args(rest).output();
        parts(&output.expect("cargo built it"))
    };
    let cases = [
        ("team-b", "pay", 0, "owner: namespace team-b, by HostClaim pay.apps.example.com\n"),
        ("web", "pay", 1, "host pay.apps.example.com belongs to namespace team-b"),
        ("web", "new", 1, "owner: none; no HostClaim covers the host, and one is required\n"),
        ("web", "new", 1, "ask the platform team to create HostClaim new.apps.example.com with namespace web"),
    ];
    for (namespace, label, expected, words) in cases {
        let (code, printed, errors) = ask(&format!("http://{label}.apps.example.com/"), namespace);
        assert!(code == Some(expected) && printed.contains(words), "{namespace} {label}: {printed}{errors}");
    }
}

const BOTH_PROTOCOLS: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {namespace: web, name: both}
spec:
  gatewayClassName: any
  listeners:
  - {name: http, port: 80, protocol: HTTP}
  - {name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: any}]}}
";

fn can_i_serve_knows_that_routes_need_https() {
    let (folder, _) = shop();
    fs::write(folder.path().join("objects/b.yaml"), BOTH_PROTOCOLS).expect("writable");
    let objects = folder.path().join("objects").display().to_string();
    let config = configuration(folder.path(), "checks: {route/https-missing: Deny}\n");
    let ask = |url: &str, gateway: &str| {
        let arguments = ["can-i", "serve", url, "-n", "web", "--gateway", gateway];
        let rest = ["--objects", &objects, "--config", &config];
        let output = Command::new(env!("CARGO_BIN_EXE_portcullis")).args(arguments).args(rest).output();
        parts(&output.expect("cargo built it"))
    };
    for (url, gateway, expected) in [
        ("http://new.example.com/", "web/edge", "Gateway web/edge (listener http): add an HTTPS listener"),
        ("http://new.example.com/", "web/both", "Gateway web/both (listener http): set sectionName to https"),
    ] {
        let (code, printed, errors) = ask(url, gateway);
        assert!(code == Some(1) && printed.contains(expected), "{printed}{errors}");
    }
    let (code, printed, errors) = ask("https://new.example.com/", "web/both");
    assert!(code == Some(0) && !printed.contains("[route/https-missing]"), "{printed}{errors}");
}

fn can_i_serve_names_what_is_not_read() {
    let (folder, _) = shop();
    let objects = folder.path().join("objects");
    fs::write(objects.join("b.yaml"), "kind: Ingress\nspec: [\n").expect("writable");
    let objects = objects.display().to_string();
    let ask = |url: &str| {
        parts(&portcullis(["can-i", "serve", url, "-n", "team-b", "--class", "public", "--objects", &objects]))
    };
    let (code, printed, _) = ask("http://new.example.com/");
    assert!(code == Some(3) && printed.starts_with("unknown: ") && printed.contains("not read: "), "{printed}");
    let (code, printed, _) = ask("http://shop.example.com/cart");
    assert!(code == Some(1) && printed.starts_with("no: "), "what is not read cannot allow it: {printed}");
    let service = "apiVersion: v1\nkind: Service\nmetadata: {namespace: web, name: x}\nspec: {ports: 5}\n";
    fs::write(folder.path().join("objects/b.yaml"), service).expect("writable");
    let (code, printed, _) = ask("http://new.example.com/");
    assert!(code == Some(0) && printed.starts_with("yes: "), "no Service decides: {printed}");
}

fn can_i_serve_knows_which_namespaces_exist() {
    let (folder, _) = shop();
    let objects = folder.path().join("objects");
    let ask = |namespace: &str| {
        let objects = objects.display().to_string();
        parts(&portcullis([
            "can-i",
            "serve",
            "http://new.example.com/",
            "-n",
            namespace,
            "--class",
            "public",
            "--objects",
            &objects,
        ]))
    };
    assert_eq!(ask("team-b").0, Some(0));
    let (code, _, errors) = ask("TEAM");
    assert_eq!((code, &*errors), (Some(2), "portcullis: --namespace: `TEAM` is not the name of a namespace\n"));
    for (missing, hint) in [("taem-b", "did you mean `team-b`?"), ("x", "namespaces are team-b, team-c, web")] {
        let expected = format!("portcullis: --namespace: namespace `{missing}` not found; {hint}\n");
        assert_eq!(ask(missing), (Some(2), String::new(), expected));
    }
    fs::write(objects.join("b.yaml"), "kind: Namespace\nmetadata: [\n").expect("writable");
    let (code, printed, errors) = ask("taem-b");
    assert!(code == Some(3) && printed.starts_with("unknown: "), "it may be in the malformed file: {printed}{errors}");
    fs::remove_file(objects.join("b.yaml")).expect("writable");
    let text = fs::read_to_string(objects.join("a.yaml")).expect("readable");
    let others: Vec<&str> = text.split("---\n").filter(|object| !object.contains("kind: Namespace\n")).collect();
    fs::write(objects.join("a.yaml"), others.join("---\n")).expect("writable");
    let (code, _, errors) = ask("taem-b");
    assert_eq!((code, &*errors), (Some(0), ""), "manifests without Namespaces do not say which exist");
}

fn a_cluster_without_answer_is_named_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("kubeconfig");
    let text = "{clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}";
    fs::write(&file, text).expect("writable");
    let kubeconfig = file.display().to_string();
    let expected = "https://127.0.0.1:1 cannot be reached: Connection refused (os error 111); check the server in the kubeconfig and the network\n";
    for command in
        [&["audit"][..], &["status"], &["explain", "http://a.example.com/"], &["audit", "--config-map", "a/b"]]
    {
        let mut program = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        let output = program.args(command).args(["--kubeconfig", &kubeconfig]).output().expect("cargo built it");
        let (code, _, errors) = parts(&output);
        assert!(code == Some(2) && errors.ends_with(expected), "{command:?}: {errors}");
        assert_eq!((errors.matches("refused").count(), errors.lines().count()), (1, 1), "{errors}");
    }
    let missing = parts(&portcullis(["audit", "--kubeconfig", "/no/such/file"])).2;
    assert_eq!(missing.matches("/no/such/file").count(), 1, "{missing}");
}

fn completions_know_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let (code, printed, errors) = parts(&portcullis(["completions", shell]));
        assert!(code == Some(0) && errors.is_empty(), "{errors}");
        for word in ["lint", "snapshot", "can-i", "only-namespace"] {
            assert!(printed.contains(word), "{shell} does not complete {word}");
        }
    }
    assert_eq!(parts(&portcullis(["completions", "tcsh"])).0, Some(2));
}

fn each_command_has_a_man_page() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pages = folder.path().join("man/man1");
    let (code, _, errors) = parts(&portcullis(["man", pages.to_str().expect("a plain name")]));
    assert_eq!(code, Some(0), "{errors}");
    let page = |name: &str| fs::read_to_string(pages.join(name)).unwrap_or_else(|why| panic!("{name}: {why}"));
    assert!(page("portcullis.1").contains("lint"));
    assert!(page("portcullis-lint.1").contains("against"));
    assert!(page("portcullis-can-i-serve.1").contains("hostOwnership"));
}

/// Creates a configuration file with these lines after its first two. Returns its path.
fn configuration(folder: &Path, lines: &str) -> String {
    let file = folder.join("config.yaml");
    let head =
        format!("apiVersion: {}\nkind: {}\n", portcullis_core::config::API_VERSION, portcullis_core::config::KIND);
    std::fs::write(&file, head + lines).expect("our folder is writable");
    file.display().to_string()
}

fn portcullis<const N: usize>(arguments: [&str; N]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_portcullis")).args(arguments).output().expect("cargo built it")
}

/// The exit code, stdout and stderr.
fn parts(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("the program speaks UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}
