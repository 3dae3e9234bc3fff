//! The official JSON schema of SARIF 2.1.0, from a Go module that contains it.

use super::assets::{Lack, needing};
use super::module;
use libtest_mimic::Trial;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

const MODULE: &str = "github.com/owenrumney/go-sarif/v3";
const VERSION: &str = "3.2.3";
const SUM: &str = "h1:n6mdX5ugKwCrZInvBsf6WumXmpAe3mbmQXgkXlIq34U=";
/// The file of the module that contains the schema as a Go string.
const FILE: &str = "pkg/report/v210/sarif/schema.go";

/// A trial that needs the schema. It is ignored without Go, but fails then with `CI=true`.
pub fn on_sarif(name: &str, test: fn()) -> Trial {
    needing(name, || folder().err(), test)
}

/// The schema.
pub fn sarif_schema() -> Value {
    let folder = folder().unwrap_or_else(|lack| panic!("{lack}"));
    let source = fs::read_to_string(folder.join(FILE)).expect("the module has the file");
    let schema = source.split('`').nth(1).expect("the schema is a raw string");
    serde_json::from_str(schema).expect("the schema is JSON")
}

fn folder() -> Result<PathBuf, Lack> {
    static FOLDER: OnceLock<Result<PathBuf, Lack>> = OnceLock::new();
    FOLDER.get_or_init(|| module::fetch(MODULE, VERSION, SUM)).clone()
}
