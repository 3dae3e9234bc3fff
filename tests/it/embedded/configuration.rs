//! The configuration file, before the server starts and while it runs.

use std::fs;
use std::path::Path;

use super::{Folder, is_claimed, verbose};
use crate::harness::{PortcullisServer, eventually};
use crate::reviews::{create, ingress, warnings};

const HEAD: &str = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";

pub fn a_new_configuration_acts() {
    let folder = Folder::new();
    folder.write("objects/a.yaml", &ingress("web", "a", "a.example.com", "/"));
    folder.write("config.yaml", HEAD);
    let objects = folder.0.join("objects");
    let config = folder.0.join("config.yaml");
    let server = PortcullisServer::start([Path::new("--objects"), &objects, Path::new("--config"), &config]).ready();
    assert!(is_claimed(&server, "a.example.com"));

    folder.write("config.yaml", &format!("{HEAD}profile: audit\n"));
    eventually("the profile acts", || !is_claimed(&server, "a.example.com"));
    let (_, answer) = server.post("/validate", create(&ingress("team", "copy", "a.example.com", "/")));
    assert!(warnings(&answer).ends_with("[host/path-conflict]"), "{answer}");

    // A file that is being written may be empty for a moment. That must not select the defaults.
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
        (
            &*format!("{HEAD}profile: strict\nchecks: {{shape: Deny}}\n"),
            "config.yaml: line 4, column 10: unknown check `shape`",
        ),
    ] {
        folder.write("config.yaml", broken);
        eventually("the broken file shows", || verbose(&server).contains(words));
        assert!(
            verbose(&server).contains("[!]config degraded: using the last valid version: "),
            "{}",
            verbose(&server)
        );
        assert_eq!(server.metric("portcullis_config_broken"), Some(1.0));
        assert!(!is_claimed(&server, "a.example.com"), "the last good one is in force");
        eventually("all its faults are on one line of the log", || server.log().contains(words));
    }
    fs::remove_file(&config).expect("it is there");
    eventually("a missing file shows", || verbose(&server).contains("No such file"));
    assert!(!is_claimed(&server, "a.example.com"), "the last good one is in force");
    server.logs("configuration is invalid; keeping the last valid version");

    folder.write("config.yaml", HEAD);
    eventually("the healed file acts", || is_claimed(&server, "a.example.com"));
    assert!(verbose(&server).contains("[+]config ok: hash "));
    assert_eq!(server.metric("portcullis_config_broken"), Some(0.0));
}

pub fn invalid_configuration_is_reported() {
    let folder = Folder::new();
    let file = folder.0.join("config.yaml");
    let two = "profile: strict\nchecks:\n  host/path-conflit: Deny\n";
    for (text, lines) in [
        ("profle: audit\n", vec!["line 3, column 1: unknown field `profle`; did you mean `profile`?"]),
        ("checks:\n  host/*: Denny\n", vec!["line 4, column 11: unknown value `Denny`; did you mean `Deny`?"]),
        (
            two,
            vec![
                "line 3, column 10: unknown profile `strict`",
                "line 5, column 3: unknown check `host/path-conflit`; did you mean `host/path-conflict`?",
            ],
        ),
    ] {
        fs::write(&file, format!("{HEAD}{text}")).expect("the folder is writable");
        let (code, output) =
            PortcullisServer::refused([Path::new("--objects"), &folder.0, Path::new("--config"), &file]);
        assert_eq!(code, Some(2), "{output}");
        let start = format!("portcullis: {}: line ", file.display());
        assert!(output.lines().all(|line| line.starts_with(&start)), "{output}");
        for line in lines {
            assert!(output.contains(line), "{output}");
        }
    }
    let (code, output) = PortcullisServer::refused(["--objects", folder.path(), "--config", "/nowhere.yaml"]);
    assert!(code == Some(2) && output.starts_with("portcullis: /nowhere.yaml: No such file"), "{code:?}: {output}");
}

/// Files for regions and teams lie beside the platform's; a fault in one of them leaves the last valid configuration in effect.
pub fn a_folder_is_one_configuration() {
    let folder = Folder::new();
    folder.write("objects/a.yaml", &ingress("web", "a", "a.example.com", "/"));
    folder.write("config/10-platform.yaml", &format!("{HEAD}profile: audit\n"));
    folder.write("config/README.md", "not a configuration");
    let (objects, config) = (folder.0.join("objects"), folder.0.join("config"));
    let server = PortcullisServer::start([Path::new("--objects"), &objects, Path::new("--config"), &config]).ready();
    assert!(!is_claimed(&server, "a.example.com"), "audit denies nothing");

    let team = "overrides: [{match: {namespaces: {notNames: ['kube-*']}}, profile: baseline}]\n";
    folder.write("config/20-team.yaml", &format!("{HEAD}{team}"));
    eventually("a new file acts", || is_claimed(&server, "a.example.com"));

    folder.write("config/30-other.json", r#"{"apiVersion": "v1", "kind": "List"}"#);
    eventually("a foreign file shows", || {
        verbose(&server).contains("30-other.json: line 1, column 16: apiVersion must be")
    });
    assert!(is_claimed(&server, "a.example.com"), "the last good one is in force");
    fs::remove_file(config.join("30-other.json")).expect("it is there");
    eventually("the healed folder shows", || verbose(&server).contains("[+]config ok: hash "));

    folder.write("config/20-team.yaml", &format!("{HEAD}profile: baseline\n"));
    let words = "`profile` is `baseline` here, but `audit` in ";
    eventually("a contradiction shows", || {
        verbose(&server).contains(words) && verbose(&server).contains("10-platform.yaml at line 3")
    });
    fs::remove_dir_all(&config).expect("it is there");
    eventually("a missing folder shows", || verbose(&server).contains("No such file"));
    assert!(is_claimed(&server, "a.example.com"), "the last good one is in force");
}
