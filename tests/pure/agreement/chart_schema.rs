//! The schema of the chart's values contains that of the configuration, so that a configuration with a misspelled key is refused
//! before anything is installed.

use portcullis_core::config::Config;
use portcullis_testing::golden;
use portcullis_testing::repository::read;
use serde_json::Value;

const FILE: &str = "charts/portcullis/values.schema.json";

/// What the definitions follow in the file. They are generated, what is before them is not.
const DEFINITIONS: &str = "  \"$defs\": ";

#[test]
fn the_chart_has_the_schema_of_the_configuration() {
    let definitions = format!("{:#}", definitions()).replace('\n', "\n  ");
    let written = read(FILE);
    let (values, _) = written.split_once(DEFINITIONS).expect("it has definitions");
    let fresh = format!("{values}{DEFINITIONS}{definitions}\n}}\n");
    golden::must_be_current(FILE, &fresh);
}

/// The definitions of the configuration, and the configuration itself. The chart adds the two fields that name its version.
fn definitions() -> Value {
    let mut schema = Config::json_schema();
    let mut definitions = schema["$defs"].take();
    let fields = schema.as_object_mut().expect("the schema is an object");
    fields.retain(|field, _| !["$schema", "$defs", "title", "required"].contains(&field.as_str()));
    definitions["Configuration"] = schema;
    definitions
}
