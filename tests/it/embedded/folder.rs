//! The manifests of the folder: which of them are read, and how changed and invalid ones are handled.

use std::fs;

use serde_json::Value;

use super::{Folder, is_claimed, verbose};
use crate::harness::{PortcullisServer, eventually};
use crate::reviews::{INGRESS_CLASS, create, ingress, review};

pub fn a_folder_is_read_again() {
    let folder = Folder::new();
    folder.write("a.json", &ingress("web", "a", "a.example.com", "/"));
    let server = folder.server(&[]);
    let is_claimed = |host| is_claimed(&server, host);
    assert!(is_claimed("a.example.com") && !is_claimed("b.example.com"));

    folder.write("deep/er/b.yaml", &ingress("web", "b", "b.example.com", "/"));
    eventually("a file that appears is read", || is_claimed("b.example.com"));
    folder.write("a.json", &ingress("web", "a", "other.example.com", "/"));
    eventually("a file that changes is read", || is_claimed("other.example.com"));
    assert!(!is_claimed("a.example.com"), "what it held before is gone");
    fs::remove_file(folder.0.join("deep/er/b.yaml")).expect("it is there");
    eventually("what a file held goes with it", || !is_claimed("b.example.com"));
    assert!(is_claimed("other.example.com"));
}

pub fn malformed_file_keeps_last_good_objects() {
    let folder = Folder::new();
    folder.write("a.yaml", &ingress("web", "a", "a.example.com", "/"));
    let server = folder.server(&[]);
    folder.write("a.yaml", "kind: Ingress\n  metadata: ]");
    folder.write("new.yaml", &ingress("web", "new", "new.example.com", "/"));
    eventually("a new file beside a broken one is read", || is_claimed(&server, "new.example.com"));

    assert!(is_claimed(&server, "a.example.com"));
    let says = verbose(&server);
    let line = says.lines().find(|line| line.starts_with("[!]objects ")).expect("it is shown");
    assert!(line.contains("a.yaml: line 2, column "), "{says}");
    let logged = server.logs("manifests are invalid; keeping their last valid objects");
    assert!(logged["fields"]["problem"].as_str().is_some_and(|problem| problem.contains("a.yaml: line 2")), "{logged}");

    folder.write("a.yaml", &ingress("web", "a", "healed.example.com", "/"));
    eventually("a healed file is read", || is_claimed(&server, "healed.example.com"));
    assert!(!verbose(&server).contains("objects"), "{}", verbose(&server));
    assert!(!is_claimed(&server, "a.example.com"));
}

