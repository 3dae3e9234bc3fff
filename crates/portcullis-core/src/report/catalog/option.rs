//! The options of a check or a defaulter as the head of its page lists them: name, type, default and meaning. Type and
//! meaning come from the schema of the configuration, so that editors and pages show the same text.

use std::sync::LazyLock;

use serde_json::Value;

use crate::checks::{Check, CheckOption};
use crate::config::Config;
use crate::defaults::Defaulter;

static SCHEMA: LazyLock<Value> = LazyLock::new(Config::json_schema);

/// The lines for each option of a check: name, type and default on the first, the meaning on the second.
pub fn of_check(check: &Check) -> impl Iterator<Item = [String; 2]> {
    let forms = SCHEMA["$defs"]["CheckSetting"]["anyOf"].as_array().into_iter().flatten();
    let properties = forms.filter_map(|form| form["properties"].as_object()).next();
    check.options.iter().filter_map(move |option| {
        let schema = properties?.get(option.name())?;
        Some(lines(option.name(), schema, &unset(check, *option)))
    })
}

/// The default of an option, or that it is required.
fn unset(check: &Check, option: CheckOption) -> String {
    let CheckOption::Optional(_, unset) = option else {
        let required = check
            .options
            .iter()
            .filter(|option| matches!(option, CheckOption::RequireOneOf(_)))
            .map(|option| option.name());
        let required: Vec<&str> = required.collect();
        return match required.as_slice() {
            [_] => "required".to_owned(),
            several => format!("{} is required", several.join(" or ")),
        };
    };
    format!("default: {unset}")
}

/// The lines for the option of a defaulter.
pub fn of_defaulter(defaulter: &Defaulter) -> Option<[String; 2]> {
    let name = defaulter.option?;
    let schema = &SCHEMA["$defs"]["DefaultSetting"]["properties"][name];
    Some(lines(name, schema, if defaulter.enabled { "optional" } else { "required" }))
}

/// The lines of all options as rows, of which only the first has a label.
pub fn labeled(options: impl IntoIterator<Item = [String; 2]>) -> impl Iterator<Item = (&'static str, String)> {
    let lines = options.into_iter().flatten().enumerate();
    lines.map(|(row, line)| (if row == 0 { "options" } else { "" }, line))
}

fn lines(name: &str, schema: &Value, unset: &str) -> [String; 2] {
    let meaning = schema["description"].as_str().unwrap_or_default();
    [format!("{name}: {} ({unset})", type_of(schema)), format!("  {meaning}")]
}

/// Describes the type in a schema in words.
fn type_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return type_of(&SCHEMA["$defs"][name]);
    }
    if let Some(value) = schema["const"].as_str() {
        return value.to_owned();
    }
    if let Some(forms) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        let forms: Vec<String> = forms.iter().filter(|form| form["type"] != "null").map(type_of).collect();
        return forms.join(" or ");
    }
    let named = match &schema["type"] {
        Value::Array(types) => types.first().and_then(Value::as_str),
        other => other.as_str(),
    };
    match named.unwrap_or_default() {
        "array" => format!("list of {}", type_of(&schema["items"])),
        "object" => format!("{{{}}}", fields(schema)),
        "string" if schema["format"] == "regex" => "regular expression".to_owned(),
        "string" => {
            schema["pattern"].as_str().map_or_else(|| "text".to_owned(), |pattern| format!("text like {pattern}"))
        }
        "integer" => "number".to_owned(),
        other => other.to_owned(),
    }
}

/// The fields of a map, or the type of its values if every key is allowed.
fn fields(schema: &Value) -> String {
    let field = |(name, schema): (&String, &Value)| format!("{name}: {}", type_of(schema));
    match schema["properties"].as_object() {
        Some(properties) => properties.iter().map(field).collect::<Vec<_>>().join(", "),
        None => format!("KEY: {}", type_of(&schema["additionalProperties"])),
    }
}
