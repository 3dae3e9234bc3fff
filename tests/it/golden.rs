//! Words to the letter: `tests/golden` holds what a tenant reads.
//!
//! `UPDATE_GOLDEN=1` writes the files anew; then read them.

use std::fs;
use std::path::Path;

use crate::harness::Said;

/// What stands in a terminal after a kubectl command: the command, then warnings and refusals, then the rest.
pub fn of_kubectl(command: &str, said: &Said) -> String {
    format!("$ kubectl {command}\n{}{}", said.stderr, said.stdout)
}

/// How what was printed differs from the golden file of this name.
pub fn differs(name: &str, printed: &str) -> Option<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name).with_extension("txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, printed).expect("the golden files are writable");
    }
    let golden = fs::read_to_string(&file).unwrap_or_default();
    (golden != printed).then(|| format!("{name} should be\n{golden}and is\n{printed}"))
}