pub fn malformed_update() {
    let folder = Folder::new();
    let good = ingress("web", "a", "a.example.com", "/");
    folder.write("a.yaml", &good);
    let server = folder.server(&[]);
    folder.write("a.yaml", &good.replace(r#""nginx""#, "7"));
    let words = "Ingress web/a cannot be read: spec.ingressClassName: invalid type: integer `7`, expected a string";
    eventually("the loss is shown", || verbose(&server).contains(words));
    assert!(is_claimed(&server, "a.example.com"));
    folder.write("a.yaml", "");
    eventually("what is taken out of the file goes", || !is_claimed(&server, "a.example.com"));
}

pub fn malformed_files_prevent_the_start() {
    let good = ingress("web", "a", "a.example.com", "/");
    for (text, words) in [
        ("kind: Ingress\n  metadata: ]", "a.yaml: line 2, column "),
        (
            &*good.replace(r#""nginx""#, "7"),
            "a.yaml: Ingress web/a cannot be read: spec.ingressClassName: invalid type: integer `7`",
        ),
        (&*good.replace(r#""name":"a""#, r#""labels":{}"#), "a.yaml: Ingress without metadata.name"),
    ] {
        let folder = Folder::new();
        folder.write("a.yaml", text);
        let (code, output) = PortcullisServer::refused(["--objects", folder.path()]);
        assert_eq!(code, Some(2), "{output}");
        assert!(output.contains(words), "{output}");
    }
    let (code, output) = PortcullisServer::refused(["--objects", "/nowhere/at/all"]);
    assert_eq!(code, Some(2));
    assert!(output.contains("--objects: /nowhere/at/all: No such file"), "{output}");
}

pub fn an_object_in_two_files_names_both() {
    let folder = Folder::new();
    folder.write("a.yaml", &ingress("web", "shop", "a.example.com", "/"));
    folder.write("b.yaml", &ingress("web", "shop", "b.example.com", "/"));
    let both = |text: &str| {
        text.contains("Ingress web/shop is defined 2 times: ") && text.contains("a.yaml, ") && text.contains("b.yaml; ")
    };
    let (code, output) = PortcullisServer::refused(["--objects", folder.path()]);
    assert!(code == Some(2) && both(&output), "{code:?}: {output}");

    fs::remove_file(folder.0.join("b.yaml")).expect("it is there");
    let server = folder.server(&[]);
    folder.write("b.yaml", &ingress("web", "shop", "b.example.com", "/"));
    eventually("the second place is reported", || both(&verbose(&server)));
    assert!(
        is_claimed(&server, "a.example.com") && !is_claimed(&server, "b.example.com"),
        "the first place stays in force"
    );
}

pub fn lists_documents_and_json_are_all_read() {
    let folder = Folder::new();
    let of = |name: &str| ingress("web", name, &format!("{name}.example.com"), "/");
    let bare = |name: &str| of(name).replacen(r#""apiVersion":"networking.k8s.io/v1","kind":"Ingress","#, "", 1);
    let elsewhere = r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"cart"}}"#;
    folder.write(
        "list.yaml",
        &format!("apiVersion: v1\nkind: List\nitems:\n- {}\n- {elsewhere}\n- {}\n", of("l1"), of("l2")),
    );
    folder.write(
        "typed.json",
        &format!(
            r#"{{"apiVersion":"networking.k8s.io/v1","kind":"IngressList","items":[{},{}]}}"#,
            bare("t1"),
            bare("t2")
        ),
    );
    folder.write("documents.yml", &format!("# two\n---\n{}\n---\n---\n{elsewhere}\n---\n{}\n", of("d1"), of("d2")));
    folder.write("pretty.json", &format!("\n  {}\n", of("j1")));
    folder.write("README.md", &of("text"));
    folder.write(".hidden/x.yaml", &of("hidden"));
    let server = folder.server(&[]);
    for name in ["l1", "l2", "t1", "t2", "d1", "d2", "j1"] {
        assert!(is_claimed(&server, &format!("{name}.example.com")), "{name}");
    }
    for name in ["text", "hidden"] {
        assert!(!is_claimed(&server, &format!("{name}.example.com")), "{name}");
    }
    assert_eq!(server.metric(r#"portcullis_objects{kind="Ingress"}"#), Some(7.0));
}

/// The creation of an IngressClass that is marked as default.
fn default_class(name: &str) -> String {
    let class = format!(
        r#"{{"apiVersion":"networking.k8s.io/v1","kind":"IngressClass","metadata":{{"name":"{name}","annotations":{{"ingressclass.kubernetes.io/is-default-class":"true"}}}},"spec":{{"controller":"example.com/a"}}}}"#
    );
    review("u-1", &format!(r#""kind":{INGRESS_CLASS},"operation":"CREATE","object":{class}"#))
}

pub fn only_a_complete_folder_knows() {
    let folder = Folder::new();
    folder.write("a.yaml", &ingress("web", "a", "a.example.com", "/"));
    let partial = folder.server(&[]);
    let complete = folder.server(&["--complete"]);
    for (server, classes) in [(&partial, "0 known, list may be incomplete"), (&complete, "0 known")] {
        let says = verbose(server);
        let ingresses = classes.replacen('0', "1", 1);
        assert!(says.lines().any(|line| line == format!("[+]ingresses ok: {ingresses}")), "{says}");
        assert!(says.lines().any(|line| line == format!("[+]ingressclasses ok: {classes}")), "{says}");
    }
    // Existing objects are known with and without `--complete`.
    let class = serde_json::from_str::<Value>(&default_class("first")).expect("JSON")["request"]["object"].to_string();
    folder.write("class.json", &class);
    for server in [&partial, &complete] {
        eventually("the class is read", || {
            server.post("/validate", default_class("second")).1["response"]["allowed"] == false
        });
        assert!(verbose(server).contains("[+]ingressclasses ok: 1 known\n"));
    }
}

pub fn reviews_never_change_the_view() {
    let folder = Folder::new();
    let server = folder.server(&["--complete"]);
    for team in ["a", "b"] {
        let (_, answer) = server.post("/validate", create(&ingress(team, "shop", "shop.example.com", "/")));
        assert_eq!(answer["response"]["allowed"], true, "{answer}");
        let (_, answer) = server.post("/validate", default_class(team));
        assert_eq!(answer["response"]["allowed"], true, "{answer}");
    }
    assert_eq!(server.metric(r#"portcullis_objects{kind="Ingress"}"#), Some(0.0));
}
