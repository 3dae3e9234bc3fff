//! `portcullis status --compare`: its output, and its exit codes.

use std::path::Path;
use std::process::Command;

use portcullis_testing::golden;
use portcullis_testing::repository::read;

use super::{ran, route, serve, services, vertex};

pub fn differences_are_for_people() {
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/statuses");
    let mut program = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    let output = program.args(["status", "--compare", "--objects"]).arg(objects).output().expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let (code, printed, errors) = (output.status.code(), text(output.stdout), text(output.stderr));
    assert_eq!((code, &*errors), (Some(1), ""));
    assert_eq!(golden::differs("status_compare", &printed), None);
    let shown = format!("```text\n{printed}```\n");
    assert!(read("docs/status.md").contains(&shown), "docs/status.md differs from tests/golden/status_compare.txt");
}

pub fn a_difference_is_a_failure() {
    let vertex = |state: &str| {
        let object = route("team/a", &vertex(&[serve("/")]));
        format!("{object}status: {{currentStatus: {state}}}\n")
    };
    let unread = "---\napiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {namespace: team, name: a}\nspec: 7\n";
    for (state, more, code, compared) in [
        ("orphaned", "", 0, "1 object compared: 0 differences\n"),
        ("valid", "", 1, "1 object compared: 1 difference in 1 object\n"),
        ("orphaned", unread, 3, "1 object compared: 0 differences\n"),
        ("valid", unread, 1, "1 object compared: 1 difference in 1 object\n"),
    ] {
        let manifests = [services(&["team"]), vertex(state), more.to_owned()];
        let (found, printed, errors) = ran(&manifests, "", &["--compare"]);
        assert_eq!(found, Some(code), "{state} {more}: {errors}");
        assert!(printed.ends_with(compared), "{state} {more}: {printed}");
        assert_eq!(errors.contains("incomplete"), !more.is_empty(), "{errors}");
    }
    let mut program = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    let output =
        program.args(["status", "--compare", "--against", "world.json.gz"]).output().expect("the program runs");
    let errors = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{errors}");
    let is_named = ["--compare", "--against", "cannot be used with"].iter().all(|words| errors.contains(words));
    assert!(is_named, "{errors}");
}
