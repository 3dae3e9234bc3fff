//! The small commands: their output and exit codes.

use std::path::Path;
use std::process::{Command, Output};

use libtest_mimic::Trial;
use portcullis_core::checks::registry;
use portcullis_core::finding::Action;

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, story: fn()| {
        Trial::test(format!("commands::{name}"), move || {
            story();
            Ok(())
        })
    };
    vec![
        trial("config_check_summarizes_a_valid_configuration", config_check_summarizes_a_valid_configuration),
        trial("config_check_reports_all_errors", config_check_reports_all_errors),
        trial("certificates_are_made_once", certificates_are_made_once),
    ]
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
