//! The gate without a cluster: a folder of manifests is the rest of it, and every file that it follows may change or break.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use libtest_mimic::Trial;
use portcullis::tls::authority;
use serde_json::Value;
use tokio::io::AsyncWriteExt;

use crate::door::{answer, handshake, post, trust};
use crate::harness::{Gate, RUNTIME, eventually, warden};
use crate::reviews::{INGRESS_CLASS, create, ingress, review, warnings};

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, story: fn()| {
        Trial::test(format!("embedded::{name}"), move || {
            story();
            Ok(())
        })
    };
    vec![
        trial("a_folder_is_read_again", a_folder_is_read_again),
        trial("a_broken_file_keeps_what_was_good", a_broken_file_keeps_what_was_good),
        trial("an_object_that_loses_its_shape_stays_what_it_was", an_object_that_loses_its_shape),
        trial("what_is_broken_at_the_start_is_refused", what_is_broken_at_the_start_is_refused),
        trial("an_object_in_two_files_names_both", an_object_in_two_files_names_both),
        trial("lists_documents_and_json_are_all_read", lists_documents_and_json_are_all_read),
        trial("only_a_complete_folder_knows_what_is_absent", only_a_complete_folder_knows),
        trial("reviews_never_change_the_view", reviews_never_change_the_view),
        trial("a_new_configuration_acts_and_a_broken_one_does_not", a_new_configuration_acts),
        trial("a_wrong_configuration_says_where_and_what_was_meant", a_wrong_configuration_says_where),
        trial("a_renewed_certificate_is_shown_to_new_connections", a_renewed_certificate_is_shown),
        trial("sigterm_finishes_what_is_in_flight", sigterm_finishes_what_is_in_flight),
    ]
}

/// A folder of a trial's own, and what to do with the files in it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        Self(warden().folder("objects"))
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.0.join(name);
        fs::create_dir_all(file.parent().expect("it is in the folder")).expect("the folder is writable");
        fs::write(file, text).expect("the folder is writable");
    }

    /// A gate that stands in front of what the folder holds.
    fn gate(&self, more: &[&str]) -> Gate {
        Gate::start([&["--objects", self.path()], more].concat()).ready()
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("the folder of the trials has a plain name")
    }
}

/// Whether the gate refuses that another team serves `/` on `host`.
fn is_taken(gate: &Gate, host: &str) -> bool {
    let (status, answer) = gate.post("/validate", create(&ingress("team", "copy", host, "/")));
    assert_eq!(status, 200, "{answer}");
    answer["response"]["allowed"] == false
}

fn verbose(gate: &Gate) -> String {
    let (status, text) = gate.health().get("/readyz?verbose");
    assert_eq!(status, 200, "{text}");
    text
}

fn a_folder_is_read_again() {
    let folder = Folder::new();
    folder.write("a.json", &ingress("web", "a", "a.example.com", "/"));
    let gate = folder.gate(&[]);
    let is_taken = |host| is_taken(&gate, host);
    assert!(is_taken("a.example.com") && !is_taken("b.example.com"));

    folder.write("deep/er/b.yaml", &ingress("web", "b", "b.example.com", "/"));
    eventually("a file that appears is read", || is_taken("b.example.com"));
    folder.write("a.json", &ingress("web", "a", "other.example.com", "/"));
    eventually("a file that changes is read", || is_taken("other.example.com"));
    assert!(!is_taken("a.example.com"), "what it held before is gone");
    fs::remove_file(folder.0.join("deep/er/b.yaml")).expect("it is there");
    eventually("what a file held goes with it", || !is_taken("b.example.com"));
    assert!(is_taken("other.example.com"));
}

fn a_broken_file_keeps_what_was_good() {
    let folder = Folder::new();
    folder.write("a.yaml", &ingress("web", "a", "a.example.com", "/"));
    let gate = folder.gate(&[]);
    folder.write("a.yaml", "kind: Ingress\n  metadata: ]");
    folder.write("new.yaml", &ingress("web", "new", "new.example.com", "/"));
    eventually("a new file beside a broken one is read", || is_taken(&gate, "new.example.com"));

    assert!(is_taken(&gate, "a.example.com"));
    let says = verbose(&gate);
    let line = says.lines().find(|line| line.starts_with("[!] objects ")).expect("it is shown");
    assert!(line.contains("a.yaml: line 2, column "), "{says}");
    let logged = gate.logs("the manifests are broken; what was good stays");
    assert!(logged["fields"]["problem"].as_str().is_some_and(|problem| problem.contains("a.yaml: line 2")), "{logged}");

    folder.write("a.yaml", &ingress("web", "a", "healed.example.com", "/"));
    eventually("a healed file is read", || is_taken(&gate, "healed.example.com"));
    assert!(!verbose(&gate).contains("objects"), "{}", verbose(&gate));
    assert!(!is_taken(&gate, "a.example.com"));
}

fn an_object_that_loses_its_shape() {
    let folder = Folder::new();
    let good = ingress("web", "a", "a.example.com", "/");
    folder.write("a.yaml", &good);
    let gate = folder.gate(&[]);
    folder.write("a.yaml", &good.replace(r#""nginx""#, "7"));
    let words = "Ingress web/a cannot be read: spec.ingressClassName: invalid type: integer `7`, expected a string";
    eventually("the loss is shown", || verbose(&gate).contains(words));
    assert!(is_taken(&gate, "a.example.com"));
    folder.write("a.yaml", "");
    eventually("what is taken out of the file goes", || !is_taken(&gate, "a.example.com"));
}

fn what_is_broken_at_the_start_is_refused() {
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
        let (code, said) = Gate::refused(["--objects", folder.path()]);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
    let (code, said) = Gate::refused(["--objects", "/nowhere/at/all"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("--objects: /nowhere/at/all: No such file"), "{said}");
}

fn an_object_in_two_files_names_both() {
    let folder = Folder::new();
    folder.write("a.yaml", &ingress("web", "shop", "a.example.com", "/"));
    folder.write("b.yaml", &ingress("web", "shop", "b.example.com", "/"));
    let both = |text: &str| {
        text.contains("Ingress web/shop stands in ") && text.contains("a.yaml and in ") && text.contains("b.yaml")
    };
    let (code, said) = Gate::refused(["--objects", folder.path()]);
    assert!(code == Some(2) && both(&said), "{code:?}: {said}");

    fs::remove_file(folder.0.join("b.yaml")).expect("it is there");
    let gate = folder.gate(&[]);
    folder.write("b.yaml", &ingress("web", "shop", "b.example.com", "/"));
    eventually("the second place is reported", || both(&verbose(&gate)));
    assert!(is_taken(&gate, "a.example.com") && !is_taken(&gate, "b.example.com"), "the first place stays in force");
}

fn lists_documents_and_json_are_all_read() {
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
    let gate = folder.gate(&[]);
    for name in ["l1", "l2", "t1", "t2", "d1", "d2", "j1"] {
        assert!(is_taken(&gate, &format!("{name}.example.com")), "{name}");
    }
    for name in ["text", "hidden"] {
        assert!(!is_taken(&gate, &format!("{name}.example.com")), "{name}");
    }
    assert_eq!(gate.metric(r#"portcullis_objects{kind="Ingress"}"#), Some(7.0));
}

/// The creation of an IngressClass that is marked as default.
fn default_class(name: &str) -> String {
    let class = format!(
        r#"{{"apiVersion":"networking.k8s.io/v1","kind":"IngressClass","metadata":{{"name":"{name}","annotations":{{"ingressclass.kubernetes.io/is-default-class":"true"}}}},"spec":{{"controller":"example.com/a"}}}}"#
    );
    review("u-1", &format!(r#""kind":{INGRESS_CLASS},"operation":"CREATE","object":{class}"#))
}

fn only_a_complete_folder_knows() {
    let folder = Folder::new();
    folder.write("a.yaml", &ingress("web", "a", "a.example.com", "/"));
    let partial = folder.gate(&[]);
    let complete = folder.gate(&["--complete"]);
    for (gate, classes) in [(&partial, "0 known, there may be more"), (&complete, "0 known")] {
        let says = verbose(gate);
        assert!(says.lines().any(|line| line == "[+] ingresses 1 known"), "{says}");
        assert!(says.lines().any(|line| line == format!("[+] ingressclasses {classes}")), "{says}");
    }
    // What is known is known in either.
    let class = serde_json::from_str::<Value>(&default_class("first")).expect("JSON")["request"]["object"].to_string();
    folder.write("class.json", &class);
    for gate in [&partial, &complete] {
        eventually("the class is read", || {
            gate.post("/validate", default_class("second")).1["response"]["allowed"] == false
        });
        assert!(verbose(gate).contains("[+] ingressclasses 1 known\n"));
    }
}

fn reviews_never_change_the_view() {
    let folder = Folder::new();
    let gate = folder.gate(&["--complete"]);
    for team in ["a", "b"] {
        let (_, answer) = gate.post("/validate", create(&ingress(team, "shop", "shop.example.com", "/")));
        assert_eq!(answer["response"]["allowed"], true, "{answer}");
        let (_, answer) = gate.post("/validate", default_class(team));
        assert_eq!(answer["response"]["allowed"], true, "{answer}");
    }
    assert_eq!(gate.metric(r#"portcullis_objects{kind="Ingress"}"#), Some(0.0));
}

const HEAD: &str = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";

fn a_new_configuration_acts() {
    let folder = Folder::new();
    folder.write("objects/a.yaml", &ingress("web", "a", "a.example.com", "/"));
    folder.write("config.yaml", HEAD);
    let objects = folder.0.join("objects");
    let config = folder.0.join("config.yaml");
    let gate = Gate::start([Path::new("--objects"), &objects, Path::new("--config"), &config]).ready();
    assert!(is_taken(&gate, "a.example.com"));

    folder.write("config.yaml", &format!("{HEAD}profile: audit\n"));
    eventually("the profile acts", || !is_taken(&gate, "a.example.com"));
    let (_, answer) = gate.post("/validate", create(&ingress("team", "copy", "a.example.com", "/")));
    assert!(warnings(&answer).ends_with("[host/path-conflict]"), "{answer}");

    // A file that is just being written is empty for a moment: that is no wish for the defaults.
    for (broken, words) in [
        ("", "line 1, column "),
        (
            &*format!("{HEAD}profile: audit\nprofiles: baseline\n"),
            "line 4, column 1: unknown field `profiles`; did you mean `profile`?",
        ),
        (
            &*format!("{HEAD}profile: basline\n"),
            "line 3, column 10: unknown profile `basline`; did you mean `baseline`?",
        ),
    ] {
        folder.write("config.yaml", broken);
        eventually("the broken file shows", || verbose(&gate).contains(words));
        assert!(verbose(&gate).contains("[!] config the last good one is in force: "), "{}", verbose(&gate));
        assert_eq!(gate.metric("portcullis_config_broken"), Some(1.0));
        assert!(!is_taken(&gate, "a.example.com"), "the last good one is in force");
    }
    fs::remove_file(&config).expect("it is there");
    eventually("a missing file shows", || verbose(&gate).contains("No such file"));
    assert!(!is_taken(&gate, "a.example.com"), "the last good one is in force");
    gate.logs("the configuration is broken; the last good one stays");

    folder.write("config.yaml", HEAD);
    eventually("the healed file acts", || is_taken(&gate, "a.example.com"));
    assert!(verbose(&gate).contains("[+] config ok\n"));
    assert_eq!(gate.metric("portcullis_config_broken"), Some(0.0));
}

fn a_wrong_configuration_says_where() {
    let folder = Folder::new();
    let file = folder.0.join("config.yaml");
    let two = "profile: strict\nchecks:\n  host/path-conflit: Deny\n";
    for (text, lines) in [
        ("profle: audit\n", vec!["line 3, column 1: unknown field `profle`; did you mean `profile`?"]),
        ("checks:\n  host/*: Denny\n", vec!["line 4, column 3: unknown value `Denny`; did you mean `Deny`?"]),
        (
            two,
            vec![
                "line 3, column 10: unknown profile `strict`",
                "line 5, column 3: unknown check `host/path-conflit`; did you mean `host/path-conflict`?",
            ],
        ),
    ] {
        fs::write(&file, format!("{HEAD}{text}")).expect("the folder is writable");
        let (code, said) = Gate::refused([Path::new("--objects"), &folder.0, Path::new("--config"), &file]);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.starts_with(&format!("portcullis: {}: ", file.display())), "{said}");
        for line in lines {
            assert!(said.contains(line), "{said}");
        }
    }
    let (code, said) = Gate::refused(["--objects", folder.path(), "--config", "/nowhere.yaml"]);
    assert!(code == Some(2) && said.starts_with("portcullis: /nowhere.yaml: No such file"), "{code:?}: {said}");
}

/// The leaf that a new connection is shown.
fn shown(gate: &Gate, ca: &Path) -> Vec<u8> {
    RUNTIME.block_on(async {
        let stream = handshake(gate.webhook, trust(&[ca])).await.expect("a TLS connection");
        stream.get_ref().1.peer_certificates().expect("a server shows its certificate")[0].to_vec()
    })
}

fn a_renewed_certificate_is_shown() {
    let (folder, certificates) = (Folder::new(), warden().folder("operator"));
    let paths = authority::ensure(&certificates, &[]).expect("a new authority");
    let args = [
        Path::new("--objects"),
        &folder.0,
        Path::new("--tls-cert"),
        &paths.certificate,
        Path::new("--tls-key"),
        &paths.key,
    ];
    let gate = Gate::with_certificate(args, &paths.ca_certificate).ready();
    let first = shown(&gate, &paths.ca_certificate);
    let is_answered = || !is_taken(&gate, "a.example.com");
    assert!(is_answered());

    authority::ensure(&certificates, &["renewed.example.com".to_owned()]).expect("a new leaf");
    eventually("the new leaf is shown", || is_answered() && shown(&gate, &paths.ca_certificate) != first);
    let second = shown(&gate, &paths.ca_certificate);

    fs::write(&paths.certificate, "no certificate").expect("the folder is writable");
    eventually("the broken file shows", || verbose(&gate).contains("[!] certificate ok; a newer one is not used: "));
    assert_eq!(shown(&gate, &paths.ca_certificate), second);
    assert!(is_answered());
}

fn sigterm_finishes_what_is_in_flight() {
    let gate = Folder::new().gate(&[]);
    let bytes = post("/validate", create(&ingress("web", "shop", "shop.example.com", "/")).as_bytes());
    let (begin, end) = bytes.split_at(bytes.len() / 2);
    let (begin, end, trust) = (begin.to_vec(), end.to_vec(), trust(&[&gate.ca]));
    let address = gate.webhook;
    let mut stream = RUNTIME.block_on(async {
        let mut stream = handshake(address, trust).await.expect("a TLS connection");
        stream.write_all(&begin).await.expect("the bytes are read");
        stream.flush().await.expect("the bytes are read");
        stream
    });
    // Long enough for the gate to have read the head.
    thread::sleep(Duration::from_millis(500));
    let rest = RUNTIME.spawn(async move {
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(tokio::net::TcpStream::connect(address).await.is_err(), "nothing is accepted any more");
        stream.write_all(&end).await.expect("the bytes are read");
        answer(&mut stream).await.expect("an answer")
    });
    let ended = gate.stop();
    let answer = RUNTIME.block_on(rest).expect("the client ends well");
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.body.contains(r#""allowed":true"#), "{}", answer.body);
    assert!(ended.success(), "{ended}");
}
